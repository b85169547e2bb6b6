"""Records the three runs of a script that `verify` compares."""

from __future__ import annotations

import sys
from typing import List, Sequence

from tf1grad.old_programs.verify.script_processes import ScriptFailed, ScriptProcesses
from tf1grad.old_programs.verify.step_numbers import Record


def record_three_runs(processes: ScriptProcesses[Record], other: str, command: Sequence[str], steps: int,
                      seed: int) -> List[Record]:
    """Returns the records of this interpreter, of the other, and of this one again with perturbed values."""
    def run(name: str, python: str, perturb: bool = False) -> Record:
        return processes.record(name, python, {
            "steps": steps, "seed": seed, "perturb": perturb, "run": list(command)})

    this = run("this interpreter", sys.executable)
    if not this.steps:
        raise ScriptFailed("the script ended and never trained: nothing applied gradients "
                           "(tf.train.Optimizer), and no external optimizer evaluated a loss.")
    return [this, run("the other interpreter", other),
            run("this interpreter, again", sys.executable, perturb=True)]

"""Records the three runs of a script that `verify` compares."""

from __future__ import annotations

import os
import sys
from typing import Dict, List, Optional, Sequence

from tf1grad.old_programs import _compat
from tf1grad.old_programs._errors import UsageError
from tf1grad.old_programs.verify.run_record import Record
from tf1grad.old_programs.verify.script_processes import ScriptFailed, ScriptProcesses


def record_three_runs(processes: ScriptProcesses[Record], other: str, command: Sequence[str], steps: int, seed: int,
                      seed_rule: str, seeds_file: Optional[str] = None) -> List[Record]:
    """Returns the records of this interpreter, of the other, and of this one again with perturbed values.

    `command` is what follows `tf1grad run`. With a `seeds_file`, the interpreter that has TensorFlow 1.15 writes its op
    seeds there and the other uses them; without it, both follow the `seed_rule`.

    Raises:
        ScriptFailed: the script failed or never trained.
        UsageError: an interpreter cannot be used.
    """
    rules = ["--seeds=" + seed_rule], ["--seeds=" + seed_rule]
    order = [0, 1]
    if seeds_file:
        path = os.path.abspath(seeds_file)
        rules = ["--seeds=tf1", "--record-seeds=" + path], ["--seeds=" + path]
        if _compat.installed_version() != (1, 15):
            rules, order = rules[::-1], [1, 0]
    sides = [("this interpreter", sys.executable), ("the other interpreter", other)]

    def run(side: int, again: str = "", perturb: bool = False) -> Record:
        return processes.record(sides[side][0] + again, sides[side][1], {
            "steps": steps, "seed": seed, "perturb": perturb, "run": [*rules[side], *command]})

    records: Dict[int, Record] = {}
    for side in order:
        records[side] = run(side)
        if side == 0 and not records[0].steps:
            raise ScriptFailed("the script ended and never trained: nothing applied gradients "
                               "(tf.train.Optimizer), and no external optimizer evaluated a loss.")
        if seeds_file and side == order[0]:
            _check_is_1_15(records[side])
    return [records[0], records[1], run(0, ", again", perturb=True)]


def _check_is_1_15(record: Record) -> None:
    version = record.facts.get("tensorflow", "none")
    if not version.startswith("1.15."):
        raise UsageError("--record-seeds: one of the two interpreters must have TensorFlow 1.15; this one has another "
                         f"version, and that of --against has {version}.")

"""Records a script under two interpreters, or under one to compare with a file,
and compares the two.
"""

from __future__ import annotations

import sys
from typing import Any

from tf1grad.verify.comparison import Comparison
from tf1grad.verify.comparison_report import ValueReport
from tf1grad.verify.graphs.graph_report import GraphReport
from tf1grad.verify.record import Record
from tf1grad.verify.recorders import GRAPHS, STEPS
from tf1grad.verify.script_processes import ScriptCommand, ScriptFailed, ScriptProcesses
from tf1grad.verify.where_values_part import where_values_part

VALUE_STEPS = 10
PERTURBED_RUNS = 3
THIS, OTHER = "this interpreter", "the other interpreter"


class TwoInterpreters:
    """Compares a program under this interpreter and the `other`, a path of a Python."""

    def __init__(self, processes: ScriptProcesses, program: ScriptCommand, other: str = "") -> None:
        self._processes, self._program = processes, program
        self._pythons = {THIS: sys.executable, OTHER: other}

    def _record(self, side: str, steps: int | None, purpose: str = "", **options: object) -> Record:
        program = self._program._replace(steps=steps)
        return self._processes.record_in_copy(
            side + purpose, self._pythons[side], program, **options
        )

    def compare_values(self) -> ValueReport:
        """Compares this interpreter, the other, and this one again with
        perturbed values: its noise.

        One perturbed run is one sample of the noise. A difference that would be told is measured
        against more of them.
        """
        steps = self._program.steps or VALUE_STEPS
        this = self._record(THIS, steps, kind=STEPS)
        if not this.steps:
            raise ScriptFailed(
                "the script ended and never trained: nothing applied gradients "
                "(tf.train.Optimizer), and no external optimizer evaluated a loss."
            )
        other = self._record(OTHER, steps, kind=STEPS)
        perturbed = [self._record(THIS, steps, ", again", kind=STEPS, directions=1)]
        comparison = Comparison(this, other, perturbed)
        if comparison.may_be_noise:
            for directions in range(2, PERTURBED_RUNS + 1):
                purpose = f", again ({directions} of {PERTURBED_RUNS})"
                perturbed.append(
                    self._record(THIS, steps, purpose, kind=STEPS, directions=directions)
                )
            comparison = Comparison(this, other, perturbed)
        decisive = comparison.decisive
        said: list[str] = []
        if comparison.repeats and decisive and decisive.what not in ("initial value", "steps"):
            said = self._where_values_part(decisive.step)
        return ValueReport(comparison, said)

    def _where_values_part(self, step: int) -> list[str]:
        """Says where values part at a step, from 1;
        nothing if an interpreter does not reach it again.
        """
        records = []
        for side in self._pythons:
            purpose = f", tensors of step {step}"
            state = self._processes.path("state")
            try:
                record = self._record(side, step, purpose, kind=GRAPHS, state=state)
            except ScriptFailed:
                return []
            if not record.facts.has_ended:
                return []
            records.append(record)
        this, other = records
        return where_values_part(this, other, step)

    def compare_graphs(
        self, recorded: Record | None = None, file: str | None = None
    ) -> GraphReport:
        """Compares the graphs of both interpreters, or of this one with those `recorded`.

        If they differ, the other interpreter builds them once more, with another order of Python's
        sets: a program may differ from itself. Its graphs are saved in `file`.
        """
        this = self._record_graphs(THIS)
        other = recorded or self._record_graphs(OTHER)
        report = GraphReport(this, other)
        if file:
            other.save(file)
        if report.is_same or recorded:
            return report
        again = self._record_graphs(OTHER, ", again", is_reordered=True)
        return GraphReport(this, other, again)

    def record_graphs(self, file: str) -> Record:
        """Saves the graphs of this interpreter in `file`, and returns them."""
        record = self._record_graphs(THIS)
        record.save(file)
        return record

    def _record_graphs(self, side: str, purpose: str = "", **options: Any) -> Record:
        """Records graphs up to a step; without `steps` up to the first that trains,
        and other runs never count.
        """
        program = self._program
        any_run = program.steps is not None
        # Not in a copy: a graph may have paths as constants.
        record = self._processes.record(
            side + purpose, self._pythons[side], program, kind=GRAPHS, any_run=any_run, **options
        )
        if not record.graphs:
            raise ScriptFailed(f"{side}: the script ended and ran no session.")
        return record

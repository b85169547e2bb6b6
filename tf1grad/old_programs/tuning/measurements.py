"""Runs a script under several settings, in turn, and sums up what was measured."""

from __future__ import annotations

import os
import time
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple

from tf1grad.old_programs.tuning.settings import DEFAULT, OLD, Setting, together
from tf1grad.old_programs.verify.script_processes import (
    Program,
    ScriptFailed,
    ScriptProcesses,
    Side,
)

WARM_UP = 0.2  # of the steps, and at least two: the first runs of a graph prepare it
WORTH = 0.95  # of the default's time: a setting that takes more is not worth the words


class StepTimes:
    """When the steps of one process ended: wall and CPU seconds since its start, of runs that `trained`, and of all."""

    def __init__(self, facts: Optional[Mapping[str, Any]] = None) -> None:
        self.facts: Dict[str, Any] = dict(facts or {})
        self.trained: List[Tuple[float, float]] = []
        self.ran: List[Tuple[float, float]] = []
        self.losses: List[float] = []

    @property
    def steps(self) -> List[Tuple[float, float]]:
        """Returns the times of the steps."""
        return self.trained or self.ran


class Measured:
    """Holds what was measured under one setting."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.records: List[StepTimes] = []
        self.failure = ""

    @property
    def startup(self) -> float:
        """Returns the seconds until the first step has ended."""
        return min(record.steps[0][0] for record in self.records)

    @property
    def memory(self) -> Optional[int]:
        """Returns the largest memory in bytes; None where the system does not say."""
        return max((record.facts["memory"] or 0 for record in self.records), default=0) or None

    @property
    def step(self) -> Optional[float]:
        """Returns the wall seconds of a step; None if too few steps were made."""
        return self._of_step(0)

    @property
    def cpu(self) -> Optional[float]:
        """Returns the CPU seconds of a step, of all threads; None if too few steps were made."""
        return self._of_step(1)

    def _of_step(self, clock: int) -> Optional[float]:
        found = []
        for record in self.records:
            times = [times[clock] for times in record.steps]
            first = min(max(2, int(len(times) * WARM_UP)), len(times) - 2)
            if first >= 0:
                found.append((times[-1] - times[first]) / (len(times) - 1 - first))
        return min(found, default=None)

    def difference(self, other: Measured) -> Optional[float]:
        """Returns the largest relative difference of a loss from that of another setting; None without losses."""
        if not (self.records and other.records):
            return None
        pairs = list(zip(self.records[0].losses, other.records[0].losses))
        return max(
            (abs(one - two) / max(abs(two), 1e-30) if one != two else 0.0 for one, two in pairs),
            default=None,
        )


class Measurements:
    """Runs the processes, `rounds` of them for each setting, and holds what is known so far.

    The `options` of `tf1grad run` precede those of the settings.
    """

    def __init__(
        self, processes: ScriptProcesses, program: Program, options: Sequence[str], rounds: int
    ) -> None:
        self._processes, self._program, self._options, self._rounds = (
            processes,
            program,
            options,
            rounds,
        )
        self.rows: Dict[str, Measured] = {}

    def measure(self, settings: Sequence[Setting]) -> None:
        """Measures settings, one process of each after the other, round by round; raises where the default fails."""
        for number in range(self._rounds):
            for place, setting in enumerate(settings):
                row = self.rows.setdefault(setting.name, Measured(setting))
                if not row.failure:
                    self._run(
                        row,
                        f"round {number + 1} of {self._rounds}, setting {place + 1} of {len(settings)}, "
                        f"{setting.name}",
                    )

    def measure_together(self) -> None:
        """Measures the best settings of all groups at once, if two groups or more have one that is worth it."""
        groups = sorted({row.setting.group for row in self.rows.values()} - {""})
        best = [
            self._fastest(row for row in self.rows.values() if row.setting.group == group)
            for group in groups
        ]
        chosen = [setting for setting in best if setting]
        if len(chosen) > 1:
            self.measure([together(chosen)])

    def best(self) -> Setting:
        """Returns the fastest setting of this interpreter; the default unless another is worth it."""
        return (
            self._fastest(row for row in self.rows.values() if row.setting.name != OLD)
            or self.rows[DEFAULT].setting
        )

    @property
    def reference(self) -> Measured:
        """Returns the row whose losses the others are compared with: that of 1.15, else of Eigen, else the default."""
        found = [
            self.rows[name]
            for name in (OLD, "eigen")
            if name in self.rows and self.rows[name].records
        ]
        return found[0] if found else self.rows[DEFAULT]

    def _fastest(self, rows: Iterable[Measured]) -> Optional[Setting]:
        limit = WORTH * (self.rows[DEFAULT].step or 0.0)
        worth = [
            (row.step, row.setting) for row in rows if row.step is not None and row.step <= limit
        ]
        return min(worth, key=lambda pair: pair[0])[1] if worth else None

    def _run(self, row: Measured, name: str) -> None:
        setting = row.setting
        program = self._program._replace(
            command=[*self._options, *setting.options, *self._program.command]
        )
        record, failure = self._processes.attempt(
            StepTimes,
            Side(name, setting.python),
            program,
            {"begun": time.time()},
            {"TF_ENABLE_ONEDNN_OPTS": os.environ.get("TF_ENABLE_ONEDNN_OPTS"), **setting.variables},
        )
        if not failure and not record.steps:
            failure = f"{name}: the script ended, and no session ran."
        if not failure:
            row.records.append(record)
        elif setting.name == DEFAULT:
            raise ScriptFailed(failure)
        row.failure = failure or ""

"""Measures the steps of a script in the script's process: when each one ends, and what it fetches.

A step is a run that trains, or an external optimizer's evaluation; in a program that does not train, it is any run.
Nothing is added to the script's runs. Several threads may run sessions; their steps are counted together.
"""

from __future__ import annotations

import contextlib
import time
from typing import Any, Iterable, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from tf1grad._compat import tf
from tf1grad.old_programs import _compat
from tf1grad.old_programs.process import patches
from tf1grad.old_programs.tuning.measurements import StepTimes
from tf1grad.old_programs.verify.session_observer import SessionObserver
from tf1grad.old_programs.verify.step_numbers import Arrays

RUNS_PER_STEP = 100  # a program that has not trained after so many runs for each step does not train
LOSSES = 10_000


class StepTimer(SessionObserver):
    """Notes the time of each run since `begun`, a `time.time()`; ends the process after `steps`."""

    def __init__(self, path: str, steps: int, begun: float, facts: Mapping[str, Any]) -> None:
        super().__init__(path, steps, StepTimes(facts))
        self._begun = begun

    def save(self) -> None:
        """Writes the record, with the process's memory."""
        self.record.facts["memory"] = _largest_memory()
        super().save()

    def _wrap_session(self) -> None:
        session_class = _compat.session_class()
        do_run, make_callable = session_class._do_run, session_class._make_callable_from_options

        def timed_run(session: tf.Session, handle: Any, targets: Sequence[tf.Operation], fetches: Sequence[tf.Tensor],
                      *others: Any) -> Any:
            values = do_run(session, handle, targets, fetches, *others)
            self._note(session.graph, [op.name for op in targets], [tensor.op.name for tensor in fetches], values)
            return values

        def timed_callable(session: tf.Session, options: Any) -> Any:
            run = make_callable(session, options)
            fetches, targets = [name.split(":")[0] for name in options.fetch], list(options.target)

            def call(*values: Any, **kwargs: Any) -> Any:
                result = run(*values, **kwargs)
                self._note(session.graph, targets, fetches, result)
                return result
            return call

        for name, function in (("_do_run", timed_run), ("_make_callable_from_options", timed_callable)):
            patches.patch(session_class, name, function, reason="tune times the runs")

    def _note(self, graph: tf.Graph, targets: Sequence[str], fetches: Sequence[str], values: Sequence[Any]) -> None:
        if self.recording:
            now = time.time() - self._begun, time.process_time()
            losses = [float(value) for value in values if isinstance(value, np.floating)]
            self._add(now, losses, self.trains(graph, [*targets, *fetches]))

    def end_step(self, gradients: Arrays, values: Arrays, losses: Iterable[Any] = (), kind: str = "apply") -> None:
        """Notes the end of an external optimizer's evaluation."""
        self._add((time.time() - self._begun, time.process_time()), [], True)

    def _add(self, now: Tuple[float, float], losses: List[float], trains: bool) -> None:
        with self.lock:
            record = self.record
            record.ran.append(now)
            record.losses += losses[:max(LOSSES - len(record.losses), 0)]
            if trains:
                record.trained.append(now)
                self.end_after(len(record.trained))
            elif len(record.ran) == self._steps * RUNS_PER_STEP and not record.trained:
                self.end_after(self._steps)


def _largest_memory() -> Optional[int]:
    """Returns the largest resident memory in bytes, or None. On Linux, `ru_maxrss` begins with the parent's."""
    with contextlib.suppress(OSError), open("/proc/self/status") as file:
        for line in file:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    with contextlib.suppress(ImportError):
        import resource
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return None

"""Measures the steps of a script in the script's process: when each one ends, and what it fetches.

A step is a run that trains, or an external optimizer's evaluation; in a program that does not train, it is any run.
Nothing is added to the script's runs. Several threads may run sessions; their steps are counted together.
"""

from __future__ import annotations

import contextlib
import time
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Tuple

import numpy as np

from tf1grad._compat import tf
from tf1grad.old_programs.tuning.measurements import StepTimes
from tf1grad.old_programs.verify.session_observer import SessionObserver
from tf1grad.old_programs.verify.step_numbers import Arrays

RUNS_PER_STEP = (
    100  # a program that has not trained after so many runs for each step does not train
)
LOSSES = 10_000


class StepTimer(SessionObserver):
    """Notes the time of each run since `begun`, a `time.time()`; ends the process after `steps`."""

    def __init__(self, path: str, steps: int, begun: float) -> None:
        super().__init__(path, steps, StepTimes())
        self._begun = begun

    def save(self) -> None:
        """Writes the record, with the process's memory."""
        self.record.facts["memory"] = _largest_memory()
        super().save()

    def observe_run(
        self,
        session: tf.Session,
        run: Callable[..., Any],
        targets: List[tf.Operation],
        fetches: List[tf.Tensor],
        feeds: Dict[str, Any],
        metadata: Any,
    ) -> Any:
        """Runs what the script asked for, and notes when it ended."""
        values = run(targets, fetches, metadata)
        self._note(
            session.graph,
            [op.name for op in targets] + [tensor.op.name for tensor in fetches],
            values,
        )
        return values

    def make_callable_from_options(
        self, original: Callable[..., Any], session: tf.Session, options: Any
    ) -> Callable[..., Any]:
        """Returns the script's prepared run, which notes when it ended: a `session.run` would take longer."""
        run = original(session, options)
        names = [*options.target, *(name.split(":")[0] for name in options.fetch)]

        def call(*values: Any, **kwargs: Any) -> Any:
            result = run(*values, **kwargs)
            if self.recording:
                self._note(session.graph, names, result)
            return result

        return call

    def _note(self, graph: tf.Graph, names: Sequence[str], values: Sequence[Any]) -> None:
        now = time.time() - self._begun, time.process_time()
        losses = [float(value) for value in values if isinstance(value, np.floating)]
        self._add(now, losses, self.trains(graph, names))

    def end_step(
        self, gradients: Arrays, values: Arrays, losses: Iterable[Any] = (), kind: str = "apply"
    ) -> None:
        """Notes the end of an external optimizer's evaluation."""
        self._add((time.time() - self._begun, time.process_time()), [], True)

    def _add(self, now: Tuple[float, float], losses: List[float], trains: bool) -> None:
        with self.lock:
            record = self.record
            record.ran.append(now)
            record.losses += losses[: max(LOSSES - len(record.losses), 0)]
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

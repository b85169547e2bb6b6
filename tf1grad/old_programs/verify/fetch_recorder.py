"""Records the first values that a program fetches from its sessions, without changing its runs."""

from __future__ import annotations

from typing import Any, Callable, Dict, List

import numpy as np

from tf1grad._compat import tf
from tf1grad.old_programs._samples import Sample, sample
from tf1grad.old_programs.process import run_record
from tf1grad.old_programs.verify.recorded_steps import Record
from tf1grad.old_programs.verify.session_observer import SessionObserver

KEPT = 8  # of the numbers of a value


class FetchRecorder(SessionObserver):
    """Adds the values of each `session.run` to the notes of this process, up to `run_record.FETCHES` of them."""

    def __init__(self, notes: run_record.Notes) -> None:
        super().__init__("", 0, Record())
        self._notes = notes

    def observe_run(
        self,
        session: tf.Session,
        run: Callable[..., Any],
        targets: List[tf.Operation],
        fetches: List[tf.Tensor],
        feeds: Dict[str, Any],
        metadata: Any,
    ) -> Any:
        """Runs what the program asked for, and keeps the numbers that it gets."""
        values = run(targets, fetches, metadata)
        numbers = [
            row(tensor.name, sample(value, KEPT))
            for tensor, value in zip(fetches, values)
            if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "biuf"
        ]
        self._notes.restores |= any(target.name.endswith("restore_all") for target in targets)
        with self.lock:
            if numbers and sum(map(len, self._notes.fetched)) < run_record.FETCHES:
                self._notes.fetched.append(numbers)
        return values


def row(name: str, kept: Sample) -> List[Any]:
    """Returns a name and a sample as JSON has them."""
    return [name, list(kept.shape), *kept[1:-1], list(kept.values)]

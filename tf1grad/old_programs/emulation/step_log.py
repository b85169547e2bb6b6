"""Counts training steps for the report, and writes the lines of `--trace`."""

from __future__ import annotations

import json
import math
import time
from typing import Any, Dict, List, Optional, Union

import numpy as np

from tf1grad._compat import tf


class TraceFile:
    """Writes the file of `--trace`: one JSON object per line, each as soon as its step is done."""

    def __init__(self, path: str) -> None:
        self._file, self.lines = open(path, "w"), 0
        self._previous: Optional[float] = None

    def write(self, step: int, loss: Optional[float], norm: float, optimizer: Optional[str] = None) -> None:
        """Writes a line; the optimizer has a name where there are several."""
        now = time.time()
        line: Dict[str, Any] = {"step": step, "loss": _number(loss), "global_norm": _number(norm),
                                "seconds": None if self._previous is None else now - self._previous}
        if optimizer is not None:
            line["optimizer"] = optimizer
        self._file.write(json.dumps(line, sort_keys=True) + "\n")
        self._file.flush()
        self._previous = now
        self.lines += 1


def _number(value: Optional[float]) -> Union[float, str, None]:
    """Returns a value that JSON can hold: NaN and infinities become strings."""
    return value if value is None or math.isfinite(value) else str(value)


class Recorder:
    """Counts the runs of one `apply_gradients`, with Python functions that its op calls.

    `clip` is the greatest norm that is not clipped; `recorders` the list of all, which this one joins.
    """

    def __init__(self, file: Optional[TraceFile], clip: Optional[float], recorders: List[Recorder], name: str) -> None:
        self._file, self._clip, self._recorders, self.name = file, clip, recorders, name
        self.runs = self.steps = self.clipped = 0
        self._losses: List[float] = []
        recorders.append(self)

    def number(self, global_step: Optional[tf.Variable]) -> tf.Tensor:
        """Returns the number that the step will have; -1 where no variable counts steps."""
        return tf.constant(-1, tf.int64) if global_step is None else tf.cast(global_step, tf.int64) + 1

    def seen(self, loss: Optional[tf.Tensor]) -> tf.Operation:
        """Returns the op that counts a run, and keeps its loss for the mean of the step."""
        def see(value: np.ndarray) -> np.int64:
            self.runs += 1
            self._losses.append(float(value))
            return np.int64(0)
        return tf.numpy_function(see, [_scalar(loss)], tf.int64).op

    def record(self, applied: Any, norm: tf.Tensor, number: tf.Tensor, loss: Optional[tf.Tensor]) -> Any:
        """Returns `applied`, made to record the step when all that it applies is written."""
        operation = applied if isinstance(applied, tf.Operation) else applied.op
        with tf.control_dependencies(operation.control_inputs):
            done = tf.numpy_function(self._step, [tf.cast(norm, tf.float64), number, _scalar(loss)], tf.int64)
        operation._add_control_input(done.op)  # no session has run it yet
        return applied

    def _step(self, norm: Any, number: Any, loss: Any) -> np.int64:
        self.steps += 1
        if self._losses:
            loss, self._losses = np.mean(self._losses), []
        else:
            self.runs += 1
        self.clipped += self._clip is not None and bool(norm > self._clip)
        if self._file is not None:
            self._file.write(self.steps if number < 0 else int(number), None if np.isnan(loss) else float(loss),
                             float(norm), self.name if len(self._recorders) > 1 else None)
        return np.int64(0)


def _scalar(loss: Optional[tf.Tensor]) -> tf.Tensor:
    """Returns the loss as a float64 scalar; NaN where it is not known."""
    return tf.constant(float("nan"), tf.float64) if loss is None else tf.reduce_sum(tf.cast(loss, tf.float64))

"""Ends training steps: clips, applies, counts them for the report, and writes the lines of `--trace`."""

from __future__ import annotations

import json
import math
import time
from typing import Any, Callable, Dict, List, NoReturn, Optional, Union

import numpy as np

from tf1grad._compat import tf
from tf1grad._types import GradsAndVars
from tf1grad.gradients.clip import clipped_by_global_norm
from tf1grad.gradients.transforms import global_norm

# What `tf.cond` itself adds to ops that are built in it: TF 1.15 would not count them had there been no option.
_SWITCHES = ("Switch", "RefSwitch")

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


class Step:
    """Ends the steps of one `apply_gradients`: clips, applies, records. Its caller takes it for an optimizer.

    `clip` is the greatest norm that is not clipped. Unless `every_run` is true, a run may only accumulate, and its loss
    is recorded there. `all_steps` lists all, which this one joins. `ops` counts the ops that the user's optimizer made.
    """

    def __init__(self, apply: Callable[..., Any], loss: Optional[tf.Tensor], clip: Optional[float],
                 file: Optional[TraceFile], every_run: bool, all_steps: List[Step], name: str) -> None:
        self._apply, self._loss, self._clip, self._file = apply, loss, clip, file
        self._every_run, self._all, self.name = every_run, all_steps, name
        self.ops = self.runs = self.steps = self.clipped = 0
        self._losses: List[float] = []
        all_steps.append(self)

    def compute_gradients(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Raises an error: gradients are computed before a step ends."""
        raise NotImplementedError("a step applies gradients that were computed before")

    def apply_gradients(self, grads_and_vars: GradsAndVars, global_step: Any = None,
                        name: Optional[str] = None) -> Any:
        """Returns the op of the user's optimizer, with the record of the step before it is done."""
        graph = tf.get_default_graph()
        number = tf.constant(-1, tf.int64) if global_step is None else tf.cast(global_step, tf.int64) + 1
        if self._clip is None:
            norm = global_norm(grads_and_vars)
        else:
            grads_and_vars, norm = clipped_by_global_norm(grads_and_vars, self._clip, "raise", "--clip-global-norm")
        start = graph.version
        # Losses and norms are of the variables that the gradients are of, so they are there before any is written.
        loss = self._loss if self._every_run else None
        with tf.control_dependencies([norm] if loss is None else [norm, loss]):
            applied = self._apply(grads_and_vars, global_step, name if self._every_run else self.name + "_step")
        self.ops = sum(operation.type not in _SWITCHES for operation in graph.get_operations()[start:])
        operation = applied if isinstance(applied, tf.Operation) else applied.op
        with tf.control_dependencies(operation.control_inputs):
            done = tf.numpy_function(self._record, [tf.cast(norm, tf.float64), number, _scalar(loss)], tf.int64)
        operation._add_control_input(done.op)  # no session has run it yet
        return applied

    def seen(self) -> tf.Operation:
        """Returns the op that counts a run, and keeps its loss for the mean of the step."""
        def see(value: np.ndarray) -> np.int64:
            self.runs += 1
            self._losses.append(float(value))
            return np.int64(0)
        return tf.numpy_function(see, [_scalar(self._loss)], tf.int64).op

    def _record(self, norm: Any, number: Any, loss: Any) -> np.int64:
        self.steps += 1
        if self._losses:
            loss, self._losses = np.mean(self._losses), []
        else:
            self.runs += 1
        self.clipped += self._clip is not None and bool(norm > self._clip)
        if self._file is not None:
            self._file.write(self.steps if number < 0 else int(number), None if np.isnan(loss) else float(loss),
                             float(norm), self.name if len(self._all) > 1 else None)
        return np.int64(0)


def _scalar(loss: Optional[tf.Tensor]) -> tf.Tensor:
    """Returns the loss as a float64 scalar; NaN where it is not known."""
    return tf.constant(float("nan"), tf.float64) if loss is None else tf.reduce_sum(tf.cast(loss, tf.float64))

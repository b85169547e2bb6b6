"""Applies `--accumulate`, `--clip-global-norm`, `--freeze` and `--trace` to scripts that are not edited.

The methods of `tf.train.Optimizer` and of its subclasses are wrapped in this process. The outermost `apply_gradients`
acts, and those that it calls do not act again. The order: frozen variables leave the list first, since they do not
count in a norm; micro-batches are averaged; the average is clipped, as the gradient of one large batch would be.

One thread builds the graph at a time.
"""

from __future__ import annotations

import json
import math
import time
from typing import Any, Callable, Dict, Iterable, List, NoReturn, Optional, Set, Tuple, Union

import numpy as np

from tf1grad._compat import tf, variable_key
from tf1grad._types import GradsAndVars, Pairs
from tf1grad.freezing import freeze as freezing
from tf1grad.gradients.apply import once_computed
from tf1grad.gradients.clip import clipped_by_global_norm
from tf1grad.gradients.grads_and_vars import check_grads_and_vars
from tf1grad.gradients.selection import select
from tf1grad.gradients.transforms import global_norm
from tf1grad.old_programs.process import patches
from tf1grad.old_programs.process.messages import counted
from tf1grad.old_programs.process.optimizer_classes import call_with_optimizer_classes
from tf1grad.old_programs.seeds import op_counts
from tf1grad.optimizers.accumulating import AccumulatingOptimizer
from tf1grad.optimizers.wrapped import WrappedOptimizer

# What `tf.cond` itself adds to ops that are built in it: TF 1.15 would not count them had there been no option.
_SWITCHES = ("Switch", "RefSwitch")


def install(
    accumulate: Optional[int] = None,
    clip_global_norm: Optional[float] = None,
    freeze: Iterable[str] = (),
    trace: Optional[str] = None,
) -> _Options:
    """Makes every optimizer of this process act on the options; returns an object whose `report()` says what was done.

    Each step writes a line of JSON to `trace`: `step`; `loss`, the mean over the micro-batches, null where it is not
    known; `global_norm` before it is clipped; `seconds` since the line before; `optimizer` where there are several.
    """
    options = _Options(accumulate, clip_global_norm, list(freeze), trace)
    if (
        accumulate is not None
        or clip_global_norm is not None
        or options.freeze
        or trace is not None
    ):
        call_with_optimizer_classes(
            options.wrap,
            "--accumulate, --clip-global-norm, --freeze and --trace act on their steps",
        )
    return options


class _Options:
    """Holds the options, the losses that are known, and what was done."""

    def __init__(
        self,
        accumulate: Optional[int],
        clip_global_norm: Optional[float],
        freeze: List[str],
        trace: Optional[str],
    ) -> None:
        self.accumulate, self.clip, self.freeze, self.trace = (
            accumulate,
            clip_global_norm,
            freeze,
            trace,
        )
        self.file = TraceFile(trace) if trace is not None else None
        self.steps: List[Step] = []
        self.frozen: Dict[str, Set[Any]] = {}
        self.losses: List[Tuple[tf.Tensor, Set[Any]]] = []
        self.acting = False

    def wrap(self, optimizer_class: Any) -> None:
        """Wraps the methods that `optimizer_class` defines itself."""
        # The library's own wrappers hand on to an inner optimizer, inside whatever decides that it applies: it acts.
        if not issubclass(optimizer_class, WrappedOptimizer):
            for name, around in (
                ("apply_gradients", self._act),
                ("compute_gradients", self._remember),
            ):
                if name in vars(optimizer_class):
                    patches.wrap(optimizer_class, name, around, reason="")

    def report(self) -> List[str]:
        """Returns a line for each option, on what it did."""
        runs, steps, clipped = [
            sum(getattr(step, name) for step in self.steps) for name in ("runs", "steps", "clipped")
        ]
        acted = f"acted on {counted(len(self.steps), 'optimizer')}"
        lines = [
            f"--freeze {scope}: removed {counted(len(self.frozen.get(scope, ())), 'variable')}"
            for scope in self.freeze
        ]
        if self.accumulate is not None:
            lines.append(
                f"--accumulate {self.accumulate}: {acted}, {counted(steps, 'applied step')} of "
                f"{counted(runs, 'run')}"
            )
        if self.clip is not None:
            lines.append(
                f"--clip-global-norm {self.clip:g}: {acted}, clipped {clipped} of {counted(steps, 'step')}"
            )
        if self.file:
            lines.append(f"--trace {self.trace}: {acted}, wrote {counted(self.file.lines, 'line')}")
        return lines

    def _remember(
        self,
        compute_gradients: Callable[..., Any],
        optimizer: Any,
        loss: Any,
        *args: Any,
        **kwargs: Any,
    ) -> Any:
        pairs = compute_gradients(optimizer, loss, *args, **kwargs)
        if isinstance(loss, tf.Tensor):
            self.losses.append((loss, {variable_key(variable) for _, variable in pairs}))
        return pairs

    def _act(
        self,
        apply_gradients: Callable[..., Any],
        optimizer: Any,
        grads_and_vars: GradsAndVars,
        global_step: Any = None,
        name: Optional[str] = None,
        *args: Any,
        **kwargs: Any,
    ) -> Any:
        """Applies gradients as the options say, unless an outer optimizer does."""

        def apply(pairs: GradsAndVars, global_step: Any = None, name: Optional[str] = None) -> Any:
            return apply_gradients(optimizer, pairs, global_step, name, *args, **kwargs)

        pairs = list(grads_and_vars)
        if self.acting or tf.executing_eagerly() or all(gradient is None for gradient, _ in pairs):
            return apply(pairs, global_step, name)
        with patches.temporarily(self, "acting", True):
            pairs = check_grads_and_vars(pairs, "apply_gradients")
            loss = self._loss_of(pairs)
            if self.freeze:
                pairs = self._without_frozen(pairs)
            if self.accumulate is None and self.clip is None and not self.file:
                return apply(pairs, global_step, name)
            step = Step(self, apply, loss, name or optimizer.get_name())
            self.steps.append(step)
            with op_counts.uncounted():
                applied = self._applied(step, pairs, global_step, name)
            op_counts.shift(
                tf.get_default_graph(), step.ops
            )  # for seeds, ops that the optimizer itself makes count
            step.name = getattr(applied, "op", applied).name
            return applied

    def _applied(self, step: Step, pairs: Pairs, global_step: Any, name: Optional[str]) -> Any:
        if self.accumulate is None:
            return step.apply_gradients(pairs, global_step, name)
        with once_computed(pairs):
            seen = step.seen()
        with tf.control_dependencies([seen]):
            return AccumulatingOptimizer(step, self.accumulate).apply_gradients(
                pairs, global_step, step.name
            )

    def _loss_of(self, pairs: GradsAndVars) -> Optional[tf.Tensor]:
        """Returns the last loss in this graph that was differentiated by all these variables; None without one."""
        variables = {variable_key(variable) for _, variable in pairs}
        graph = tf.get_default_graph()
        return next(
            (
                loss
                for loss, known in reversed(self.losses)
                if variables <= known and loss.graph is graph
            ),
            None,
        )

    def _without_frozen(self, pairs: Pairs) -> Pairs:
        variables = [variable for _, variable in pairs]
        known = {variable_key(variable) for variable in variables}
        others = [
            variable for variable in tf.trainable_variables() if variable_key(variable) not in known
        ]
        frozen: Set[Any] = set()
        for scope in self.freeze:
            chosen = {
                variable_key(variable) for variable in select(scope, variables + others, "--freeze")
            } & known
            self.frozen.setdefault(scope, set()).update(chosen)
            frozen |= chosen
        here = [variable for variable in variables if variable_key(variable) in frozen]
        return freezing.without(pairs, here) if here else pairs


class Step:
    """Ends the steps of one `apply_gradients`: clips, applies, records. Its caller takes it for an optimizer.

    A run of an accumulating step may only accumulate, and its loss is recorded there. `ops` counts the ops that the
    user's optimizer made.
    """

    def __init__(
        self, options: _Options, apply: Callable[..., Any], loss: Optional[tf.Tensor], name: str
    ) -> None:
        self._options, self._apply, self._loss, self.name = options, apply, loss, name
        self.ops = self.runs = self.steps = self.clipped = 0
        self._losses: List[float] = []

    def compute_gradients(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Raises an error: gradients are computed before a step ends."""
        raise NotImplementedError("a step applies gradients that were computed before")

    def apply_gradients(
        self, grads_and_vars: GradsAndVars, global_step: Any = None, name: Optional[str] = None
    ) -> Any:
        """Returns the op of the user's optimizer, with the record of the step before it is done."""
        graph = tf.get_default_graph()
        number = (
            tf.constant(-1, tf.int64) if global_step is None else tf.cast(global_step, tf.int64) + 1
        )
        clip = self._options.clip
        if clip is None:
            norm = global_norm(grads_and_vars)
        else:
            grads_and_vars, norm = clipped_by_global_norm(
                grads_and_vars, clip, "raise", "--clip-global-norm"
            )
        start = graph.version
        # Losses and norms are of the variables that the gradients are of, so they are there before any is written.
        is_alone = self._options.accumulate is None
        loss = self._loss if is_alone else None
        with tf.control_dependencies([norm] if loss is None else [norm, loss]):
            applied = self._apply(
                grads_and_vars, global_step, name if is_alone else self.name + "_step"
            )
        self.ops = sum(
            operation.type not in _SWITCHES for operation in graph.get_operations()[start:]
        )
        operation = applied if isinstance(applied, tf.Operation) else applied.op
        with tf.control_dependencies(operation.control_inputs):
            done = tf.numpy_function(
                self._record, [tf.cast(norm, tf.float64), number, _scalar(loss)], tf.int64
            )
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
        clip, file = self._options.clip, self._options.file
        self.clipped += clip is not None and bool(norm > clip)
        if file is not None:
            file.write(
                self.steps if number < 0 else int(number),
                None if np.isnan(loss) else float(loss),
                float(norm),
                self.name if len(self._options.steps) > 1 else None,
            )
        return np.int64(0)


def _scalar(loss: Optional[tf.Tensor]) -> tf.Tensor:
    """Returns the loss as a float64 scalar; NaN where it is not known."""
    return (
        tf.constant(float("nan"), tf.float64)
        if loss is None
        else tf.reduce_sum(tf.cast(loss, tf.float64))
    )


class TraceFile:
    """Writes the file of `--trace`: one JSON object per line, each as soon as its step is done."""

    def __init__(self, path: str) -> None:
        self._file, self.lines = open(path, "w"), 0
        self._previous: Optional[float] = None

    def write(
        self, step: int, loss: Optional[float], norm: float, optimizer: Optional[str] = None
    ) -> None:
        """Writes a line; the optimizer has a name where there are several."""
        now = time.time()
        line: Dict[str, Any] = {
            "step": step,
            "loss": _number(loss),
            "global_norm": _number(norm),
            "seconds": None if self._previous is None else now - self._previous,
        }
        if optimizer is not None:
            line["optimizer"] = optimizer
        self._file.write(json.dumps(line, sort_keys=True) + "\n")
        self._file.flush()
        self._previous = now
        self.lines += 1


def _number(value: Optional[float]) -> Union[float, str, None]:
    """Returns a value that JSON can hold: NaN and infinities become strings."""
    return value if value is None or math.isfinite(value) else str(value)

"""Applies `--accumulate`, `--clip-global-norm` and `--freeze` to scripts that are not edited.

The methods of `tf.train.Optimizer` and of its subclasses are wrapped in this process. The outermost `apply_gradients`
acts, and those that it calls do not act again. The order: frozen variables leave the list first, since they do not
count in a norm; micro-batches are averaged; the average is clipped, as the gradient of one large batch would be.

One thread builds the graph at a time.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterable, List, NoReturn, Optional, Set

import numpy as np

from tf1grad._compat import tf, variable_key
from tf1grad._types import GradsAndVars, Pairs
from tf1grad.freezing import freeze as freezing
from tf1grad.gradients.apply import once_computed
from tf1grad.gradients.clip import clipped_by_global_norm
from tf1grad.gradients.grads_and_vars import check_grads_and_vars
from tf1grad.gradients.selection import select
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
) -> _Options:
    """Makes every optimizer of this process act on the options; `report()` of the result says what was done."""
    options = _Options(accumulate, clip_global_norm, list(freeze))
    if accumulate is not None or clip_global_norm is not None or options.freeze:
        call_with_optimizer_classes(
            options.wrap, "--accumulate, --clip-global-norm and --freeze act on their steps"
        )
    return options


class _Options:
    """Holds the options, and what was done."""

    def __init__(
        self,
        accumulate: Optional[int],
        clip_global_norm: Optional[float],
        freeze: List[str],
    ) -> None:
        self.accumulate, self.clip, self.freeze = accumulate, clip_global_norm, freeze
        self.steps: List[Step] = []
        self.frozen: Dict[str, Set[Any]] = {}
        self.acting = False

    def wrap(self, optimizer_class: Any) -> None:
        """Wraps the methods that `optimizer_class` defines itself."""
        # The library's own wrappers hand on to an inner optimizer, inside whatever decides that it applies: it acts.
        if not issubclass(optimizer_class, WrappedOptimizer):
            if "apply_gradients" in vars(optimizer_class):
                patches.wrap(optimizer_class, "apply_gradients", self._act, reason="")

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
        return lines

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
            if self.freeze:
                pairs = self._without_frozen(pairs)
            if self.accumulate is None and self.clip is None:
                return apply(pairs, global_step, name)
            step = Step(self, apply, name or optimizer.get_name())
            self.steps.append(step)
            with op_counts.uncounted():
                applied = self._applied(step, pairs, global_step, name)
            # For seeds, ops that the optimizer itself makes count.
            op_counts.shift(tf.get_default_graph(), step.ops)
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
    """Ends the steps of one `apply_gradients`: clips, applies, counts. Its caller takes it for an optimizer.

    A run of an accumulating step may only accumulate. `ops` counts the ops that the user's optimizer made.
    """

    def __init__(self, options: _Options, apply: Callable[..., Any], name: str) -> None:
        self._options, self._apply, self.name = options, apply, name
        self.ops = self.runs = self.steps = self.clipped = 0

    def compute_gradients(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Raises an error: gradients are computed before a step ends."""
        raise NotImplementedError("a step applies gradients that were computed before")

    def apply_gradients(
        self, grads_and_vars: GradsAndVars, global_step: Any = None, name: Optional[str] = None
    ) -> Any:
        """Returns the op of the user's optimizer, with the count of the step before it is done."""
        graph = tf.get_default_graph()
        clip = self._options.clip
        norms: List[tf.Tensor] = []
        if clip is not None:
            grads_and_vars, norm = clipped_by_global_norm(
                grads_and_vars, clip, "raise", "--clip-global-norm"
            )
            norms = [tf.cast(norm, tf.float64)]
        start = graph.version
        # The norm is of the variables that the gradients are of, so it is there before any is written.
        with tf.control_dependencies(norms):
            applied = self._apply(
                grads_and_vars,
                global_step,
                name if self._options.accumulate is None else self.name + "_step",
            )
        self.ops = sum(
            operation.type not in _SWITCHES for operation in graph.get_operations()[start:]
        )
        operation = applied if isinstance(applied, tf.Operation) else applied.op
        with tf.control_dependencies(operation.control_inputs):
            done = tf.numpy_function(self._count_step, norms, tf.int64)
        operation._add_control_input(done.op)  # no session has run it yet
        return applied

    def seen(self) -> tf.Operation:
        """Returns the op that counts a run."""
        return tf.numpy_function(self._count_run, [], tf.int64).op

    def _count_run(self) -> np.int64:
        self.runs += 1
        return np.int64(0)

    def _count_step(self, norm: float = 0.0) -> np.int64:
        self.steps += 1
        self.clipped += self._options.clip is not None and bool(norm > self._options.clip)
        return np.int64(0)

"""Applies `--accumulate`, `--clip-global-norm`, `--freeze` and `--trace` to scripts that are not edited.

The methods of `tf.train.Optimizer` and of its subclasses are wrapped in this process. The outermost `apply_gradients`
acts, and those that it calls do not act again. The order: frozen variables leave the list first, since they do not
count in a norm; micro-batches are averaged; the average is clipped, as the gradient of one large batch would be.

One thread builds the graph at a time.
"""

from __future__ import annotations

import contextlib
import functools
from typing import Any, Callable, Dict, Iterable, Iterator, List, NoReturn, Optional, Set, Tuple

from tf1grad._compat import tf, variable_key
from tf1grad._types import GradsAndVars, Pairs
from tf1grad.freezing import freeze as freezing
from tf1grad.gradients.apply import once_computed
from tf1grad.gradients.clip import check_threshold, clipped_by_global_norm
from tf1grad.gradients.grads_and_vars import check_grads_and_vars
from tf1grad.gradients.selection import select
from tf1grad.gradients.transforms import global_norm
from tf1grad.old_programs.emulation.step_log import Recorder, TraceFile
from tf1grad.old_programs.process import patches
from tf1grad.old_programs.process.messages import counted
from tf1grad.old_programs.process.optimizer_classes import call_with_optimizer_classes
from tf1grad.old_programs.seeds import op_counts
from tf1grad.optimizers.accumulating import AccumulatingOptimizer
from tf1grad.optimizers.wrapped import WrappedOptimizer

# What `tf.cond` itself adds to ops that are built in it: TF 1.15 would not count them had there been no option.
_SWITCHES = ("Switch", "RefSwitch")


def install(accumulate: Optional[int] = None, clip_global_norm: Optional[float] = None, freeze: Iterable[str] = (),
            trace: Optional[str] = None) -> _Options:
    """Makes every optimizer of this process act on the options; returns an object whose `report()` says what was done.

    Each step writes a line of JSON to `trace`: `step`; `loss`, the mean over the micro-batches, null where it is not
    known; `global_norm` before it is clipped; `seconds` since the line before; `optimizer` where there are several.
    """
    options = _Options(accumulate, clip_global_norm, list(freeze), trace)
    if options.any():
        call_with_optimizer_classes(functools.partial(_wrap_class, options=options),
                                    "--accumulate, --clip-global-norm, --freeze and --trace act on their steps")
    return options


class _Options:
    """Holds the options, the losses that are known, and what was done."""

    def __init__(self, accumulate: Optional[int], clip_global_norm: Optional[float], freeze: List[str],
                 trace: Optional[str]) -> None:
        if accumulate is not None and (accumulate != int(accumulate) or accumulate < 1):
            raise ValueError(f"--accumulate must be an integer of at least 1; got {accumulate!r}.")
        if clip_global_norm is not None:
            check_threshold(clip_global_norm, "--clip-global-norm")
        self.accumulate, self.clip, self.freeze, self.trace = accumulate, clip_global_norm, freeze, trace
        self.file = TraceFile(trace) if trace is not None else None
        self.recorders: List[Recorder] = []
        self.frozen: Dict[str, Set[Any]] = {}
        self.losses: List[Tuple[tf.Tensor, Set[Any]]] = []
        self.acting = False

    def any(self) -> bool:
        """Returns True where an optimizer has anything to do."""
        return bool(self.accumulate is not None or self.clip is not None or self.freeze or self.file)

    def report(self) -> List[str]:
        """Returns a line for each option, on what it did."""
        runs, steps, clipped = [sum(getattr(recorder, name) for recorder in self.recorders)
                                for name in ("runs", "steps", "clipped")]
        acted = f"acted on {counted(len(self.recorders), 'optimizer')}"
        lines = [f"--freeze {scope}: removed {counted(len(self.frozen.get(scope, ())), 'variable')}"
                 for scope in self.freeze]
        if self.accumulate is not None:
            lines.append(f"--accumulate {self.accumulate}: {acted}, {counted(steps, 'applied step')} of "
                         f"{counted(runs, 'run')}")
        if self.clip is not None:
            lines.append(f"--clip-global-norm {self.clip:g}: {acted}, clipped {clipped} of {counted(steps, 'step')}")
        if self.file:
            lines.append(f"--trace {self.trace}: {acted}, wrote {counted(self.file.lines, 'line')}")
        return lines

    @contextlib.contextmanager
    def outermost(self) -> Iterator[None]:
        """Yields a context in which the optimizers that are called are inner ones."""
        self.acting = True
        try:
            yield
        finally:
            self.acting = False

    def remember(self, compute_gradients: Callable[..., Any], optimizer: Any, loss: Any, *args: Any,
                 **kwargs: Any) -> Any:
        """Computes gradients, and keeps the loss if it is a tensor."""
        pairs = compute_gradients(optimizer, loss, *args, **kwargs)
        if isinstance(loss, tf.Tensor):
            self.losses.append((loss, {variable_key(variable) for _, variable in pairs}))
        return pairs

    def act(self, apply_gradients: Callable[..., Any], optimizer: Any, grads_and_vars: GradsAndVars,
            global_step: Any = None, name: Optional[str] = None, *args: Any, **kwargs: Any) -> Any:
        """Applies gradients as the options say, unless an outer optimizer does."""
        def apply(pairs: GradsAndVars, global_step: Any = None, name: Optional[str] = None) -> Any:
            return apply_gradients(optimizer, pairs, global_step, name, *args, **kwargs)
        pairs = list(grads_and_vars)
        if self.acting or tf.executing_eagerly() or all(gradient is None for gradient, _ in pairs):
            return apply(pairs, global_step, name)
        return _act(optimizer, apply, pairs, global_step, name, self)

    def loss_of(self, pairs: GradsAndVars) -> Optional[tf.Tensor]:
        """Returns the last loss in this graph that was differentiated by all these variables; None without one."""
        variables = {variable_key(variable) for _, variable in pairs}
        graph = tf.get_default_graph()
        return next((loss for loss, known in reversed(self.losses) if variables <= known and loss.graph is graph), None)

    def without_frozen(self, pairs: Pairs) -> Pairs:
        """Returns the pairs that are trained."""
        variables = [variable for _, variable in pairs]
        known = {variable_key(variable) for variable in variables}
        others = [variable for variable in tf.trainable_variables() if variable_key(variable) not in known]
        frozen: Set[Any] = set()
        for scope in self.freeze:
            chosen = {variable_key(variable) for variable in select(scope, variables + others, "--freeze")} & known
            self.frozen.setdefault(scope, set()).update(chosen)
            frozen |= chosen
        here = [variable for variable in variables if variable_key(variable) in frozen]
        return freezing.without(pairs, here) if here else pairs


def _wrap_class(optimizer_class: Any, options: _Options) -> None:
    """Wraps the methods that `optimizer_class` defines itself."""
    # The library's own wrappers hand on to an inner optimizer, inside whatever decides that it applies: it acts.
    if not issubclass(optimizer_class, WrappedOptimizer):
        for name, around in (("apply_gradients", options.act), ("compute_gradients", options.remember)):
            if name in vars(optimizer_class):
                patches.wrap(optimizer_class, name, around, reason="", shared=True)


def _act(optimizer: Any, apply: Callable[..., Any], pairs: GradsAndVars, global_step: Any, name: Optional[str],
         options: _Options) -> Any:
    pairs = check_grads_and_vars(pairs, "apply_gradients")
    with options.outermost():
        loss = options.loss_of(pairs)
        if options.freeze:
            pairs = options.without_frozen(pairs)
        if options.accumulate is None and options.clip is None and not options.file:
            return apply(pairs, global_step, name)
        recorder = Recorder(options.file, options.clip, options.recorders, name or optimizer.get_name())
        step = _Step(apply, recorder, options.clip, loss)
        with op_counts.uncounted():
            if options.accumulate is None:
                applied = step.apply_gradients(pairs, global_step, name)
            else:
                applied = _accumulated(step, pairs, global_step, recorder.name, options.accumulate)
        op_counts.shift(tf.get_default_graph(), step.ops)  # for seeds, ops that the optimizer itself makes count
        recorder.name = getattr(applied, "op", applied).name
        return applied


def _accumulated(step: _Step, pairs: GradsAndVars, global_step: Any, name: str, batches: int) -> Any:
    """Returns the op that accumulates."""
    step.every_run = False
    with once_computed(pairs):
        seen = step.recorder.seen(step.loss)
    with tf.control_dependencies([seen]):
        return AccumulatingOptimizer(step, batches).apply_gradients(pairs, global_step, name)


class _Step:
    """Ends a step: clips, records, applies. Its caller takes it for an optimizer.

    Unless `every_run` is true, a run may only accumulate, and its loss is recorded there. `ops` counts the ops that the
    user's optimizer made.
    """

    def __init__(self, apply: Callable[..., Any], recorder: Recorder, clip: Optional[float],
                 loss: Optional[tf.Tensor]) -> None:
        self._apply, self.recorder, self._clip, self.loss = apply, recorder, clip, loss
        self.every_run, self.ops = True, 0

    def compute_gradients(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Raises an error: gradients are computed before a step ends."""
        raise NotImplementedError("a step applies gradients that were computed before")

    def apply_gradients(self, grads_and_vars: GradsAndVars, global_step: Any = None,
                        name: Optional[str] = None) -> Any:
        """Returns the op of the user's optimizer, with the record of the step before it is done."""
        graph = tf.get_default_graph()
        number = self.recorder.number(global_step)
        if self._clip is None:
            norm = global_norm(grads_and_vars)
        else:
            grads_and_vars, norm = clipped_by_global_norm(grads_and_vars, self._clip, "raise", "--clip-global-norm")
        start = graph.version
        # Losses and norms are of the variables that the gradients are of, so they are there before any is written.
        loss = self.loss if self.every_run else None
        with tf.control_dependencies([norm] if loss is None else [norm, loss]):
            applied = self._apply(grads_and_vars, global_step, name if self.every_run else self.recorder.name + "_step")
        self.ops = sum(operation.type not in _SWITCHES for operation in graph.get_operations()[start:])
        return self.recorder.record(applied, norm, number, loss)

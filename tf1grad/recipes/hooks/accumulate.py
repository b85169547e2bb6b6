"""Accumulates gradients in a plain `session.run(loss)` loop of a MonitoredSession."""

from __future__ import annotations

import re
from typing import Any, Sequence

from tf1grad._arguments import describe
from tf1grad._compat import tf, without_dependencies
from tf1grad._types import AtEnd, Optimizer
from tf1grad.recipes.accumulation.accumulator import GradientAccumulator
from tf1grad.recipes.accumulation.apply_when_full import Accumulation
from tf1grad.recipes.gradients.train_op import as_train_op
from tf1grad.recipes.hooks.monitored import (
    MonitoredHook,
    check_global_step,
    check_graph,
    run_names,
)

AT_END = ("apply", "drop", "keep")


class AccumulateHook(MonitoredHook):
    """Turns each run that fetches the loss into a micro-batch,
    and applies on every `batches_per_step`-th.

        pairs = optimizer.compute_gradients(loss)
        accumulator = tf1grad.GradientAccumulator(pairs, loss=loss)
        hook = tf1grad.AccumulateHook(accumulator, optimizer, batches_per_step=8)
        with tf.train.MonitoredTrainingSession(hooks=[hook]) as session:
            while not session.should_stop():
                session.run(loss)

    The micro-batch is taken in the user's run, so that its input is read once. The counted fetches
    are computed before anything is written; others are not ordered with the update, as with any
    train op. To evaluate the loss without training on it, bypass the hooks:
    `session.run_step_fn(lambda step_context: step_context.session.run(loss))`.

    The window is empty after each applied step, and `CheckpointSaverHook(save_steps=...)` saves
    there. A session that opens, also after it was lost (`AbortedError`), starts with an empty
    window; with `GradientAccumulator(..., persistent=True)` it continues the window of the
    checkpoint. Each worker has a separate hook and window.

    Not thread-safe: one thread runs the session, because the hook keeps state from the start of a
    run to its end.

    Args:
        accumulator: the `GradientAccumulator`, with None and `tf.IndexedSlices` as it takes them.
            One hook each.
        optimizer: a `tf.train.Optimizer`, or anything with its `apply_gradients`. It receives the
            window's mean: to clip the whole step, give `ClippingOptimizer(optimizer, 5.0)`.
        batches_per_step: micro-batches a step, as for `AccumulatingOptimizer`: an int of at least
            1, an integer scalar tensor, or a function from `global_step` to either.
        global_step: the variable that counts applied steps; default the graph's, created if needed.
        fetches: a tensor or op, or a list: a run that fetches any of these, or `train_op`, is a
            micro-batch. All of them are computed in it. Default the accumulator's `loss`.
        at_end: the treatment of a short window when the session closes without an error or at the
            end of its input: "apply" it, "drop" it, or "keep" it for the next session. Default
            "apply"; for a persistent window "keep".
        saver: the `tf.train.Saver` of the checkpoints, where it is not in `tf.GraphKeys.SAVERS`
            (`Scaffold(saver=...)` keeps it out; `defer_build=True` lets you make it before the
            hook). If a `CheckpointSaverHook` has saved before the short window is applied, the last
            checkpoint is saved again, without its listeners.

    Attributes:
        train_op: the op that takes the micro-batch, for an `EstimatorSpec` beside
            `training_hooks=[hook]`.
        step_applied: a bool scalar: whether the run applied a step, as of `AccumulatingOptimizer`.
        average_loss: a float, the weighted mean of the losses of the last applied step, or None
            before the first.
        applied: how many steps were applied since the session opened.

    Raises:
        TypeError: an argument is of another kind.
        ValueError: `batches_per_step` is below 1, `at_end` is not one of the three or does not fit,
            the accumulator lacks a `loss` and `fetches` is not given, has a hook already, or is of
            another graph.
        RuntimeError: the graph is finalized, or eager execution is on.

    A window whose micro-batches were all left out by `drop_nonfinite` is dropped without a step.
    Where all have a `weight` of 0, runs fail as those of an `AccumulatingOptimizer`; a short window
    at the end is dropped.

    Source: the recipe with an op each to reset, accumulate and apply, as a
        `tf.train.SessionRunHook`.
    """

    def __init__(
        self,
        accumulator: GradientAccumulator,
        optimizer: Optimizer,
        batches_per_step: Any,
        global_step: tf.Variable | None = None,
        fetches: Sequence[Any] | None = None,
        at_end: AtEnd | None = None,
        saver: Any = None,
    ) -> None:
        super().__init__()
        fetches = _checked_accumulator(accumulator, fetches, self._graph)
        counted = run_names(fetches, self._graph, self._caller)
        window = accumulator.window
        self._at_end = _checked_at_end(at_end, window.persistent)
        if global_step is None:
            global_step = tf.train.get_or_create_global_step()
        self._global_step = check_global_step(global_step, self._caller)
        self._reset, self._continues = accumulator.reset, window.persistent
        accumulation = Accumulation(
            window, optimizer, self._global_step, batches_per_step, self._caller
        )
        with tf.control_dependencies(fetches if isinstance(fetches, (list, tuple)) else [fetches]):
            self._step = accumulation.run()
        self.step_applied = self._step[0]
        with tf.control_dependencies(self._step):
            self.train_op = as_train_op(tf.no_op(window.name + "train_op"))
        with without_dependencies():
            self._flush, self._totals = accumulation.flush(), window.totals()
        self._counted, self._saver = counted | {self.train_op.name}, saver
        self._run_by_hook = {accumulator.accumulate.name: "accumulator.accumulate"}
        self._has_loss = accumulator.loss is not None
        window.hooked = True

    def begin(self) -> None:
        super().begin()
        self.average_loss: float | None = None
        self.applied = 0

    def after_create_session(self, session: tf.Session, coord: tf.train.Coordinator) -> None:
        super().after_create_session(session, coord)
        if not self._continues:
            session.run(self._reset)

    def before_run(self, run_context: tf.train.SessionRunContext) -> tf.train.SessionRunArgs | None:
        super().before_run(run_context)
        if not self._takes_part(run_context):
            return None
        return tf.train.SessionRunArgs(self._step)

    def after_run(
        self, run_context: tf.train.SessionRunContext, run_values: tf.train.SessionRunValues
    ) -> None:
        if run_values.results is not None:
            self._note(*run_values.results)

    def end(self, session: tf.Session) -> None:
        super().end(session)
        before, totals = session.run([self._global_step, self._totals])
        if not totals[0]:
            return
        if self._at_end == "apply":
            self._note(session.run(self._flush), totals)
        elif self._at_end == "drop":
            session.run(self._reset)
        self._save_again(session, before)

    def _note(self, applied: bool, totals: Any) -> None:
        if applied:
            self.applied += 1
            self.average_loss = float(totals[2] / totals[1]) if self._has_loss else None

    def _save_again(self, session: tf.Session, before: int) -> None:
        """Saves again where a CheckpointSaverHook, which ended first,
        has saved the previous step.
        """
        for saver in (
            [self._saver] if self._saver else self._graph.get_collection(tf.GraphKeys.SAVERS)
        ):
            saved = re.match(f"(.*)-{before}$", (saver.last_checkpoints or [""])[-1])
            if saved:
                saver.save(
                    session, saved.group(1), global_step=self._global_step, write_meta_graph=False
                )


def _checked_accumulator(accumulator: object, fetches: object, graph: tf.Graph) -> Any:
    """Checks the arguments; returns `fetches`, or the accumulator's loss."""
    if not isinstance(accumulator, GradientAccumulator):
        raise TypeError(
            "AccumulateHook: accumulator must be a tf1grad.GradientAccumulator; got "
            f"{describe(accumulator)}. The train op of an AccumulatingOptimizer needs no hook."
        )
    name = f"the accumulator {accumulator.window.name}"
    check_graph(accumulator.reset, graph, "AccumulateHook", name)
    if accumulator.window.hooked:
        raise ValueError(
            f"AccumulateHook: {name} has a hook already; with two, each micro-batch would count twice."
        )
    if fetches is None and accumulator.loss is None:
        raise ValueError(
            "AccumulateHook: which runs are micro-batches? Build GradientAccumulator(grads_and_vars, "
            "loss=loss) for those that fetch the loss, or pass fetches=[...]."
        )
    return accumulator.loss if fetches is None else fetches


def _checked_at_end(at_end: AtEnd | None, persistent: bool) -> AtEnd:
    if at_end is None:
        return "keep" if persistent else "apply"
    if at_end not in AT_END:
        raise ValueError(f"AccumulateHook: at_end must be one of {AT_END}; got {at_end!r}.")
    if at_end == "keep" and not persistent:
        raise ValueError(
            'AccumulateHook: at_end="keep" keeps a window that checkpoints hold: build '
            "GradientAccumulator(..., persistent=True)."
        )
    return at_end

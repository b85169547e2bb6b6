"""Holds a window of micro-batches: a variable for the sum of each gradient, and ops that reset,
accumulate and read.

It differs from the textbook's recipe in four ways:

1. The sums are weighted. They are divided by the sum of the weights when they are read. A
   micro-batch of weight 0 adds nothing to them, whatever its gradient.
2. The first micro-batch of a window overwrites the old sums. So `reset` writes three numbers.
3. Nothing is written before the whole micro-batch is computed: see `Window.after_micro_batch`.
4. A lock keeps the runs of other threads out while a run reads or writes the sums: see
   `Window.build_locked`.

`GradientAccumulator`, its `step`, `AccumulatingOptimizer` and `AccumulateHook` share it.
"""

from __future__ import annotations

from typing import Any, Callable, ContextManager, Iterable

from tf1grad._arguments import scalar
from tf1grad._compat import (
    control_dependencies_here,
    operation,
    tf,
    v1_control_flow,
    without_dependencies,
)
from tf1grad._types import GradsAndVars, Pairs, Reduction, ScalarLike
from tf1grad.recipes.accumulation.micro_batch import (
    check_reduction,
    check_weight,
    increment,
    prepare_gradient,
)
from tf1grad.recipes.accumulation.step_lock import StepLock
from tf1grad.recipes.accumulation.stores import store_for
from tf1grad.recipes.gradients.grads_and_vars import check_grads_and_vars, components, merged
from tf1grad.recipes.gradients.guard_registry import obeying_guards
from tf1grad.recipes.gradients.guarded_gradients import find_guard
from tf1grad.recipes.gradients.transforms import cast, scaled
from tf1grad.recipes.sessions.exclusive import Exclusive
from tf1grad.recipes.sessions.graph_assertions import assert_in_run
from tf1grad.recipes.sessions.per_session import PerSession
from tf1grad.recipes.sessions.state_variables import (
    counting_variable,
    read_or_zeros,
    zero_with_initializers,
)
from tf1grad.recipes.sessions.writes import ancestors


class Window:
    """The sums of a window, and the micro-batch that the current run would add to them.

    A micro-batch that its guard drops (see `drop_nonfinite`) has the weight 0, and its loss does
    not count.

    Args: as those of `tf1grad.GradientAccumulator`; `caller` is the name that error messages start
        with.

    Attributes:
        loss: the micro-batch's loss as a tensor, or None.
        guarded: whether a guard may leave micro-batches out, so that a window without any weight is
            not a mistake.
        persistent: whether the window is saved with the global variables.
        hooked: whether an `AccumulateHook` runs it.
        around: the control dependencies that were around its making.
        step_locks: a `StepLock` for each session.
    """

    def __init__(
        self,
        grads_and_vars: GradsAndVars,
        caller: str,
        loss: tf.Tensor | None = None,
        weight: ScalarLike | None = None,
        reduction: Reduction = "mean",
        dense: bool = False,
        persistent: bool = False,
        name: str = "accumulator",
        use_locking: bool = True,
    ) -> None:
        check_reduction(reduction, caller)
        pairs = check_grads_and_vars(grads_and_vars, caller)
        self.around = control_dependencies_here()
        guard = find_guard(grads_and_vars, pairs)
        self.guarded = guard is not None
        self.persistent, self.hooked = persistent, False
        self.step_locks = PerSession(lambda session: StepLock())
        self.variables = [variable for _, variable in pairs]
        self._caller, self._reduction = caller, reduction
        with tf.name_scope(name) as self.name:
            self.loss = None if loss is None else scalar(loss, caller, "loss")
            weight = None if weight is None else check_weight(weight, caller)
            # A micro-batch that the guard drops has the weight 0.
            if guard is not None:
                weight = guard.keep(tf.constant(1, tf.float64) if weight is None else weight)
            self._gradients = [
                prepare_gradient(gradient, variable, weight, dense) for gradient, variable in pairs
            ]
            self._increment = increment(self.loss, weight)
            self._lock = Exclusive(persistent) if use_locking else None
            self._totals = counting_variable("totals", [3], tf.float64, persistent)
            self._stores = [
                store_for(gradient, variable, persistent)
                for gradient, variable in zip(self._gradients, self.variables)
            ]
            # A persistent window is initialized or restored with the global variables.
            if not persistent:
                zero_with_initializers(self._totals, self.variables)

    def totals(self) -> tf.Tensor:
        """Returns `[count, weight, weighted loss]` so far, float64;
        zeros where nothing was accumulated.
        """
        return read_or_zeros(self._totals)

    def average_loss(self, totals: tf.Tensor) -> tf.Tensor:
        """Returns the weighted mean of the losses behind `totals`; NaN where there are none."""
        dtype = tf.float64 if self.loss is None else self.loss.dtype.base_dtype
        return tf.cast(totals[2] / totals[1], dtype, name="average_loss")

    def reset(self) -> tf.Tensor:
        """Empties the window; returns the new totals, which are zeros."""
        return self._set_totals(tf.zeros([3], tf.float64))

    def accumulate(self, opens: tf.Tensor | None = None) -> tf.Tensor:
        """Adds the current micro-batch; returns the totals with it,
        a tensor that waits until all sums are written.

        If `opens`, a bool scalar, is True, the micro-batch begins a new window.
        """
        totals = (
            self.totals()
            if opens is None
            else tf.where(opens, tf.zeros([3], tf.float64), self.totals())
        )
        empty = tf.equal(totals[0], 0)
        with tf.control_dependencies(
            [
                store.accumulate(gradient, empty)
                for store, gradient in zip(self._stores, self._gradients)
                if store is not None
            ]
        ):
            return self._set_totals(totals + self._increment)

    def _set_totals(self, totals: tf.Tensor) -> tf.Tensor:
        with tf.control_dependencies([operation(self._totals.assign(totals))]):
            return tf.identity(totals)

    def grads_and_vars(self) -> Pairs:
        """Returns the reduced gradients so far. Reading a window without
        any weight fails the run.
        """
        return self.reduce(*self.read())

    def read(self) -> tuple[tf.Tensor, list[Any]]:
        """Returns the totals and the sums so far, for `reduce`.
        Reading a window without any weight fails the run.
        """
        totals = self.totals()
        message = (
            f"nothing was accumulated in the window {self.name}, or only weights of 0: run `accumulate` before "
            "gradients are read or applied. Count, weight, loss:"
        )
        # A mean does not exist without weights, and a sum of zeros would move an Adam.
        has_weight = totals[1] > 0
        with tf.control_dependencies(
            [assert_in_run(has_weight, self._caller, message, [totals], "nothing_was_accumulated")]
        ):
            sums = [None if store is None else store.read() for store in self._stores]
            return tf.identity(totals), sums

    def reduce(self, totals: tf.Tensor, sums: list[Any]) -> Pairs:
        """Returns pairs of the reduced gradients, made of totals and sums that were read.

        A row of a sparse gradient may come several times, except where a cast would round each of
        them.
        """
        factor = 1 / totals[1] if self._reduction == "mean" else None
        pairs = []
        for gradient, summed, variable in zip(self._gradients, sums, self.variables):
            dtype = variable.dtype.base_dtype
            if isinstance(gradient, tf.IndexedSlices):
                # The store keeps rows and indices alone.
                summed = tf.IndexedSlices(summed.values, summed.indices, gradient.dense_shape)
                if summed.dtype != dtype:
                    summed = merged(summed)
            pairs.append((cast(scaled(summed, factor), dtype), variable))
        return pairs

    def build_locked(self, build: Callable[[], Any]) -> Any:
        """Returns the tensors that `build()` makes; one run at a time executes their ops."""
        # `build` may apply guarded gradients: a dropped micro-batch has the weight 0.
        with v1_control_flow(), obeying_guards():
            return self._lock.build_locked(build) if self._lock else build()

    def outside_micro_batch(self) -> ContextManager[Any]:
        """Returns a context in which ops do not wait for what the
        window's micro-batch waits for.
        """
        return without_dependencies(self.around)

    def is_open(self) -> tf.Tensor:
        """Returns a bool scalar: whether a micro-batch is in the window."""
        return self.totals()[0] > 0

    def is_computed_from(self, tensors: Iterable[tf.Tensor]) -> bool:
        """Says whether the gradients, weight or loss of its micro-batches are computed
        from any of these tensors.
        """
        sources = ancestors(tensor.op for tensor in components(self._gradients) + [self._increment])
        return not sources.isdisjoint(tensor.op for tensor in tensors)

    def after_micro_batch(self) -> ContextManager[Any]:
        """Returns a context in which ops run after the micro-batch's gradients,
        loss and weight are computed.

        Open it around `build_locked`, never inside. A failure in any of them then leaves the window
        as it was. On ref variables, no gradient is computed from values that are already being
        updated. If another fetch of the same run fails, the run may stop halfway through the sums:
        run `reset`.
        """
        return tf.control_dependencies(components(self._gradients) + [self._increment])

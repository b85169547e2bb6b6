"""A list of (gradient, variable) pairs that also knows whether it may be applied."""

from __future__ import annotations

from typing import Any, Optional

from tf1grad._compat import in_one_of_several_replicas, scales_the_loss, tf, v1_control_flow
from tf1grad._types import GradsAndVars, Optimizer, Pairs
from tf1grad.gradients.apply import apply_gradients, current_scope, once_computed
from tf1grad.gradients.synchronized import check_not_synchronized
from tf1grad.gradients.train_op import as_train_op, part_of_a_train_op


class GuardedGradients(list):  # type: ignore[type-arg]
    """Pairs made by `drop_nonfinite`, or by a clip with `nonfinite="skip"`: zeros in a run where `finite` is False.

    It is an ordinary list of pairs, and tf1grad's transforms hand its guard on. On a micro-batch, `keep` takes the
    weight and the loss out of the window with the gradients; on a step, `apply` replaces `optimizer.apply_gradients`.
    (A zero gradient is not a skipped step: Adam and Momentum move on it.)

    Attributes:
        finite: a scalar bool tensor: whether this run's gradients are whole.
        dropped: a scalar int64 tensor: in how many runs so far they were not. A run counts when it computes any of
            the gradients, once, also when threads run at the same time; fetch the count in a run of its own.
    """

    def __init__(self, pairs: GradsAndVars, finite: tf.Tensor, dropped: tf.Tensor) -> None:
        super().__init__(pairs)
        self.finite = finite
        self.dropped = dropped

    def keep(self, tensor: Any) -> tf.Tensor:
        """`tensor` where the gradients are whole, zeros of its shape where they are not.

        Args:
            tensor: a tensor, or what converts to one: a micro-batch's weight or loss.
        """
        tensor = tf.convert_to_tensor(tensor)
        return tf.where(self.finite, tensor, tf.zeros_like(tensor))

    def apply(self, optimizer: Optimizer, global_step: Optional[tf.Variable] = None,
              name: Optional[str] = None) -> tf.Operation:
        """Applies the gradients where they are whole; elsewhere no variable, slot, beta power or `global_step` moves.

        All gradients are computed before any variable is written. `None` goes to the optimizer as it is.

        Args:
            optimizer: a `tf.train.Optimizer`.
            global_step: a variable to increment by one in a run that applies.
            name: the name of the op.

        Returns:
            The op that applies.

        Raises:
            ValueError: skipping would go wrong: around a `MixedPrecisionLossScaleOptimizer`, inside a
                `SyncReplicasOptimizer`, or in one replica of a `tf.distribute` strategy.
        """
        if scales_the_loss(optimizer):
            raise ValueError("GuardedGradients.apply: a step that is skipped here never reaches "
                             f"{type(optimizer).__name__}, which would not lower its scale. It skips such steps "
                             "itself: give it the gradients without drop_nonfinite or nonfinite=\"skip\".")
        if in_one_of_several_replicas():
            raise ValueError("GuardedGradients.apply: a replica of a tf.distribute strategy cannot skip a step by "
                             "itself. MixedPrecisionLossScaleOptimizer skips it in all of them.")
        check_not_synchronized(self, "A step that is skipped where gradients are not finite")
        scope = current_scope()

        def applied() -> tf.Operation:
            with tf.name_scope(scope):
                return apply_gradients(optimizer, list(self), global_step)

        with once_computed(self):
            finite = tf.identity(self.finite)
        with v1_control_flow(), part_of_a_train_op():
            conditional = tf.cond(finite, applied, tf.no_op, name=name or "apply_if_finite")
        return as_train_op(conditional.op)


def hand_on_guard(source: GradsAndVars, pairs: Pairs) -> Pairs:
    """`pairs`, under the guard of the list that they were made from, if it had one."""
    return GuardedGradients(pairs, source.finite, source.dropped) if isinstance(source, GuardedGradients) else pairs


def apply_guarded(optimizer: Optimizer, grads_and_vars: GradsAndVars, global_step: Optional[tf.Variable] = None,
                  name: Optional[str] = None) -> tf.Operation:
    """Applies pairs, under their guard if they have one."""
    if isinstance(grads_and_vars, GuardedGradients):
        return grads_and_vars.apply(optimizer, global_step, name)
    return apply_gradients(optimizer, grads_and_vars, global_step, name)

"""Holds `GuardedGradients`, a list of (gradient,
variable) pairs that also knows in which runs it may be applied.
"""

from __future__ import annotations

import functools
from typing import Sequence

from tf1grad._compat import in_one_of_several_replicas, scales_the_loss, tf, v1_control_flow
from tf1grad._types import GradsAndVars, Optimizer, Pairs
from tf1grad.recipes.gradients.apply import (
    after_gradients,
    applied_after,
    apply_gradients,
    apply_part,
    current_scope,
)
from tf1grad.recipes.gradients.grads_and_vars import check_grads_and_vars
from tf1grad.recipes.gradients.guard_registry import DROPPED, FINITE, guards_of
from tf1grad.recipes.gradients.synchronized import check_not_synchronized
from tf1grad.recipes.gradients.train_op import as_train_op
from tf1grad.recipes.sessions.exclusive import count_up
from tf1grad.recipes.sessions.state_variables import read_or_zeros, state_variable


class GuardedGradients(list):  # type: ignore[type-arg]
    """Pairs made by `drop_nonfinite`, or by a clip with `nonfinite="skip"`:
    zeros in a run where `finite` is False.

    On a micro-batch, a window takes the weight and the loss out with the gradients. On a step,
    `apply` replaces `optimizer.apply_gradients`, which raises ValueError. (A zero gradient is not a
    skipped step: Adam and Momentum move on it.) Optimizers that implement `apply_gradients` without
    `tf.GraphKeys.TRAIN_OP` are not checked.

    tf1grad finds the guard of a plain list too, such as `[(tf.clip_by_value(g, -1, 1), v) for g, v
    in guarded]`: it follows the graph from the gradients. One guarded gradient guards the whole
    list. The guard is also found after the graph was exported and imported. There a plain optimizer
    is checked after tf1grad was given a guarded list.

    Attributes:
        finite: a scalar bool tensor: True in a run in which all gradients are finite.
        dropped: a scalar int64 tensor: the runs so far in which they were not. A run counts once
            when it computes any of the gradients, also when threads run at the same time. Fetch the
            count in a separate run.
    """

    def __init__(self, pairs: GradsAndVars, finite: tf.Tensor, dropped: tf.Tensor) -> None:
        super().__init__(pairs)
        self.finite = finite
        self.dropped = dropped

    def keep(self, tensor: object) -> tf.Tensor:
        """Returns `tensor` in a run with finite gradients, else zeros of its shape.

        Args:
            tensor: a tensor, or what converts to one, such as a number that a program counts
                itself.
        """
        tensor = tf.convert_to_tensor(tensor)
        return tf.where(self.finite, tensor, tf.zeros_like(tensor))

    def apply(
        self,
        optimizer: Optimizer,
        global_step: tf.Variable | None = None,
        name: str | None = None,
    ) -> tf.Operation:
        """Applies finite gradients. In any other run no variable, slot,
        beta power or `global_step` moves.

        An `AccumulatingOptimizer` counts such a run as one of its window, with the weight 0, and
        applies the others if it is the last. All gradients are computed before any variable is
        written. The optimizer receives `None` gradients as `None`.

        Args:
            optimizer: a `tf.train.Optimizer`.
            global_step: a variable to increment by one in a run that applies.
            name: the name of the op.

        Returns:
            The op that applies. Its output is True in a run that applied.

        Raises:
            ValueError: skipping would go wrong: around a `MixedPrecisionLossScaleOptimizer`, inside
                a `SyncReplicasOptimizer`, or in one replica of a `tf.distribute` strategy.
        """
        if scales_the_loss(optimizer):
            raise ValueError(
                "GuardedGradients.apply: a step that is skipped here never reaches "
                f"{type(optimizer).__name__}, which would not lower its scale. It skips such steps "
                'itself: give it the gradients without drop_nonfinite or nonfinite="skip".'
            )
        if in_one_of_several_replicas():
            raise ValueError(
                "GuardedGradients.apply: one replica of a tf.distribute strategy cannot skip a step "
                "alone. MixedPrecisionLossScaleOptimizer skips it in all of them."
            )
        check_not_synchronized(self, "A step that is skipped where gradients are not finite")
        if getattr(optimizer, "accumulates", False):
            train_op = optimizer.apply_gradients(self, global_step)
            with tf.control_dependencies([train_op]):
                applied = tf.identity(optimizer.step_applied, name=name)
            return as_train_op(applied.op, instead_of=train_op)
        pairs = check_grads_and_vars(self, "GuardedGradients.apply")
        scope = current_scope()
        with after_gradients(self):
            finite = tf.identity(self.finite)
        with v1_control_flow():
            applied = tf.cond(
                finite,
                lambda: applied_after(optimizer, apply_part(optimizer, pairs, global_step, scope)),
                lambda: tf.constant(False),
                name=name or "apply_if_finite",
            )
        return as_train_op(applied.op)


def find_guard(source: GradsAndVars, pairs: GradsAndVars) -> GuardedGradients | None:
    """Returns `pairs`, made of the list `source`,
    as `GuardedGradients` where anything guards them, else None.

    The guard is that of `source`, or else the one that the pairs are computed under.
    """
    guards = [source] if isinstance(source, GuardedGradients) else guards_of(pairs)
    if not guards:
        return None
    if len(guards) > 1 or guards[0].dropped is None:
        return GuardedGradients(pairs, *count_dropped([guard.finite for guard in guards]))
    return GuardedGradients(pairs, guards[0].finite, guards[0].dropped)


def hand_on_guard(source: GradsAndVars, pairs: Pairs) -> Pairs:
    """Returns `pairs`, made of the list `source`, under its guard if there is one."""
    return find_guard(source, pairs) or pairs


def count_dropped(conditions: Sequence[tf.Tensor]) -> tuple[tf.Tensor, tf.Tensor]:
    """Returns whether all bool scalars are True,
    and the number of runs that read this and got False.
    """
    finite = functools.reduce(tf.logical_and, conditions)
    count = state_variable("dropped_gradients", [], tf.int64)
    with tf.control_dependencies([count_up(count, tf.cast(tf.logical_not(finite), tf.int64))]):
        finite = tf.identity(finite, name=FINITE)
    # What is made inside of a conditional could not be fetched.
    with tf.init_scope():
        return finite, tf.identity(read_or_zeros(count), name=DROPPED)


def apply_guarded(
    optimizer: Optimizer,
    grads_and_vars: GradsAndVars,
    global_step: tf.Variable | None = None,
    name: str | None = None,
) -> tf.Operation:
    """Applies pairs, under their guard if they have one."""
    pairs = list(grads_and_vars)
    guarded = find_guard(grads_and_vars, pairs)
    if guarded is None:
        return apply_gradients(optimizer, pairs, global_step, name)
    return guarded.apply(optimizer, global_step, name)


def apply_and_tell(
    optimizer: Optimizer,
    grads_and_vars: GradsAndVars,
    global_step: tf.Variable | None = None,
    name: str | None = None,
) -> tuple[tf.Operation, tf.Tensor]:
    """Applies pairs as `apply_guarded`; returns the op, and a bool scalar:
    whether a run of it applied a step.
    """
    pairs = hand_on_guard(grads_and_vars, list(grads_and_vars))
    train_op = apply_guarded(optimizer, pairs, global_step, name)
    if isinstance(pairs, GuardedGradients):
        return train_op, train_op.outputs[0]
    return train_op, applied_after(optimizer, train_op)

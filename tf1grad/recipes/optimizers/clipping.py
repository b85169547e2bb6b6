"""Clips gradients for code that only calls `minimize`."""

from __future__ import annotations

from tf1grad._arguments import describe
from tf1grad._compat import tf
from tf1grad._types import GradsAndVars, Nonfinite, Optimizer, ScalarLike, Transform
from tf1grad.recipes.gradients.clip import check_arguments, clip_by_global_norm
from tf1grad.recipes.gradients.grads_and_vars import check_grads_and_vars
from tf1grad.recipes.gradients.guarded_gradients import apply_and_tell, find_guard
from tf1grad.recipes.gradients.transforms import chain_of
from tf1grad.recipes.optimizers.wrapped import WrappedOptimizer


class ClippingOptimizer(WrappedOptimizer):
    """A `tf.train.Optimizer` that limits the global norm of the gradients, or transforms them,
    before it applies them.

        adam = tf.train.AdamOptimizer(1e-3)
        optimizer = tf1grad.ClippingOptimizer(adam, clip_norm=5.0)
        train_op = optimizer.minimize(loss, global_step=global_step)

    `AccumulatingOptimizer(ClippingOptimizer(optimizer))` accumulates, then clips the mean, which
    equals clipping one full batch. `ClippingOptimizer(AccumulatingOptimizer(optimizer))` clips each
    micro-batch, then accumulates; with "skip" a bad micro-batch counts as one of its window with
    the weight 0, as with `drop_nonfinite`.

    Args:
        optimizer: the inner `tf.train.Optimizer`, or anything with its `compute_gradients` and
            `apply_gradients`.
        clip_norm: the greatest global norm, a number or a scalar tensor, as in
            `clip_by_global_norm`.
        transform: instead of `clip_norm`, a function of (gradient, variable) pairs, such as a
            `chain`.
        nonfinite: what to do when the global norm is infinite or NaN, as in `clip_by_global_norm`:
            "raise", "skip" (no variable, slot, beta power or `global_step` moves on them), or
            "propagate".

    Raises:
        TypeError, ValueError: `optimizer` is not an optimizer, not exactly one of `clip_norm` and
            `transform` is given, `clip_norm` is 0, negative, NaN or not a scalar, or `nonfinite`
            is not one of the three.
        RuntimeError: eager execution is on.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        clip_norm: ScalarLike | None = None,
        transform: Transform | None = None,
        nonfinite: Nonfinite = "raise",
    ) -> None:
        super().__init__(optimizer)
        if (clip_norm is None) == (transform is None):
            raise ValueError(
                "ClippingOptimizer: give clip_norm=5.0, say, or transform=function, and not both; got "
                f"clip_norm={clip_norm!s}, transform={describe(transform)}."
            )
        if clip_norm is not None:
            check_arguments(clip_norm, nonfinite, "ClippingOptimizer")
        elif nonfinite != "raise":
            raise ValueError(
                f"ClippingOptimizer: nonfinite={nonfinite!r} goes with clip_norm. With a transform, write "
                f"clip_by_global_norm(pairs, 5.0, nonfinite={nonfinite!r})[0]."
            )
        self._transform = chain_of(
            "ClippingOptimizer",
            transform
            or (lambda pairs: clip_by_global_norm(pairs, clip_norm, nonfinite=nonfinite)[0]),
        )
        self._dropped: tf.Tensor | None = None

    @property
    def dropped(self) -> tf.Tensor:
        """Returns an int64 scalar: the skipped runs so far of the last
        `minimize` or `apply_gradients`.
        """
        if self._dropped is None:
            raise ValueError(
                'ClippingOptimizer: no runs are counted. Build it with nonfinite="skip", and call '
                "minimize or apply_gradients first."
            )
        return self._dropped

    def apply_gradients(
        self,
        grads_and_vars: GradsAndVars,
        global_step: tf.Variable | None = None,
        name: str | None = None,
    ) -> tf.Operation:
        """Returns the op that clips and applies; None stays None, IndexedSlices stay sparse.

        Args:
            grads_and_vars: (gradient, variable) pairs, as `compute_gradients` returns them.
            global_step: the variable that counts applied steps.
            name: the name of the op.
        """
        # An iterator would be used up by the check; a list may have a guard.
        if not isinstance(grads_and_vars, list):
            grads_and_vars = list(grads_and_vars)
        check_grads_and_vars(grads_and_vars, "ClippingOptimizer")
        transformed = self._transform(grads_and_vars)
        guarded = find_guard(transformed, transformed)
        self._dropped = guarded and guarded.dropped
        train_op, self._step_applied = apply_and_tell(
            self.optimizer, guarded or transformed, global_step, name
        )
        return train_op

"""Provides the gradient functions of `tf.contrib.estimator`."""

from tf1grad._types import Optimizer, ScalarLike
from tf1grad.contrib import with_original
from tf1grad.optimizers.clipping import ClippingOptimizer

__all__ = ["clip_gradients_by_norm"]


def clip_gradients_by_norm(optimizer: Optimizer, clip_norm: ScalarLike) -> Optimizer:
    """Returns an optimizer that clips gradients by their *global* norm before it applies them, as always.

    It is a `tf1grad.ClippingOptimizer`. Unlike the original it raises InvalidArgumentError, before anything is applied,
    when the norm is infinite or NaN, and sums duplicate rows of IndexedSlices. Its `get_name()` is "ClipByNorm" and the
    inner optimizer's.
    """
    return _ClipByNorm(optimizer, clip_norm)


class _ClipByNorm(ClippingOptimizer):
    def get_name(self) -> str:
        return f"ClipByNorm{self.optimizer.get_name()}"


__getattr__ = with_original("estimator", __name__)

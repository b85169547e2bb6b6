"""Provides the gradient functions of `tf.contrib.layers`."""

from tf1grad.contrib import with_original
from tf1grad.contrib.layers.adaptive_clipping import adaptive_clipping_fn
from tf1grad.contrib.layers.optimizers import (
    OPTIMIZER_CLS_NAMES,
    OPTIMIZER_SUMMARIES,
    optimize_loss,
)

__all__ = ["OPTIMIZER_CLS_NAMES", "OPTIMIZER_SUMMARIES", "adaptive_clipping_fn", "optimize_loss"]

__getattr__ = with_original("layers", __name__)

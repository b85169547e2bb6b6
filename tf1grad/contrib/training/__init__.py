"""Provides the gradient functions of `tf.contrib.training`."""

from tf1grad.contrib import with_original
from tf1grad.contrib.training.training import (
    add_gradients_summaries,
    clip_gradient_norms,
    clip_gradient_norms_fn,
    create_train_op,
    multiply_gradients,
)

__all__ = [
    "add_gradients_summaries",
    "clip_gradient_norms",
    "clip_gradient_norms_fn",
    "create_train_op",
    "multiply_gradients",
]

__getattr__ = with_original("training", __name__)

"""Provides the gradient functions of `tf.contrib.slim`."""

from tf1grad.contrib import with_original
from tf1grad.contrib.slim import learning

__all__ = ["learning"]

__getattr__ = with_original("slim", __name__)

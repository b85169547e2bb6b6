"""Provides the interfaces of `tf.contrib.opt` to optimizers outside TensorFlow."""

from tf1grad.contrib import with_original
from tf1grad.external.interface import ExternalOptimizerInterface
from tf1grad.external.scipy_interface import ScipyOptimizerInterface

__all__ = ["ExternalOptimizerInterface", "ScipyOptimizerInterface"]

__getattr__ = with_original("opt", __name__)

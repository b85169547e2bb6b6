"""The optimizers of `tf.contrib.opt` that others than TensorFlow decide."""

from tf1grad.contrib import with_original
from tf1grad.external.interface import ExternalOptimizerInterface
from tf1grad.external.scipy_interface import ScipyOptimizerInterface

__all__ = ["ExternalOptimizerInterface", "ScipyOptimizerInterface"]

__getattr__ = with_original("opt", __name__)

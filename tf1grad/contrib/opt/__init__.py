"""The optimizers of `tf.contrib.opt` that others than TensorFlow decide."""

from tf1grad.external_optimizer import ExternalOptimizerInterface
from tf1grad.scipy_optimizer import ScipyOptimizerInterface

__all__ = ["ExternalOptimizerInterface", "ScipyOptimizerInterface"]

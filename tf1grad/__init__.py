"""TensorFlow 1 session recipes for gradients, right on TF 1.15 and on the newest TF 2.x.

A training step is a list of (gradient, variable) pairs on its way from `compute_gradients` to `apply_gradients`.
Everything here takes such a list and gives such a list, or gives the ops that carry it from one run to another.
"""

from tf1grad.accumulate import GradientAccumulator
from tf1grad.accumulating_optimizer import AccumulatingOptimizer
from tf1grad.feed import FedGradients, feed_gradients
from tf1grad.split import split_batch
from tf1grad.step import AccumulatedStep

__version__ = "1.0.0"

__all__ = [
    "GradientAccumulator",
    "AccumulatedStep",
    "AccumulatingOptimizer",
    "split_batch",
    "feed_gradients",
    "FedGradients",
]

"""TensorFlow 1 session recipes for gradients, right on TF 1.15 and on the newest TF 2.x.

A training step is a list of (gradient, variable) pairs on its way from `compute_gradients` to `apply_gradients`.
Everything here takes such a list and gives such a list, or gives the ops that carry it from one run to another.
"""

from tf1grad.accumulate import GradientAccumulator
from tf1grad.accumulating_optimizer import AccumulatingOptimizer
from tf1grad.aligned import AlignedBatchCache
from tf1grad.alternate import Players, alternate
from tf1grad.batch_cache import HandleBatchCache, VariableBatchCache
from tf1grad.clip import clip_by_global_norm, clip_by_norm, clip_by_value, drop_nonfinite
from tf1grad.clipping_optimizer import ClippingOptimizer
from tf1grad.external_optimizer import ExternalOptimizerInterface
from tf1grad.feed import FedGradients, feed_gradients
from tf1grad.freeze import trainable_in, without
from tf1grad.gate import HeldGate, gate_gradient, gate_variables
from tf1grad.guarded_gradients import GuardedGradients
from tf1grad.progress import Progress, print_progress
from tf1grad.report import Report, report
from tf1grad.scipy_optimizer import ScipyOptimizerInterface
from tf1grad.split import split_batch
from tf1grad.step import AccumulatedStep
from tf1grad.summaries import summarize_gradients
from tf1grad.transforms import chain, drop_none, global_norm, map_gradients, multiply_gradients

__version__ = "1.0.0"

# In the order in which a gradient meets them.
__all__ = [
    "trainable_in",
    "without",
    "gate_gradient",
    "gate_variables",
    "HeldGate",
    "alternate",
    "Players",
    "report",
    "Report",
    "drop_none",
    "map_gradients",
    "multiply_gradients",
    "global_norm",
    "chain",
    "clip_by_value",
    "clip_by_norm",
    "clip_by_global_norm",
    "drop_nonfinite",
    "GuardedGradients",
    "summarize_gradients",
    "GradientAccumulator",
    "AccumulatedStep",
    "split_batch",
    "feed_gradients",
    "FedGradients",
    "AccumulatingOptimizer",
    "ClippingOptimizer",
    "VariableBatchCache",
    "HandleBatchCache",
    "AlignedBatchCache",
    "ExternalOptimizerInterface",
    "ScipyOptimizerInterface",
    "print_progress",
    "Progress",
]

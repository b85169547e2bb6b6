"""Where the public names are: importing this imports TensorFlow; `tf1grad` itself waits for the first name."""

from tf1grad.accumulate import GradientAccumulator
from tf1grad.accumulating_optimizer import AccumulatingOptimizer
from tf1grad.aligned import AlignedBatchCache
from tf1grad.batch_cache import HandleBatchCache, VariableBatchCache
from tf1grad.clip import clip_by_global_norm, clip_by_norm, clip_by_value, drop_nonfinite
from tf1grad.clipping_optimizer import ClippingOptimizer
from tf1grad.external_optimizer import ExternalOptimizerInterface
from tf1grad.feed import FedGradients, feed_gradients
from tf1grad.freeze import trainable_in, without
from tf1grad.gate import HeldGate, gate_gradient, gate_variables
from tf1grad.guarded_gradients import GuardedGradients
from tf1grad.hooks import (AccumulateHook, BatchCacheHook, GradientNormHook, PlayersHook,
                           StopAfterStepsHook)
from tf1grad.players import Players, alternate
from tf1grad.progress import Progress, print_progress
from tf1grad.scipy_optimizer import ScipyOptimizerInterface
from tf1grad.split import split_batch
from tf1grad.step import AccumulatedStep
from tf1grad.summaries import summarize_gradients
from tf1grad.training_report import Report, report
from tf1grad.transforms import chain, drop_none, global_norm, map_gradients, multiply_gradients

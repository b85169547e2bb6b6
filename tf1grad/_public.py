"""Where the public names are: importing this imports TensorFlow; `tf1grad` itself waits for the first name."""

from tf1grad.accumulation.accumulator import GradientAccumulator
from tf1grad.accumulation.feed import FedGradients, feed_gradients
from tf1grad.accumulation.split import split_batch
from tf1grad.accumulation.step import AccumulatedStep
from tf1grad.batches.aligned import AlignedBatchCache
from tf1grad.batches.cache import HandleBatchCache, VariableBatchCache
from tf1grad.external.interface import ExternalOptimizerInterface
from tf1grad.external.progress import Progress, print_progress
from tf1grad.external.scipy_interface import ScipyOptimizerInterface
from tf1grad.freezing.freeze import trainable_in, without
from tf1grad.freezing.gate import HeldGate, gate_gradient, gate_variables
from tf1grad.freezing.players import Players, alternate
from tf1grad.freezing.training_report import Report, report
from tf1grad.gradients.clip import clip_by_global_norm, clip_by_norm, clip_by_value, drop_nonfinite
from tf1grad.gradients.guarded import GuardedGradients
from tf1grad.gradients.summaries import summarize_gradients
from tf1grad.gradients.transforms import chain, drop_none, global_norm, map_gradients, multiply_gradients
from tf1grad.hooks import AccumulateHook, BatchCacheHook, GradientNormHook, PlayersHook, StopAfterStepsHook
from tf1grad.optimizers.accumulating import AccumulatingOptimizer
from tf1grad.optimizers.clipping import ClippingOptimizer
from tf1grad.sessions.fast import fast_session

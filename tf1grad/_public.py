"""Imports all public names, and so TensorFlow;
`tf1grad` itself imports this module at the first use of a name.

`X as X` tells type checkers that a name is re-exported.
"""

from tf1grad.recipes.accumulation.accumulator import GradientAccumulator as GradientAccumulator
from tf1grad.recipes.accumulation.feed import (
    FedGradients as FedGradients,
    feed_gradients as feed_gradients,
)
from tf1grad.recipes.accumulation.split import split_batch as split_batch
from tf1grad.recipes.accumulation.step import AccumulatedStep as AccumulatedStep
from tf1grad.recipes.batches.cache import (
    HandleBatchCache as HandleBatchCache,
    VariableBatchCache as VariableBatchCache,
)
from tf1grad.recipes.external.interface import (
    ExternalOptimizerInterface as ExternalOptimizerInterface,
)
from tf1grad.recipes.external.progress import Progress as Progress, print_progress as print_progress
from tf1grad.recipes.external.scipy_interface import (
    ScipyOptimizerInterface as ScipyOptimizerInterface,
)
from tf1grad.recipes.freezing.freeze import trainable_in as trainable_in, without as without
from tf1grad.recipes.freezing.gate import (
    HeldGate as HeldGate,
    gate_gradient as gate_gradient,
    gate_variables as gate_variables,
)
from tf1grad.recipes.freezing.players import Players as Players, alternate as alternate
from tf1grad.recipes.freezing.training_report import Report as Report, report as report
from tf1grad.recipes.gradients.clip import (
    clip_by_global_norm as clip_by_global_norm,
    clip_by_norm as clip_by_norm,
    clip_by_value as clip_by_value,
    drop_nonfinite as drop_nonfinite,
)
from tf1grad.recipes.gradients.guarded_gradients import GuardedGradients as GuardedGradients
from tf1grad.recipes.gradients.summaries import summarize_gradients as summarize_gradients
from tf1grad.recipes.gradients.transforms import (
    chain as chain,
    drop_none as drop_none,
    global_norm as global_norm,
    map_gradients as map_gradients,
    multiply_gradients as multiply_gradients,
)
from tf1grad.recipes.hooks.accumulate import AccumulateHook as AccumulateHook
from tf1grad.recipes.hooks.alternating import PlayersHook as PlayersHook
from tf1grad.recipes.hooks.batch_cache import BatchCacheHook as BatchCacheHook
from tf1grad.recipes.hooks.gradient_norm import GradientNormHook as GradientNormHook
from tf1grad.recipes.hooks.stop_after_steps import StopAfterStepsHook as StopAfterStepsHook
from tf1grad.recipes.optimizers.accumulating import AccumulatingOptimizer as AccumulatingOptimizer
from tf1grad.recipes.optimizers.clipping import ClippingOptimizer as ClippingOptimizer
from tf1grad.recipes.sessions.fast_sessions import fast_session as fast_session

"""Provides the recipes as hooks for `tf.train.MonitoredSession` and `MonitoredTrainingSession`.

The constructors build the ops, before the session finalizes the graph. The hooks start over when a lost session is
replaced. Their own runs bypass the session's hooks, so that they do not count as the user's runs.
"""

from tf1grad.hooks.accumulate import AccumulateHook
from tf1grad.hooks.alternating import PlayersHook
from tf1grad.hooks.batch_cache import BatchCacheHook
from tf1grad.hooks.gradient_norm import GradientNormHook
from tf1grad.hooks.stop_after_steps import StopAfterStepsHook

__all__ = [
    "AccumulateHook",
    "BatchCacheHook",
    "PlayersHook",
    "GradientNormHook",
    "StopAfterStepsHook",
]

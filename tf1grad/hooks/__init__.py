"""The steps that gradients take, as hooks for `tf.train.MonitoredSession` and `MonitoredTrainingSession`.

They build their ops when they are made, before the session finalizes the graph, and start over when it is lost and made
anew. What they ask of the session beside the user's run goes past the hooks, so that none of it counts as a run.
"""

from tf1grad.hooks.accumulate import AccumulateHook
from tf1grad.hooks.alternating import PlayersHook
from tf1grad.hooks.batch_cache import BatchCacheHook
from tf1grad.hooks.gradient_norm import GradientNormHook
from tf1grad.hooks.stop_after_steps import StopAfterStepsHook

__all__ = ["AccumulateHook", "BatchCacheHook", "PlayersHook", "GradientNormHook", "StopAfterStepsHook"]

"""TensorFlow 1 session recipes for gradients, right on TF 1.15 and on the newest TF 2.x.

A training step is a list of (gradient, variable) pairs on its way from `compute_gradients` to `apply_gradients`.
Everything here takes such a list and gives such a list, or gives the ops that carry it from one run to another.

Which variables train:      trainable_in, without, gate_gradient, gate_variables, HeldGate, alternate, report
Pairs in, pairs out:        drop_none, map_gradients, multiply_gradients, chain, clip_by_value, clip_by_norm,
                            clip_by_global_norm, global_norm, drop_nonfinite, summarize_gradients
One step of many runs:      GradientAccumulator, split_batch, feed_gradients
Behind `minimize`:          AccumulatingOptimizer, ClippingOptimizer
One batch, many runs:       HandleBatchCache, VariableBatchCache, AlignedBatchCache
SciPy decides the step:     ScipyOptimizerInterface, ExternalOptimizerInterface, print_progress
In monitored sessions:      AccumulateHook, BatchCacheHook, PlayersHook, GradientNormHook, StopAfterStepsHook
Sessions:                   fast_session
What some of them return:   AccumulatedStep, FedGradients, GuardedGradients, Players, Progress, Report

Old names, at their old paths, are in `tf1grad.contrib`. `python -m tf1grad --help` lists the commands.
"""

from typing import TYPE_CHECKING, Any, List

if TYPE_CHECKING:
    from tf1grad._public import *  # noqa: F403 - for what reads this without running it; see __getattr__

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
    "AccumulateHook",
    "BatchCacheHook",
    "PlayersHook",
    "GradientNormHook",
    "StopAfterStepsHook",
    "fast_session",
]


if not TYPE_CHECKING:  # a checker of types would take any name for one that this knows
    def __getattr__(name):
        # The commands (`python -m tf1grad`) must be able to set TensorFlow up before it is imported.
        if name not in __all__:
            import difflib
            near = difflib.get_close_matches(name, __all__, 1)
            hint = f". Did you mean {near[0]}?" if near else ""
            raise AttributeError(f"module 'tf1grad' has no attribute {name!r}{hint}")
        from tf1grad import _public
        return getattr(_public, name)


def load_ipython_extension(ipython: Any) -> None:
    """What `%load_ext tf1grad` calls: the rest of the notebook sees TensorFlow 1.15, as a script does under `run`."""
    from tf1grad.old_programs.emulation import jupyter_extension
    jupyter_extension.load(ipython)


def __dir__() -> List[str]:
    # Not the rooms, which are no part of what is promised.
    return sorted([name for name in globals() if name.startswith("__")] + __all__)

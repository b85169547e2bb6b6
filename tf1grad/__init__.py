"""Provides gradient recipes for TensorFlow 1 sessions, tested on TF 1.15 and on the newest TF 2.x.

A training step is a list of (gradient, variable) pairs on its way from `compute_gradients` to
`apply_gradients`. Each function takes such a list and returns one, or returns the ops that carry it
from one run to another.

`tf1grad.__all__` has the public names in the order of a training step.

`import tf1grad.v1 as tf` gives a process TensorFlow 1.15. `python -m tf1grad --help` lists the
commands.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tf1grad._public import *  # noqa: F403 - for static analysis; see __getattr__

__version__ = "1.0.0"

# In the order of a training step.
__all__ = [
    # Freezing variables
    "trainable_in",
    "without",
    "gate_gradient",
    "gate_variables",
    "HeldGate",
    "alternate",
    "Players",
    "report",
    "Report",
    # Clipping, transforms
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
    # Gradient accumulation
    "GradientAccumulator",
    "AccumulatedStep",
    "split_batch",
    "feed_gradients",
    "FedGradients",
    # Wrapping an optimizer
    "AccumulatingOptimizer",
    "ClippingOptimizer",
    # Caching a batch
    "VariableBatchCache",
    "HandleBatchCache",
    # External optimizers
    "ExternalOptimizerInterface",
    "ScipyOptimizerInterface",
    "print_progress",
    "Progress",
    # Session hooks
    "AccumulateHook",
    "BatchCacheHook",
    "PlayersHook",
    "GradientNormHook",
    "StopAfterStepsHook",
    # Fast sessions
    "fast_session",
]


if not TYPE_CHECKING:  # type checkers would accept any name

    def __getattr__(name):
        # The commands (`python -m tf1grad`) must be able to set TensorFlow up before it is
        # imported.
        if name not in __all__:
            raise AttributeError(f"module 'tf1grad' has no attribute {name!r}")
        from tf1grad import _public

        return getattr(_public, name)


def load_ipython_extension(ipython: object) -> None:
    """Implements `%load_ext tf1grad`: the rest of the notebook sees TensorFlow 1.15,
    as under `tf1grad run`.
    """
    from tf1grad.cli.run import options_from_environment
    from tf1grad.run.start import jupyter_extension

    jupyter_extension.load(ipython, options_from_environment())


def __dir__() -> list[str]:
    # Without the rooms, which are not public.
    return sorted([name for name in globals() if name.startswith("__")] + __all__)

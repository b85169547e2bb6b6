"""Holds the outcomes of a comparison, the limits of the same, and how far losses differ."""

from __future__ import annotations

import math
from typing import Sequence

from tf1grad.old_programs._samples import relative

SAME, DIFFERS, NOISY = "same", "differs", "noisy"
WITHOUT_EFFECT = "differs without effect"  # of graphs: the differences cannot change a number

# The limits for a script under two TensorFlows with one seed rule. Initial values must be identical.
FIRST_LOSS = 1e-6
FIRST_GRADIENTS = 1e-4
LATER = 1e-3
LATER_GRADIENTS = 1e-2  # a wrong gradient soon shows in values and losses, too
# A difference of the noise's own order of magnitude is noise: one perturbed run is one sample of it.
NOISE_FACTOR = 10.0
# A larger difference that is within the noise is inconclusive: that noise would hide a real difference.
CONCLUSIVE = {
    "initial value": 0.0,
    "loss": LATER,
    "gradient": LATER_GRADIENTS,
    "value": LATER,
    "steps": 0.0,
}


def loss_difference(ones: Sequence[float], others: Sequence[float]) -> float:
    """Returns the largest relative difference between the losses of two steps."""
    if len(ones) != len(others):
        return math.inf
    return max([relative(one, other) for one, other in zip(ones, others)] or [0.0])

"""Holds the outcomes of a comparison, the limits of the same, and how far losses differ."""

from __future__ import annotations

import math
from typing import Sequence

from tf1grad.old_programs._samples import relative

SAME, DIFFERS, NOISY = "same", "differs", "noisy"
WITHOUT_EFFECT = "differs without effect"  # of graphs: the differences cannot change a number

# The limits for a script under two TensorFlows with one seed rule, by what is compared: at the first step, and later. A
# wrong gradient soon shows in values and losses, too.
FIRST = {"initial value": 0.0, "loss": 1e-6, "gradient": 1e-4, "value": 1e-3, "steps": 0.0}
LATER = {"initial value": 0.0, "loss": 1e-3, "gradient": 1e-2, "value": 1e-3, "steps": 0.0}
# A difference of the noise's own order of magnitude is noise: one perturbed run is one sample of it. If it is larger
# than `LATER`, it is inconclusive: that noise would hide a real difference.
NOISE_FACTOR = 10.0


def loss_difference(ones: Sequence[float], others: Sequence[float]) -> float:
    """Returns the largest relative difference between the losses of two steps."""
    if len(ones) != len(others):
        return math.inf
    return max([relative(one, other) for one, other in zip(ones, others)] or [0.0])

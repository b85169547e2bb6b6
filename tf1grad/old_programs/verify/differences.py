"""Holds the outcomes of a comparison, the limits of the same, and how far two samples differ."""

from __future__ import annotations

import math
from typing import Optional, Sequence

import numpy as np

from tf1grad.old_programs.verify.step_numbers import Sample, size

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


def difference(one: Optional[Sample], other: Optional[Sample]) -> float:
    """Returns the largest difference of elements, relative to the largest magnitude in either; inf if shapes differ."""
    if one is None or other is None or one.shape != other.shape:
        return math.inf
    x, y = np.asarray(one.values), np.asarray(other.values)
    same = (x == y) | (np.isnan(x) & np.isnan(y))
    if one.digest == other.digest or same.all() and x.size == size(one):
        return 0.0
    with np.errstate(invalid="ignore"):
        gap = np.where(same, 0.0, np.abs(x - y))
    largest = float(gap.max(initial=0.0))
    if not math.isfinite(largest):
        return math.inf
    # The norm shows changes that the sample of a large variable misses.
    return max(largest / (max(one.largest, other.largest) or 1.0), relative(one.norm, other.norm))


def relative(one: float, other: float, scale: float = 0.0) -> float:
    """Returns the difference of two numbers, relative to the larger magnitude or `scale`; inf if it is not finite."""
    if one == other or math.isnan(one) and math.isnan(other):
        return 0.0
    gap = abs(one - other)
    return gap / max(abs(one), abs(other), scale) if math.isfinite(gap) else math.inf


def loss_difference(ones: Sequence[float], others: Sequence[float]) -> float:
    """Returns the largest relative difference between the losses of two steps."""
    if len(ones) != len(others):
        return math.inf
    return max([relative(one, other) for one, other in zip(ones, others)] or [0.0])

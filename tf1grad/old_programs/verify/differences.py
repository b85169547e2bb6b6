"""Holds the outcomes of a comparison, the limits of the same, and how far losses differ."""

import math
from typing import Sequence

from tf1grad.old_programs._samples import relative

SAME, DIFFERS, NOISY = "same", "differs", "noisy"
WITHOUT_EFFECT = "differs without effect"  # of graphs: the differences cannot change a number

# The limits for a script under two TensorFlows with one seed rule, by what is compared: at the first step, and later. A
# wrong gradient soon shows in values and losses, too. An update is that of a variable in one step, and a change that of
# a fetched value since it was first fetched: both are compared relative to themselves, however small they are.
LATER = {
    "initial value": 0.0,
    "loss": 1e-3,
    "gradient": 1e-2,
    "value": 1e-3,
    "update": 1e-2,
    "change": 0.1,
    "steps": 0.0,
}
FIRST = {**LATER, "loss": 1e-6, "gradient": 1e-4}
# What rounding to 32 bits explains: of an update two ulps of the variable, of a fetched value that of a long sum.
ROUNDING = {"update": 2.0**-22, "change": 1e-5}
# A difference of the noise's own order of magnitude is noise: one perturbed run is one sample of it. If it is larger
# than `LATER`, it is inconclusive: that noise would hide a real difference.
NOISE_FACTOR = 10.0


def loss_difference(ones: Sequence[float], others: Sequence[float]) -> float:
    """Returns the largest relative difference between the losses of two steps."""
    if len(ones) != len(others):
        return math.inf
    return max([relative(one, other) for one, other in zip(ones, others)] or [0.0])

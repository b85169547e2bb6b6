"""Holds the outcomes of a comparison of training steps, its limits, and how far losses differ."""

import math
from typing import Sequence

from tf1grad.programs._samples import relative

SAME, DIFFERS, NOISY = "same", "differs", "noisy"
WITHOUT_EFFECT = "differs without effect"  # of graphs: the differences cannot change a number

# A difference up to this is called the same without a look at the noise: TensorFlow's versions add
# in another order. A loss is compared with its own magnitude, and a variable's values or gradient
# with the largest magnitude in it. An update is the change of a variable in one step: its mean
# difference is compared with its mean size.
FLOOR = {
    "initial value": 0.0,
    "loss": 1e-6,
    "gradient": 1e-4,
    "value": 1e-6,
    "update": 1e-4,
}
# Slots and accumulators hold gradients, some of them squared, also before the first step.
FLOOR_OF_UNTRAINED = 2e-4
# A difference of the noise's own order of magnitude is noise: one perturbed run is one sample of
# it.
NOISE_FACTOR = 10.0
# A larger difference is never called the same. If the noise explains it, it is too noisy to tell:
# that noise would hide a real difference.
COARSE = {
    "initial value": 1e-3,
    "loss": 1e-3,
    "gradient": 1e-2,
    "value": 1e-3,
    "update": 1e-2,
    "steps": 0.0,
}
# Two ulps of a variable's magnitude: that much of an update rounding to 32 bits explains.
ROUNDING = 2.0**-22


def loss_difference(ones: Sequence[float], others: Sequence[float]) -> float:
    """Returns the largest relative difference between the losses of two steps."""
    if len(ones) != len(others):
        return math.inf
    return max([relative(one, other) for one, other in zip(ones, others)] or [0.0])

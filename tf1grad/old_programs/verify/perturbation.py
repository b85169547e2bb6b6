"""Perturbs the values of a variable by one ulp. How far a run with them drifts is the noise of the script."""

from __future__ import annotations

import zlib

import numpy as np


def perturbed(name: str, value: np.ndarray) -> np.ndarray:
    """Returns a copy of the floating-point value of the variable `name`, each element one ulp up or down.

    The directions are random, and the same for a name and shape in every run. Zeros stay, since their ulp is
    negligible, and so do infinities and NaN.
    """
    up = np.random.RandomState(zlib.crc32(name.encode("utf-8"))).randint(2, size=value.shape, dtype=bool)
    neighbours = np.nextafter(value, np.where(up, value.dtype.type(np.inf), value.dtype.type(-np.inf)))
    changed: np.ndarray = np.where(np.isfinite(value) & (value != 0), neighbours, value)
    return changed

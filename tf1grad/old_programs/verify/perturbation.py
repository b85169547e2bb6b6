"""Perturbs the values of a variable by one ulp. How far a run with them drifts is the noise of the script."""

from __future__ import annotations

import zlib

import numpy as np


def perturbed(name: str, value: np.ndarray) -> np.ndarray:
    """Returns a copy of a value, each element one ulp up or down at random, in the same directions in every run."""
    up = np.random.RandomState(zlib.crc32(name.encode("utf-8"))).randint(2, size=value.shape, dtype=bool)
    neighbours = np.nextafter(value, np.where(up, value.dtype.type(np.inf), value.dtype.type(-np.inf)))
    changed: np.ndarray = np.where(np.isfinite(value) & (value != 0), neighbours, value)
    return changed

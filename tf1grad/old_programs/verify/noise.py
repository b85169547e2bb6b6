"""The noise of a script: what becomes of it when all that it trains is rounded another way once."""

from __future__ import annotations

import zlib

import numpy as np


def moved(name: str, value: np.ndarray) -> np.ndarray:
    """The floating value of the variable `name` with each element moved by one ulp, up or down, always the same way.

    Zeros stay, since their ulp is as good as none, and so does what is not finite.
    """
    up = np.random.RandomState(zlib.crc32(name.encode("utf-8"))).randint(2, size=value.shape, dtype=bool)
    neighbours = np.nextafter(value, np.where(up, value.dtype.type(np.inf), value.dtype.type(-np.inf)))
    changed: np.ndarray = np.where(np.isfinite(value) & (value != 0), neighbours, value)
    return changed

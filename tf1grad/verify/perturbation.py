"""Perturbs the values of variables by one ulp,
to measure how far rounding alone moves a program.
"""

from __future__ import annotations

import zlib
from typing import Mapping

import numpy as np

from tf1grad._compat import tf
from tf1grad._types import Session
from tf1grad.verify.extra_fetches import read_initialized


def perturb(session: Session, variables: Mapping[str, tf.Variable], directions: int) -> int:
    """Perturbs the variables, a dict by name, and returns how many values
    that are. Zeros have no ulp.
    """
    count = 0
    for name, value in read_initialized(session, variables).items():
        # It exists in a finalized graph too. That of copies on several devices only groups theirs.
        initializer = variables[name].initializer
        if len(initializer.inputs) == 2 and value.dtype.kind == "f" and value.any():
            count += int(np.count_nonzero(value))
            session.run(
                initializer, {initializer.inputs[1]: shift_elements(name, value, directions)}
            )
    return count


def shift_elements(name: str, value: np.ndarray, directions: int = 1) -> np.ndarray:
    """Returns a copy of a value, each element one ulp up or down at random.

    The directions are the same in every run. Another number `directions` gives others.
    """
    random = np.random.RandomState(zlib.crc32(name.encode("utf-8")) ^ (directions - 1))
    towards = np.where(random.randint(2, size=value.shape, dtype=bool), np.inf, -np.inf)
    neighbours = np.nextafter(value, towards.astype(value.dtype))
    has_ulp = np.isfinite(value) & (value != 0)
    return np.where(has_ulp, neighbours, value)

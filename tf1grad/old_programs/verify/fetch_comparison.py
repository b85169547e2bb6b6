"""Compares the first values that two runs of a program fetched from their sessions."""

from __future__ import annotations

import math
from typing import Any, List, Optional, Sequence

from tf1grad.old_programs.verify.comparison import LATER

RUNS = 10  # of `session.run`; afterwards rounding adds up


def count(fetched: Sequence[List[Any]]) -> int:
    """Returns how many values are compared of those that a run fetched."""
    return sum(map(len, fetched[:RUNS]))


def first_difference(ones: Sequence[List[Any]], others: Sequence[List[Any]]) -> Optional[str]:
    """Returns a phrase on the first fetched value that differs, or None."""
    for number, (one, other) in enumerate(zip(ones[:RUNS], others[:RUNS]), 1):
        for (name, shape, values, norm), (_, other_shape, other_values, other_norm) in zip(one, other):
            where = f"{name} of run {number} of the session"
            if shape != other_shape:
                return f"{where} has the shape {shape} before and {other_shape} after the upgrade"
            if not all(map(_are_close, [*values, norm], [*other_values, other_norm], [norm] * (len(values) + 1))):
                return f"{where} is {_shown(values)} before and {_shown(other_values)} after the upgrade"
        if len(one) != len(other):
            return f"run {number} of the session fetches {len(one)} values before and {len(other)} after the upgrade"
    if min(len(ones), RUNS) != min(len(others), RUNS):
        return f"the number of runs that fetch values is {len(ones)} before and {len(others)} after the upgrade"
    return None


def _are_close(one: float, other: float, norm: float) -> bool:
    if one == other or math.isnan(one) and math.isnan(other):
        return True
    return abs(one - other) <= LATER * max(abs(one), abs(other), norm / 100 if math.isfinite(norm) else 0.)


def _shown(values: Sequence[float]) -> str:
    shown = ", ".join(f"{value:.6g}" for value in values[:3])
    return shown if len(values) == 1 else f"[{shown}{', ...' if len(values) > 3 else ''}]"

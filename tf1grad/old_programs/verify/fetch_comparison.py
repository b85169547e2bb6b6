"""Compares the first values that two runs of a program fetched from their sessions."""

from __future__ import annotations

import math
from typing import Any, List, NamedTuple, Optional, Sequence, Tuple

from tf1grad.old_programs.verify.differences import LATER, relative

RUNS = 10  # of `session.run`; afterwards rounding adds up
SHOWN = 3  # of the elements that differ


class Difference(NamedTuple):
    """The first value that differs."""

    place: Tuple[int, int]  # the number of the run, and of the fetch in it, from 0
    text: str  # a phrase


def first_difference(ones: Sequence[List[Any]], others: Sequence[List[Any]]) -> Optional[Difference]:
    """Returns the first fetched value that differs, or None."""
    for number, (one, other) in enumerate(zip(ones[:RUNS], others[:RUNS]), 1):
        for index, (before, after) in enumerate(zip(one, other)):
            found = _found(before, after)
            if found:
                where = f"{before[0]} of run {number} of the session"
                return Difference((number, index), f"{where} {found}{_spread(ones, others)}")
        if len(one) != len(other):
            return Difference((number, min(len(one), len(other))), f"run {number} of the session fetches {len(one)} "
                              f"values before and {len(other)} after the upgrade")
    if min(len(ones), RUNS) != min(len(others), RUNS):
        return Difference((min(len(ones), len(others)) + 1, 0), "the number of runs that fetch values is "
                          f"{len(ones)} before and {len(others)} after the upgrade")
    return None


def _found(before: Sequence[Any], after: Sequence[Any]) -> Optional[str]:
    """Returns how two values differ, or None."""
    (_, shape, values, norm), (_, other_shape, other_values, other_norm) = before, after
    if shape != other_shape:
        return f"has the shape {shape} before and {other_shape} after the upgrade"
    parts = [(f" at [{index}]" if shape else "", *pair) for index, pair in enumerate(zip(values, other_values))
             if _distance(*pair, norm) > LATER]
    if not parts and _distance(norm, other_norm, norm) > LATER:
        parts = [(" in its norm" if shape else "", norm, other_norm)]
    shown = [f"is {one:.6g} before and {other:.6g} after the upgrade{place}" for place, one, other in parts[:SHOWN]]
    return ", ".join(shown) or None


def _distance(one: float, other: float, norm: float) -> float:
    """Returns how far two numbers of a value with this norm differ."""
    return relative(one, other, norm / 100 if math.isfinite(norm) else 0.)


def _spread(ones: Sequence[List[Any]], others: Sequence[List[Any]]) -> str:
    """Returns by how much the compared values differ at most, in words; "" where no number says it."""
    pairs = [pair for one, other in zip(ones[:RUNS], others[:RUNS]) for pair in zip(one, other)]
    largest = max((_distance(*numbers, norm) for (_, shape, values, norm), (_, other_shape, other_values, _) in pairs
                   if shape == other_shape for numbers in zip(values, other_values)), default=math.nan)
    return f" (up to {largest:.2g} of a value's size in the first {RUNS} runs)" if math.isfinite(largest) else ""

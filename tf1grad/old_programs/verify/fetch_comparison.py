"""Compares the first values that two runs of a program fetched from their sessions."""

from __future__ import annotations

import math
from typing import Any, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from tf1grad.old_programs.verify.differences import LATER

RUNS = 10  # of `session.run`; afterwards rounding adds up
SHOWN = 3  # of the elements that differ


class Difference(NamedTuple):
    """The first value that differs."""

    place: Tuple[int, int]  # the number of the run, and of the fetch in it, from 0
    text: str  # a phrase


def count(fetched: Sequence[List[Any]]) -> int:
    """Returns how many values are compared of those that a run fetched."""
    return sum(map(len, fetched[:RUNS]))


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
    parts = [(f" at [{index}]", *pair) for index, pair in enumerate(zip(values, other_values))
             if not _are_close(*pair, norm)]
    if not parts and not _are_close(norm, other_norm, norm):
        parts = [(" in its norm", norm, other_norm)]
    if not shape:
        parts = [("", one, other) for _, one, other in parts]
    shown = [f"is {one:.6g} before and {other:.6g} after the upgrade{place}" for place, one, other in parts[:SHOWN]]
    return ", ".join(shown) or None


def _spread(ones: Sequence[List[Any]], others: Sequence[List[Any]]) -> str:
    """Returns by how much the compared values differ at most, in words; "" where no number says it."""
    largest = max(_distances(ones, others), default=math.nan)
    return f" (up to {largest:.2g} of a value's size in the first {RUNS} runs)" if math.isfinite(largest) else ""


def _distances(ones: Sequence[List[Any]], others: Sequence[List[Any]]) -> Iterator[float]:
    for one, other in zip(ones[:RUNS], others[:RUNS]):
        for (_, shape, values, norm), (_, other_shape, other_values, _) in zip(one, other):
            for before, after in zip(values, other_values) if shape == other_shape else ():
                size = max(abs(before), abs(after), norm / 100)
                if size:
                    yield abs(before - after) / size


def _are_close(one: float, other: float, norm: float) -> bool:
    if one == other or math.isnan(one) and math.isnan(other):
        return True
    return abs(one - other) <= LATER * max(abs(one), abs(other), norm / 100 if math.isfinite(norm) else 0.)

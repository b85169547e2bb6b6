"""Compares the first values that two runs of a program fetched from their sessions."""

from __future__ import annotations

import math
from typing import Any, List, NamedTuple, Optional, Sequence, Tuple

from tf1grad.old_programs._samples import Sample, difference, relative, size
from tf1grad.old_programs.verify.differences import LATER

RUNS = 10  # of `session.run`; afterwards rounding adds up
SHOWN = 3  # of the elements that differ


class Difference(NamedTuple):
    """The first value that differs."""

    place: Tuple[int, int]  # the number of the run, and of the fetch in it, from 0
    text: str  # a phrase


def first_difference(
    ones: Sequence[List[Any]], others: Sequence[List[Any]]
) -> Optional[Difference]:
    """Returns the first fetched value that differs, or None."""
    for number, (one, other) in enumerate(zip(ones[:RUNS], others[:RUNS]), 1):
        for index, (before, after) in enumerate(zip(one, other)):
            found = _found(before, after)
            if found:
                where = f"{before[0]} of run {number} of the session"
                return Difference((number, index), f"{where} {found}{_spread(ones, others)}")
        if len(one) != len(other):
            return Difference(
                (number, min(len(one), len(other))),
                f"run {number} of the session fetches {len(one)} "
                f"values before and {len(other)} after the upgrade",
            )
    if min(len(ones), RUNS) != min(len(others), RUNS):
        return Difference(
            (min(len(ones), len(others)) + 1, 0),
            "the number of runs that fetch values is "
            f"{len(ones)} before and {len(others)} after the upgrade",
        )
    return None


def _found(before: Sequence[Any], after: Sequence[Any]) -> Optional[str]:
    """Returns how two values differ, or None."""
    one, other = Sample(*before[1:]), Sample(*after[1:])
    if one.shape != other.shape:
        return f"has the shape {one.shape} before and {other.shape} after the upgrade"
    if difference(one, other) <= LATER:
        return None
    scale = max(one.largest, other.largest)
    places = [
        f" at [{index * size(one) // len(one.values)}]" if one.shape else ""
        for index in range(len(one.values))
    ]
    parts = [
        (place, old, new)
        for place, old, new in zip(places, one.values, other.values)
        if relative(old, new, scale) > LATER
    ]
    parts = parts or [(" in its norm", one.norm, other.norm)]
    return ", ".join(
        f"is {old:.6g} before and {new:.6g} after the upgrade{place}"
        for place, old, new in parts[:SHOWN]
    )


def _spread(ones: Sequence[List[Any]], others: Sequence[List[Any]]) -> str:
    """Returns by how much the compared values differ at most, in words; "" where no number says it."""
    pairs = [pair for one, other in zip(ones[:RUNS], others[:RUNS]) for pair in zip(one, other)]
    largest = max(difference(Sample(*before[1:]), Sample(*after[1:])) for before, after in pairs)
    return (
        f" (up to {largest:.2g} of a value's size in the first {RUNS} runs)"
        if math.isfinite(largest)
        else ""
    )

"""Pairs the ops of two graphs, of which either may have more ops, other names and another order."""

from __future__ import annotations

import difflib
import re
from typing import NamedTuple, Sequence, Tuple

from tf1grad.old_programs.verify.record import Op

_NUMBER = re.compile(r"_\d+(?=/|$)")

Pair = Tuple[int, int]


class Pairs(NamedTuple):
    """Holds pairs of indices, and which of them stand in another order."""

    pairs: list[Pair]
    moved: set[Pair]


def paired(ones: Sequence[Op], others: Sequence[Op]) -> Pairs:
    """Pairs ops in order, by their names without numbers: a new op changes the numbers of later ones.

    Ops that are left are paired by their names, wherever they stand. Those left then are paired by their types, between
    the same pairs.
    """
    names, other_names = ([without_numbers(op.name) for op in ops] for ops in (ones, others))
    ends = _common_ends(names, other_names)
    middle, other_middle = (slice(ends[0], len(ops) - ends[1]) for ops in (ones, others))
    pairs = [(number, number) for number in range(ends[0])]
    gaps = []
    matcher = difflib.SequenceMatcher(None, names[middle], other_names[other_middle], False)
    for tag, start, end, other_start, other_end in matcher.get_opcodes():
        left = range(ends[0] + start, ends[0] + end)
        others_left = range(ends[0] + other_start, ends[0] + other_end)
        if tag == "equal":
            pairs += zip(left, others_left)
        else:
            gaps.append((left, others_left))
    pairs += [(len(ones) - number, len(others) - number) for number in range(ends[1], 0, -1)]
    moved = _of_one_name(gaps, ones, others)
    others_of = dict(moved)
    taken = set(others_of.values())
    for left, others_left in gaps:
        by_type: dict[str, list[int]] = {}
        for number in others_left:
            if number not in taken:
                by_type.setdefault(others[number].type, []).append(number)
        for number in left:
            same = by_type.get(ones[number].type)
            if number not in others_of and same:
                pairs.append((number, same.pop(0)))
    return Pairs(sorted([*pairs, *moved]), moved)


def without_numbers(name: str) -> str:
    """Returns a name without the numbers that make names in a graph unique."""
    return _NUMBER.sub("", name)


def _common_ends(ones: Sequence[str], others: Sequence[str]) -> tuple[int, int]:
    """Returns how many names both begin with, and how many of the others both end with."""
    most = min(len(ones), len(others))
    start = 0
    while start < most and ones[start] == others[start]:
        start += 1
    end = 0
    while end < most - start and ones[-1 - end] == others[-1 - end]:
        end += 1
    return start, end


def _of_one_name(
    gaps: Sequence[tuple[range, range]], ones: Sequence[Op], others: Sequence[Op]
) -> set[Pair]:
    numbers = {others[number].name: number for _, left in gaps for number in left}
    return {
        (number, numbers[ones[number].name])
        for left, _ in gaps
        for number in left
        if ones[number].name in numbers
    }

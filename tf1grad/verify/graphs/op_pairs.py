"""Pairs the ops of two graphs, of which either may have more ops, other names and another order."""

from __future__ import annotations

import difflib
import re
from typing import Iterator, Mapping, Sequence, Tuple

from tf1grad.verify.record import Op

_NUMBER = re.compile(r"_\d+(?=/|$)")
_WINDOW = 500  # ops, among which the first search looks for where two graphs go on alike

Pair = Tuple[int, int]


def pair_ops(ones: Sequence[Op], others: Sequence[Op]) -> tuple[list[Pair], set[Pair]]:
    """Pairs ops in order, by their names without numbers:
    a new op changes the numbers of later ones.

    Ops that are left are paired by their names, wherever they stand. Those left then are paired by
    their types, after the same pair. Returns all pairs of indices, and which of them stand in
    another order.
    """
    names, other_names = ([without_numbers(op.name) for op in ops] for ops in (ones, others))
    pairs = list(_in_order(names, other_names))
    left = _left(ones, {one: one for one, _ in pairs})
    others_left = _left(others, {other: one for one, other in pairs})
    numbers = {ones[number].name: number for number in left}
    moved = {
        (numbers[others[number].name], number)
        for number in others_left
        if others[number].name in numbers
    }
    for one, other in moved:
        left.pop(one, None)  # a name may stand twice
        del others_left[other]
    by_type: dict[tuple[str, int], list[int]] = {}
    for other, before in others_left.items():
        by_type.setdefault((others[other].type, before), []).append(other)
    pairs += moved
    for one, before in left.items():
        same = by_type.get((ones[one].type, before))
        if same:
            pairs.append((one, same.pop(0)))
    return sorted(pairs), moved


def without_numbers(name: str) -> str:
    """Returns a name without the numbers that make names in a graph unique."""
    return _NUMBER.sub("", name)


def _in_order(names: Sequence[str], others: Sequence[str]) -> Iterator[Pair]:
    """Yields the indices of equal names. Where names differ,
    both lists go on at the nearest names that agree.
    """
    one = other = 0
    window = _WINDOW
    while one < len(names) and other < len(others):
        if names[one] == others[other]:
            yield one, other
            one, other, window = one + 1, other + 1, _WINDOW
            continue
        left, others_left = names[one : one + window], others[other : other + window]
        block = difflib.SequenceMatcher(None, left, others_left, False).get_matching_blocks()[0]
        if block.size or window >= len(names) + len(others):
            one, other = one + block.a, other + block.b
        window *= 2


def _left(ops: Sequence[Op], pairs: Mapping[int, int]) -> dict[int, int]:
    """Returns the indices of ops without a pair,
    each with what `pairs` has for the nearest op before it.
    """
    left = {}
    before = -1
    for number in range(len(ops)):
        before = pairs.get(number, before)
        if number not in pairs:
            left[number] = before
    return left

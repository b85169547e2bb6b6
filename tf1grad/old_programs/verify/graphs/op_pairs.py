"""Pairs the ops of two graphs, of which either may have more ops, other names and another order."""

from __future__ import annotations

import bisect
import re
from typing import Any, Dict, Hashable, List, NamedTuple, Sequence, Set, Tuple

from tf1grad.old_programs.verify.record import Op

RUN = 4  # so many ops in a row must agree for two sequences to count as joined again
_NUMBER = re.compile(r"_\d+(?=/|$)")

Pair = Tuple[int, int]


class Pairs(NamedTuple):
    """Holds pairs of indices, in order of the first, and which of them stand in another order."""

    pairs: List[Pair]
    moved: Set[Pair]


def by_name(ones: Sequence[Op], others: Sequence[Op]) -> Pairs:
    """Pairs ops of the same name; of the others, those of the same type that stand between the same pairs."""
    numbers = {op.name: number for number, op in enumerate(others)}
    common = [(number, numbers[op.name]) for number, op in enumerate(ones) if op.name in numbers]
    return _completed(common, ones, others)


def by_order(ones: Sequence[Op], others: Sequence[Op]) -> Pairs:
    """Pairs ops in order, whatever numbers their names have; ops that only one graph has are passed over."""
    keys, other_keys = (
        [(op.type, without_numbers(op.name)) for op in ops] for ops in (ones, others)
    )
    pairs, one, other = [], 0, 0
    while one < len(ones) and other < len(others):
        if keys[one] != other_keys[other]:
            step = _next_agreement(keys, other_keys, one, other)
            if step is None:
                break
            one, other = step
        pairs.append((one, other))
        one, other = one + 1, other + 1
    have, others_have = {one for one, _ in pairs}, {other for _, other in pairs}
    numbers = {op.name: number for number, op in enumerate(others) if number not in others_have}
    pairs += [
        (number, numbers[op.name])
        for number, op in enumerate(ones)
        if number not in have and op.name in numbers
    ]
    return _completed(sorted(pairs), ones, others)


def without_numbers(name: str) -> str:
    """Returns a name without the numbers that make names in a graph unique."""
    return _NUMBER.sub("", name)


def _next_agreement(
    ones: Sequence[Hashable], others: Sequence[Hashable], one: int, other: int
) -> Any:
    """Returns the nearest indices from which on both sequences agree for a while; None if they never do."""
    reach = 2 * RUN
    most = max(len(ones) - one, len(others) - other)
    longer = (len(ones) - one) - (len(others) - other)
    while True:
        found: Dict[Hashable, List[int]] = {}
        for number in range(other, min(other + reach, len(others))):
            found.setdefault(_ahead(others, number), []).append(number)
        # In a repeated pattern, that agreement is the right one which leaves as many ops on both sides.
        near = []
        for number in range(one, min(one + reach, len(ones))):
            for other_number in found.get(_ahead(ones, number), ()):
                skipped, other_skipped = number - one, other_number - other
                distance = skipped + other_skipped + abs(longer - skipped + other_skipped)
                near.append((distance, number, other_number))
        if near:
            return min(near)[1:]
        if reach >= most:
            return None
        reach *= 4


def _ahead(keys: Sequence[Hashable], number: int) -> Hashable:
    return tuple(keys[number : number + RUN])


def _completed(pairs: List[Pair], ones: Sequence[Op], others: Sequence[Op]) -> Pairs:
    """Adds pairs of the ops left, of one type, between the same pairs; and says which pairs stand in another order."""
    kept = _longest_ascending(pairs)
    ends, other_ends = [one for one, _ in kept], [other for _, other in kept]
    found, others_have = dict(pairs), {other for _, other in pairs}
    left: Dict[Tuple[int, str], List[int]] = {}  # by the number of kept pairs before, and the type
    for number, op in enumerate(others):
        if number not in others_have:
            left.setdefault((bisect.bisect(other_ends, number), op.type), []).append(number)
    for number, op in enumerate(ones):
        same = left.get((bisect.bisect(ends, number), op.type))
        if number not in found and same:
            found[number] = same.pop(0)
    return Pairs(sorted(found.items()), set(pairs).difference(kept))


def _longest_ascending(pairs: Sequence[Pair]) -> List[Pair]:
    """Returns the longest part of `pairs`, which ascend in the first index, that ascends in the second as well."""
    ends: List[int] = []  # the second index of the best end, for each length
    at: List[int] = []
    before: List[int] = []
    for number, (_, other) in enumerate(pairs):
        length = bisect.bisect_left(ends, other)
        before.append(at[length - 1] if length else -1)
        if length == len(ends):
            ends.append(other)
            at.append(number)
        else:
            ends[length], at[length] = other, number
    found = []
    number = at[-1] if at else -1
    while number >= 0:
        found.append(pairs[number])
        number = before[number]
    return found[::-1]

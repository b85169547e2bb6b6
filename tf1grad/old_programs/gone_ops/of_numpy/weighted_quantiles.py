"""Summarizes streams of weighted numbers, to find the boundaries of buckets, with the float arithmetic of 1.15.

An entry of a summary is a row of four float32: a value, its weight, and the least and the greatest rank that it may
have. A stream keeps a summary at each level. One that grows beyond a block is compressed and moves up a level.
"""

from __future__ import annotations

import math
from typing import Any, List, Tuple

import numpy as np

Rows = List[Tuple[Any, Any, Any, Any]]
VALUE, WEIGHT, LEAST, GREATEST = range(4)


def summary(values: Any, weights: Any, epsilon: float) -> Any:
    """Returns the summary of one batch, [entry, 4]; entries whose weight is not positive are left out."""
    stream = Stream(epsilon, len(values) + 1)
    kept = weights > 0
    values, weights = values[kept], weights[kept]
    size = min(2 * stream.block, len(kept) + 1)
    for start in range(0, len(values), size):
        stream.add(_sorted_rows(values[start:start + size], weights[start:start + size]))
    return as_array(stream.merged())


def as_array(rows: Rows) -> Any:
    """Returns entries as an array, [entry, 4]."""
    return np.array(rows, np.float32).reshape(-1, 4)


class Stream:
    """Collects summaries within the relative error `epsilon` of ranks; it may receive `limit` values."""

    def __init__(self, epsilon: float, limit: int) -> None:
        self.epsilon, self.limit = float(epsilon), limit
        level, self.block = 1, 2
        while 2 ** level * self.block < limit:
            self.block, level = math.ceil(level / self.epsilon) + 1, level + 1
        self.levels: List[Rows] = []

    def add(self, rows: Rows) -> None:
        """Adds the entries of a summary."""
        rows = _compressed(rows, self.block, self.epsilon)
        level = 0
        while rows:
            if level == len(self.levels):
                self.levels.append([])
            below = self.levels[level]
            rows = _merged(rows, below)
            if not below or len(rows) <= self.block + 1:
                self.levels[level] = rows
                return
            rows = _compressed(rows, self.block, self.epsilon)
            self.levels[level] = []
            level += 1

    def merged(self) -> Rows:
        """Returns the entries of all levels."""
        rows: Rows = []
        for level in self.levels:
            rows = _merged(rows, level)
        return rows


def boundaries(rows: Rows, count: int) -> Any:
    """Returns about `count` different values of a summary that represent it."""
    if not rows:
        return np.zeros(0, np.float32)
    error = float(np.float32(_error(rows) + 1.0 / count))
    values = as_array(_compressed(rows, count, error))[:, VALUE]
    return values[np.append(True, values[1:] != values[:-1])]


def quantiles(rows: Rows, count: int) -> Any:
    """Returns the `count` quantiles of a summary, from the least value to the greatest."""
    if not rows:
        return np.zeros(0, np.float32)
    parts, place, found = max(count - 1, 2), 0, []
    total = rows[-1][GREATEST]
    for rank in range(parts + 1):
        twice = np.float32(2) * (np.float32(rank) * total / np.float32(parts))
        following = place + 1
        while following < len(rows) and twice >= rows[following][LEAST] + rows[following][GREATEST]:
            following += 1
        place = following - 1
        is_here = following == len(rows) or twice < _next_least(rows[place]) + _previous_greatest(rows[following])
        found.append(rows[place if is_here else following][VALUE])
    return np.array(found, np.float32)


def _sorted_rows(values: Any, weights: Any) -> Rows:
    order = np.argsort(values, kind="stable")
    rows: Rows = []
    before = np.float32(0)
    for value, weight in zip(values[order], weights[order]):
        if rows and rows[-1][VALUE] == value:
            _, same, least, _ = rows.pop()
            weight, before = same + weight, least
        rows.append((value, weight, before, before + weight))
        before = before + weight
    return rows


def _merged(first: Rows, second: Rows) -> Rows:
    if not first or not second:
        return first or second
    rows: Rows = []
    one = two = 0
    least_one = least_two = np.float32(0)
    while one < len(first) or two < len(second):
        a = first[one] if one < len(first) else None
        b = second[two] if two < len(second) else None
        if a and b and a[VALUE] == b[VALUE]:
            rows.append((a[VALUE], a[WEIGHT] + b[WEIGHT], a[LEAST] + b[LEAST], a[GREATEST] + b[GREATEST]))
            least_one, least_two = _next_least(a), _next_least(b)
            one, two = one + 1, two + 1
        elif a and not (b and b[VALUE] < a[VALUE]):
            above = _previous_greatest(b) if b else second[-1][GREATEST]
            rows.append((a[VALUE], a[WEIGHT], a[LEAST] + least_two, a[GREATEST] + above))
            least_one, one = _next_least(a), one + 1
        elif b:
            above = _previous_greatest(a) if a else first[-1][GREATEST]
            rows.append((b[VALUE], b[WEIGHT], b[LEAST] + least_one, b[GREATEST] + above))
            least_two, two = _next_least(b), two + 1
    return rows


def _compressed(rows: Rows, size: int, epsilon: float) -> Rows:
    """Returns about `size` of the entries, with the first and the last."""
    size = max(size, 2)
    if len(rows) <= size:
        return rows
    allowed = float(rows[-1][GREATEST]) * max(1.0 / size, epsilon)
    kept, place, credit = [rows[0]], 0, 0
    while place + 1 < len(rows):
        following = place + 1
        while (following < len(rows) and credit < len(rows)
               and float(_previous_greatest(rows[following]) - _next_least(rows[place])) <= allowed):
            credit += size
            following += 1
        place = max(place + 1, following - 1)
        kept.append(rows[place])
        credit -= len(rows)
    return kept


def _error(rows: Rows) -> float:
    gaps = [np.float32(0)]
    for before, row in zip(rows, rows[1:]):
        gaps += [row[GREATEST] - row[LEAST] - row[WEIGHT], _previous_greatest(row) - _next_least(before)]
    return float(max(gaps)) / float(rows[-1][GREATEST])


def _previous_greatest(row: Any) -> Any:
    return row[GREATEST] - row[WEIGHT]


def _next_least(row: Any) -> Any:
    return row[LEAST] + row[WEIGHT]

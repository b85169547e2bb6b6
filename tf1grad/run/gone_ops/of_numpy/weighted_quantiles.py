"""Summarizes streams of weighted numbers, to find the boundaries of buckets,
with the float arithmetic of 1.15.

A summary is an array, [entry, 4], of float32. An entry has a value, its weight, and the least and
the greatest rank that it may have. A stream keeps a summary at each level. One that grows beyond a
block is compressed and moves up a level.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

VALUE, WEIGHT, LEAST, GREATEST = range(4)
_EMPTY: np.ndarray = np.zeros([0, 4], np.float32)


def summary(values: np.ndarray, weights: np.ndarray, epsilon: float) -> np.ndarray:
    """Returns the summary of one batch; entries whose weight is not positive are left out."""
    stream = Stream(epsilon, len(values) + 1)
    kept = weights > 0
    values, weights = values[kept], weights[kept]
    size = min(2 * stream.block, len(kept) + 1)
    for start in range(0, len(values), size):
        stream.add(_sorted_rows(values[start : start + size], weights[start : start + size]))
    return stream.merged()


class Stream:
    """Collects summaries within the relative error `epsilon` of ranks;
    it may receive `limit` values.
    """

    def __init__(self, epsilon: float, limit: int) -> None:
        self.epsilon, self.limit = float(epsilon), limit
        level, self.block = 1, 2
        while 2**level * self.block < limit:
            self.block, level = math.ceil(level / self.epsilon) + 1, level + 1
        self.levels: list[Any] = []

    def add(self, rows: np.ndarray) -> None:
        """Adds a summary."""
        rows = _compressed(rows, self.block, self.epsilon)
        level = 0
        while len(rows):
            if level == len(self.levels):
                self.levels.append(_EMPTY)
            below = self.levels[level]
            rows = _merged(rows, below)
            if not len(below) or len(rows) <= self.block + 1:
                self.levels[level] = rows
                return
            rows = _compressed(rows, self.block, self.epsilon)
            self.levels[level] = _EMPTY
            level += 1

    def merged(self) -> np.ndarray:
        """Returns the summary of all levels."""
        rows = _EMPTY
        for level in self.levels:
            rows = _merged(rows, level)
        return rows


def boundaries(rows: np.ndarray, count: int) -> np.ndarray:
    """Returns about `count` different values of a summary that represent it."""
    if not len(rows):
        return rows[:, VALUE]
    following = rows[1:]
    errors = [
        following[:, GREATEST] - following[:, LEAST] - following[:, WEIGHT],
        _previous_greatest(following) - _next_least(rows[:-1]),
    ]
    error = float(np.max(errors, initial=0)) / float(rows[-1, GREATEST])
    return np.unique(_compressed(rows, count, float(np.float32(error + 1.0 / count)))[:, VALUE])


def _sorted_rows(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    values, places = np.unique(values, return_inverse=True)
    summed: np.ndarray = np.zeros(len(values), np.float32)
    np.add.at(summed, places, weights)
    greatest: np.ndarray = np.cumsum(summed)
    return np.stack([values, summed, np.append(np.float32(0), greatest)[:-1], greatest], axis=1)


def _merged(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    if not len(first) or not len(second):
        return first if len(first) else second
    values = np.union1d(first[:, VALUE], second[:, VALUE])
    return np.concatenate([values[:, None], _at(values, first) + _at(values, second)], axis=1)


def _at(values: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Returns the weights and ranks that some values have in a summary which lacks some of them."""
    places = np.searchsorted(rows[:, VALUE], values)
    least = np.append(np.float32(0), _next_least(rows))[places]
    greatest = np.append(_previous_greatest(rows), rows[-1, GREATEST])[places]
    beside = rows[np.minimum(places, len(rows) - 1)]
    between = np.stack([np.zeros_like(values), least, greatest], axis=1)
    return np.where(beside[:, :1] == values[:, None], beside[:, WEIGHT:], between)


def _compressed(rows: np.ndarray, size: int, epsilon: float) -> np.ndarray:
    """Returns about `size` of the entries, with the first and the last."""
    size = max(size, 2)
    if len(rows) <= size:
        return rows
    allowed = float(rows[-1, GREATEST]) * max(1.0 / size, epsilon)
    upper, lower = _previous_greatest(rows), _next_least(rows)
    kept, credit = [0], 0
    while kept[-1] + 1 < len(rows):
        following = kept[-1] + 1
        while (
            following < len(rows)
            and credit < len(rows)
            and float(upper[following] - lower[kept[-1]]) <= allowed
        ):
            credit += size
            following += 1
        kept.append(max(kept[-1] + 1, following - 1))
        credit -= len(rows)
    return rows[kept]


def _previous_greatest(rows: np.ndarray) -> np.ndarray:
    return rows[:, GREATEST] - rows[:, WEIGHT]


def _next_least(rows: np.ndarray) -> np.ndarray:
    return rows[:, LEAST] + rows[:, WEIGHT]

"""Samples arrays, and says how far two samples differ: of steps, of graphs' tensors, of fetched values, of models."""

from __future__ import annotations

import array
import hashlib
import math
from typing import Any, NamedTuple, Sequence

import numpy as np

LIMIT = (
    16384  # elements; of a larger array an even sample, the norm and the largest magnitude are kept
)


class Sample(NamedTuple):
    """A sample of an array, with the array's digest, norm and largest magnitude."""

    shape: tuple[int, ...]
    digest: str  # of all bytes
    norm: float  # over all finite elements, like `largest`
    largest: float
    values: Sequence[float]  # flat; not of NumPy, whose arrays other versions cannot unpickle


def sample(value: Any, limit: int = LIMIT) -> Sample:
    """Returns the `Sample` of an array of any size and numeric dtype, with at most `limit` values."""
    value = np.asarray(value)
    # Complex numbers have no order, and bfloat16 is not a NumPy dtype.
    flat = (np.abs(value) if value.dtype.kind == "c" else value).ravel().astype(np.float64)
    finite = flat[np.isfinite(flat)]
    kept = flat[np.arange(limit) * flat.size // limit] if flat.size > limit else flat
    return Sample(
        value.shape,
        hashlib.sha1(np.ascontiguousarray(value).tobytes()).hexdigest(),
        float(np.sqrt(np.sum(finite**2))),
        float(np.max(np.abs(finite), initial=0.0)),
        array.array("d", kept.tobytes()),
    )


def size(kept: Sample) -> int:
    """Returns the number of elements of the array that was sampled."""
    return int(np.prod(kept.shape, dtype=np.int64))


def difference(one: Sample | None, other: Sample | None) -> float:
    """Returns the largest difference of elements, relative to the largest magnitude in either; inf if shapes differ."""
    if one is None or other is None or one.shape != other.shape:
        return math.inf
    x, y = np.asarray(one.values), np.asarray(other.values)
    same = (x == y) | (np.isnan(x) & np.isnan(y))
    if one.digest == other.digest or same.all() and x.size == size(one):
        return 0.0
    with np.errstate(invalid="ignore"):
        gap = np.where(same, 0.0, np.abs(x - y))
    largest = float(gap.max(initial=0.0))
    if not math.isfinite(largest):
        return math.inf
    # The norm shows changes that the sample of a large variable misses.
    return max(largest / (max(one.largest, other.largest) or 1.0), relative(one.norm, other.norm))


def change_difference(
    one: tuple[Sample, Sample], other: tuple[Sample, Sample], rounding: float
) -> float:
    """Returns how far two changes of an array, from one sample to the next, differ on average.

    It is relative to their average size. Differences up to `rounding`, relative to an element, do not count.
    """
    before, after = (np.asarray(kept.values) for kept in one)
    other_before, other_after = (np.asarray(kept.values) for kept in other)
    with np.errstate(invalid="ignore"):
        change, other_change = after - before, other_after - other_before
        largest = np.max(np.abs([before, after, other_before, other_after]), axis=0)
        gaps = np.maximum(np.abs(change - other_change) - rounding * largest, 0.0)
    sizes = np.abs([change, other_change])
    known = np.isfinite(sizes).all(axis=0)
    total = sizes.max(axis=0)[known].sum()
    return float(gaps[known].sum() / total) if total else 0.0


def relative(one: float, other: float, scale: float = 0.0) -> float:
    """Returns the difference of two numbers, relative to the larger magnitude or `scale`; inf if it is not finite."""
    if one == other or math.isnan(one) and math.isnan(other):
        return 0.0
    gap = abs(one - other)
    return gap / max(abs(one), abs(other), scale) if math.isfinite(gap) else math.inf

"""Samples arrays, and says how far two samples differ:
of steps, of graphs' tensors, of fetched values, of models.
"""

from __future__ import annotations

import array
import hashlib
import math
from typing import Any, NamedTuple

import numpy as np

# Elements; of a larger array an even sample, the norm and the largest magnitude are kept.
LIMIT = 2**20


class Sample(NamedTuple):
    """The elements of an array, or a sample of them, with the whole array's digest,
    norm and largest magnitude.

    A complex number has two elements.
    """

    shape: tuple[int, ...]
    dtype: str
    digest: str  # of all bytes
    norm: float  # over all finite elements, like `largest`
    largest: float
    values: array.array[Any]  # flat; not of NumPy, whose arrays other versions cannot unpickle

    @property
    def is_whole(self) -> bool:
        """Says whether `values` has all elements."""
        parts = 2 if self.dtype.startswith("complex") else 1
        return len(self.values) == size(self) * parts

    @property
    def is_exact(self) -> bool:
        """Says whether the elements are whole numbers or truth values, which are never rounded."""
        return not self.dtype.startswith(("float", "bfloat", "complex"))


class Gap(NamedTuple):
    """The largest difference of two arrays, relative to a size,
    and the place in `values` of the element that has it.

    The place is None where the shapes differ, or where not all elements are kept.
    """

    difference: float
    place: int | None = None


def is_numeric(value: object) -> bool:
    """Says whether a value is an array or a number that can be sampled."""
    if not isinstance(value, (np.ndarray, np.generic)):
        return False
    return value.dtype.kind in "biufc" or value.dtype.name == "bfloat16"


def sample(value: Any, limit: int = LIMIT) -> Sample:
    """Returns the `Sample` of an array of any size and numeric dtype,
    with at most `limit` elements.
    """
    value = np.asarray(value)
    flat = np.ascontiguousarray(value).reshape(-1)
    digest = hashlib.sha1(flat.tobytes()).hexdigest()
    if value.dtype.kind == "c":
        flat = flat.view(flat.real.dtype)
    # array.array has neither float16 nor bfloat16; doubles hold their numbers.
    code = {"b": "q", "i": "q", "u": "Q"}.get(flat.dtype.kind, "d")
    flat = flat.astype("f" if flat.dtype == np.float32 else code)
    finite = flat[np.isfinite(flat)].astype(np.float64)
    kept = flat[np.arange(limit) * flat.size // limit] if flat.size > limit else flat
    return Sample(
        value.shape,
        value.dtype.name,
        digest,
        float(np.sqrt(np.sum(finite**2))),
        float(np.max(np.abs(finite), initial=0.0)),
        array.array(flat.dtype.char.replace("l", "q").replace("L", "Q"), kept.tobytes()),
    )


def size(kept: Sample) -> int:
    """Returns the number of elements of the array that was sampled."""
    return int(np.prod(kept.shape, dtype=np.int64))


def difference(one: Sample | None, other: Sample | None) -> float:
    """Returns the largest difference of elements, relative to the largest magnitude in either;
    inf if shapes differ.
    """
    return gap(one, other).difference


def gap(one: Sample | None, other: Sample | None, smallest: float = 1.0) -> Gap:
    """Returns the largest difference of elements, each relative to its own magnitude;
    infinite if shapes differ.

    An element below `smallest` times the largest magnitude in either array counts as if it had that
    size. With 1.0 the difference is relative to the largest magnitude.
    """
    if one is None or other is None or one.shape != other.shape:
        return Gap(math.inf)
    is_same = (one.dtype, one.digest) == (other.dtype, other.digest)
    if is_same or not one.values:
        return Gap(0.0)
    x, y = _aligned(one, other)
    differs = (x != y) & ~(np.isnan(x) & np.isnan(y))
    x, y = x.astype(np.float64), y.astype(np.float64)
    sizes = np.maximum(np.abs(x), np.abs(y))
    sizes = np.maximum(sizes, smallest * max(one.largest, other.largest))
    with np.errstate(invalid="ignore", divide="ignore"):
        ratios = np.abs(x - y) / sizes
    ratios[~np.isfinite(ratios)] = math.inf
    # The smallest number stands for whole numbers that are equal as floats.
    ratios = np.where(differs, np.maximum(ratios, np.finfo(np.float64).tiny), 0.0)
    place = int(ratios.argmax())
    of_norms = relative(one.norm, other.norm) if is_sampled(one, other) else 0.0
    if of_norms > ratios[place]:
        return Gap(of_norms)
    has_place = ratios[place] and one.is_whole and other.is_whole
    return Gap(float(ratios[place]), place if has_place else None)


def _aligned(*samples: Sample) -> list[np.ndarray]:
    """Returns the values of samples of arrays of one shape,
    of each the elements that all samples have.
    """
    length = min(len(kept.values) for kept in samples)
    # Even samples of 2**n elements are even samples of larger ones.
    return [
        np.asarray(kept.values)[np.arange(length) * len(kept.values) // max(length, 1)]
        for kept in samples
    ]


def is_sampled(one: Sample | None, other: Sample | None) -> bool:
    """Says whether two arrays differ of which only samples are kept."""
    if one is None or other is None or one.digest == other.digest:
        return False
    return not (one.is_whole and other.is_whole)


def change_difference(
    one: tuple[Sample, Sample], other: tuple[Sample, Sample], rounding: float
) -> float:
    """Returns how far two changes of an array, from one sample to the next, differ on average.

    It is relative to their average size. Differences up to `rounding`, relative to an element, do
    not count.
    """
    arrays: list[np.ndarray] = [each.astype(np.float64) for each in _aligned(*one, *other)]
    before, after, other_before, other_after = arrays
    with np.errstate(invalid="ignore"):
        change, other_change = after - before, other_after - other_before
        largest = np.max(np.abs([before, after, other_before, other_after]), axis=0)
        gaps = np.maximum(np.abs(change - other_change) - rounding * largest, 0.0)
    sizes = np.abs([change, other_change])
    known = np.isfinite(sizes).all(axis=0)
    total = sizes.max(axis=0)[known].sum()
    return float(gaps[known].sum() / total) if total else 0.0


def relative(one: float, other: float, scale: float = 0.0) -> float:
    """Returns the difference of two numbers, relative to the larger magnitude or `scale`;
    inf if it is not finite.
    """
    if one == other or math.isnan(one) and math.isnan(other):
        return 0.0
    gap = abs(one - other)
    return gap / max(abs(one), abs(other), scale) if math.isfinite(gap) else math.inf

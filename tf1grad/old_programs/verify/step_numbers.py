"""Holds the numbers of one run of a script: initial values, and each step's losses, gradients and values."""

from __future__ import annotations

import array
import hashlib
from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple

import numpy as np

LIMIT = (
    16384  # elements; of a larger array an even sample, the norm and the largest magnitude are kept
)

# By the names of variables.
Arrays = Mapping[str, np.ndarray]
Samples = Dict[str, "Sample"]


class Sample(NamedTuple):
    """A sample of an array, with the array's digest, norm and largest magnitude."""

    shape: Tuple[int, ...]
    digest: str  # of all bytes
    norm: float  # over all finite elements, like `largest`
    largest: float
    values: Sequence[float]  # flat; not of NumPy, whose arrays other versions cannot unpickle


class Step(NamedTuple):
    """The numbers of one step."""

    kind: (
        str  # "apply" (values are those after it) or "evaluation" (values are the evaluated point)
    )
    losses: List[float]  # in the order in which the script took their gradients
    gradients: Samples
    values: Samples


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


class Record:
    """The record of one run of a script."""

    def __init__(self, facts: Optional[Mapping[str, Any]] = None) -> None:
        self.facts: Dict[str, Any] = dict(facts or {})
        self.initial: Samples = {}
        self.steps: List[Step] = []

    def add_initial(self, arrays: Arrays) -> None:
        """Stores the values of variables before the first step, a dict of arrays."""
        self.initial = _samples(arrays)

    def add_step(
        self, losses: Iterable[Any], gradients: Arrays, values: Arrays, kind: str = "apply"
    ) -> None:
        """Stores one step: `losses` are numbers, `gradients` and `values` dicts of arrays."""
        self.steps.append(
            Step(kind, [float(loss) for loss in losses], _samples(gradients), _samples(values))
        )


def _samples(arrays: Arrays) -> Samples:
    return {name: sample(value) for name, value in arrays.items()}

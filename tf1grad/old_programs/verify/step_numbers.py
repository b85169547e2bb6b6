"""Holds the numbers of one run of a script: initial values, and each step's losses, gradients and values."""

from __future__ import annotations

import hashlib
import json
from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Optional, Tuple

import numpy as np

LIMIT = 16384  # elements; of a larger array an even sample, the norm and the largest magnitude are kept

# By the names of variables.
Arrays = Mapping[str, np.ndarray]
Samples = Dict[str, "Sample"]


class Sample(NamedTuple):
    """A sample of an array, with the array's digest, norm and largest magnitude."""

    shape: Tuple[int, ...]
    dtype: str
    digest: str  # of all bytes
    norm: float  # over all finite elements, like `largest`
    largest: float
    values: np.ndarray  # flat, in the array's dtype or a similar real one


class Step(NamedTuple):
    """The numbers of one step."""

    kind: str  # "apply" (values are those after it) or "evaluation" (values are the evaluated point)
    losses: List[float]  # in the order in which the script took their gradients
    gradients: Samples
    values: Samples


def sample(array: Any, limit: int = LIMIT) -> Sample:
    """Returns the `Sample` of an array of any size and numeric dtype, with at most `limit` values."""
    array = np.asarray(array)
    digest = hashlib.sha1(np.ascontiguousarray(array).tobytes()).hexdigest()
    flat = array.ravel()
    name = array.dtype.name
    if flat.dtype.kind not in "fiub":  # complex numbers have no order, and bfloat16 is not a NumPy dtype
        flat = np.abs(flat) if flat.dtype.kind == "c" else flat.astype(np.float32)
    finite = flat[np.isfinite(flat)].astype(np.float64)
    largest = float(np.max(np.abs(finite))) if finite.size else 0.
    return Sample(tuple(array.shape), name, digest, float(np.sqrt(np.sum(finite ** 2))), largest,
                  (flat[np.arange(limit) * flat.size // limit] if flat.size > limit else flat).copy())


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

    def add_step(self, losses: Iterable[Any] = (), gradients: Optional[Arrays] = None,
                 values: Optional[Arrays] = None, kind: str = "apply") -> None:
        """Stores one step: `losses` are numbers, `gradients` and `values` dicts of arrays."""
        self.steps.append(Step(kind, [float(loss) for loss in losses], _samples(gradients), _samples(values)))

    def save(self, path: str) -> None:
        """Writes the record to the file `path` (.npz)."""
        arrays: List[np.ndarray] = []

        def pack(samples: Samples) -> List[Any]:
            packed = []
            for name, kept in samples.items():
                packed.append([name, len(arrays), *kept[:-1]])
                arrays.append(kept.values)
            return packed

        text = json.dumps({"facts": self.facts, "initial": pack(self.initial), "steps": [
            [step.kind, step.losses, pack(step.gradients), pack(step.values)] for step in self.steps]})
        numbered: Dict[str, Any] = {f"array_{number}": array for number, array in enumerate(arrays)}
        with open(path, "wb") as file:
            np.savez(file, text=np.array(text), **numbered)

    @classmethod
    def load(cls, path: str) -> Record:
        """Returns the record that `save` wrote to `path`."""
        with np.load(path, allow_pickle=False) as arrays:
            content = json.loads(str(arrays["text"]))

            def unpack(packed: List[Any]) -> Samples:
                return {name: Sample(tuple(shape), dtype, digest, norm, largest, arrays[f"array_{number}"])
                        for name, number, shape, dtype, digest, norm, largest in packed}

            record = cls(content["facts"])
            record.initial = unpack(content["initial"])
            record.steps = [Step(kind, losses, unpack(gradients), unpack(values))
                            for kind, losses, gradients, values in content["steps"]]
        return record


def _samples(arrays: Optional[Arrays]) -> Samples:
    return {name: sample(array) for name, array in (arrays or {}).items()}

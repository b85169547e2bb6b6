"""Allocates memory that starts on a 64-byte boundary,
where TensorFlow reads a fed array in place.
"""

from typing import Any, Sequence

import numpy as np

BOUNDARY = 64


def aligned_empty(shape: Sequence[int], dtype: Any) -> np.ndarray:
    """Returns an uninitialised array of `shape` and `dtype` that
    TensorFlow feeds without a copy.
    """
    dtype = np.dtype(dtype)
    size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    memory = np.empty(size + BOUNDARY, np.uint8)
    start = -memory.ctypes.data % BOUNDARY
    return memory[start : start + size].view(dtype).reshape(shape)


def aligned_copy(value: Any, dtype: Any, casting: Any = "same_kind") -> np.ndarray:
    """Returns a copy of an array-like, as `dtype`, that TensorFlow feeds without another copy."""
    value = np.asarray(value)
    array = aligned_empty(value.shape, dtype)
    np.copyto(array, value, casting=casting)
    return array

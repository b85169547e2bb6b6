"""Allocates memory that starts on a 64-byte boundary, where TensorFlow reads a fed array in place."""

from typing import Any, Sequence

import numpy as np

BOUNDARY = 64


def aligned_empty(shape: Sequence[int], dtype: Any) -> np.ndarray:
    """Returns an uninitialised array of `shape` and `dtype` that TensorFlow feeds without a copy."""
    dtype = np.dtype(dtype)
    size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    array: np.ndarray = aligned_bytes(size).view(dtype).reshape(shape)
    return array


def aligned_bytes(size: int) -> np.ndarray:
    """Returns `size` uninitialised bytes."""
    memory: np.ndarray = np.empty(size + BOUNDARY, np.uint8)
    start = -memory.ctypes.data % BOUNDARY
    return memory[start:start + size]

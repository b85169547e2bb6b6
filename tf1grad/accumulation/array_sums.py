"""Sums one variable's gradients in NumPy, as `DenseSum` does in the graph."""

from typing import Any

import numpy as np

from tf1grad.accumulation.sums import FEW, folded, folds
from tf1grad.sessions.memory import aligned_empty


class ArraySum:
    """A weighted sum of arrays, in memory that it owns.

    Args:
        dtype: the TensorFlow dtype that it is summed in.
    """

    def __init__(self, dtype: Any) -> None:
        self._dtype, self._folds = np.dtype(dtype.as_numpy_dtype), folds(dtype)
        self._recent: Any = None
        self._earlier: Any = None
        self._weighted: Any = None
        self._count = 0

    def add(self, value: np.ndarray, weight: float) -> None:
        """Adds `weight * value`; the array `value` is not kept."""
        if self._folds and self._count and self._count % FEW == 0:
            self._fold()
        if self._recent is None:
            self._recent = self._times(value, weight, aligned_empty(value.shape, self._dtype))
        else:
            if weight != 1 or value.dtype != self._dtype:
                if self._weighted is None:
                    self._weighted = np.empty(value.shape, self._dtype)
                value = self._times(value, weight, self._weighted)
            np.add(self._recent, value, out=self._recent)
        self._count += 1

    def mean(self, total_weight: float) -> np.ndarray:
        """Returns the sum divided by `total_weight` in the sum's memory; the sum cannot be used afterwards."""
        total = self._recent if self._earlier is None else np.add(self._earlier, self._recent, out=self._recent)
        mean: np.ndarray = np.divide(total, total_weight, out=total, dtype=self._dtype)
        return mean

    def _times(self, value: np.ndarray, weight: float, out: np.ndarray) -> np.ndarray:
        if weight == 1:
            out[...] = value
            return out
        np.multiply(value, weight, out=out, dtype=self._dtype)
        return out

    def _fold(self) -> None:
        if self._earlier is None:
            self._recent, self._earlier = None, self._recent
        else:
            self._earlier, moved = folded(self._recent, self._earlier)
            self._recent -= moved

"""Caches fed arrays in memory that starts on a 64-byte boundary, which TensorFlow reads without a copy."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from tf1grad._compat import require_graph, tf
from tf1grad.batches.batch_tensors import take_apart
from tf1grad.batches.cache import Batch
from tf1grad.sessions.memory import aligned_copy


class AlignedBatchCache:
    """Copies a batch from Python once into memory that evaluations read in place, instead of once an evaluation.

        with cache.advance(x_batch, y_batch) as feed_dict:
            for step in steps:
                session.run(loss, feed_dict)

    Each batch has its own memory, which is never the caller's array. So threads may share the cache, each with the
    batches that it advanced to.

    Args:
        live: the placeholders that the loss is built on: a tensor, a `tf.SparseTensor`, or a list, tuple or dict.

    Attributes:
        tensors: `live` as a list, or for a dict as a dict.
        advances: how often the cache advanced.

    Raises:
        TypeError: `live` holds something that is not a tensor, or strings, which TensorFlow copies in any case.
        ValueError: `live` is empty.
    """

    def __init__(self, live: Any) -> None:
        require_graph("AlignedBatchCache")
        self._parts, rebuild = take_apart(live, "AlignedBatchCache")
        for part in self._parts:
            if part.dtype == tf.string:
                raise TypeError(
                    f"AlignedBatchCache: {part.name} holds strings, which TensorFlow always copies. Put "
                    "them into the feed_dict beside this cache's."
                )
        self.tensors = rebuild(self._parts)
        self._lock = threading.Lock()
        self.advances = 0

    def advance(self, *values: Any) -> Batch:
        """Copies the values and returns the `feed_dict` for them.

        Args:
            *values: one array-like a tensor, in the order of `tensors` (for a dict: of its sorted keys); a sparse one
                takes three: indices, values, dense shape. Wider floats are rounded to the tensor's dtype.

        Returns:
            A `Batch`: a `feed_dict`, and a context manager that gives the memory back at its end.

        Raises:
            TypeError: a value cannot be cast to its tensor's dtype without changing its kind.
            ValueError: there are not as many values as tensors, or a shape does not fit.
        """
        if len(values) != len(self._parts):
            raise ValueError(
                f"AlignedBatchCache: got {len(values)} values for the {len(self._parts)} tensors "
                f"{[part.name for part in self._parts]}."
            )
        arrays = [_checked(part, value) for part, value in zip(self._parts, values)]
        feeds = {
            part: aligned_copy(array, part.dtype.as_numpy_dtype)
            for part, array in zip(self._parts, arrays)
        }
        with self._lock:
            self.advances += 1
        return Batch(feeds)


def _checked(part: tf.Tensor, value: Any) -> np.ndarray:
    array: np.ndarray = np.asarray(value)
    if not part.shape.is_compatible_with(array.shape):
        raise ValueError(
            f"AlignedBatchCache: the value for {part.name} has shape {array.shape}; the tensor has "
            f"{part.shape}."
        )
    if not np.can_cast(array.dtype, part.dtype.as_numpy_dtype, "same_kind"):
        raise TypeError(
            f"AlignedBatchCache: the value for {part.name} is {array.dtype}; the tensor is "
            f"{part.dtype.name}. Convert it with astype."
        )
    return array

"""Converts fed values to the arrays that `session.run` would make of them."""

from __future__ import annotations

from typing import Any, Dict, List, Union

import numpy as np

from tf1grad._compat import array_maker, feed_address, tf
from tf1grad.sessions.structures import Unknown

# Other values need conversions that only `session.run` knows.
_VALUES = (np.ndarray, np.generic, int, float, list, tuple, str, bytes)


def feed_of(graph: tf.Graph, key: Any) -> Union[DenseFeed, SparseFeed]:
    """Returns the feed for a key of a `feed_dict`: a tensor, a variable, the name of a tensor, or a sparse tensor."""
    if isinstance(key, tf.SparseTensor):
        return SparseFeed([DenseFeed(graph, part) for part in (key.indices, key.values, key.dense_shape)])
    return DenseFeed(graph, key)


class DenseFeed:
    """A tensor that is fed.

    Raises:
        Unknown: feeding it takes more than an array.
    """

    def __init__(self, graph: tf.Graph, key: Any) -> None:
        self.tensor = graph.as_graph_element(key, allow_tensor=True, allow_operation=False)
        self._address = feed_address(self.tensor)
        if self._address is None or not graph.is_feedable(self.tensor):
            raise Unknown(key)
        self.tensors = [self.tensor]
        self._dtype = np.dtype(self.tensor.dtype.as_numpy_dtype)
        self._make = array_maker(self.tensor.dtype.as_numpy_dtype)
        self._checked = None, None

    def add(self, value: Any, arrays: Dict[Any, np.ndarray]) -> None:
        """Puts the array of `value` into the dict `arrays`.

        Raises:
            Unknown: `session.run` may refuse the value, or feed it in another way.
        """
        if type(value) is not np.ndarray or value.dtype != self._dtype:
            value = self._array(value)
        shape, (known, fitting) = self.tensor.shape, self._checked
        if shape is not known or value.shape != fitting:  # it is the same object until someone sets another shape
            if not shape.is_compatible_with(value.shape):
                raise Unknown(value)
            self._checked = shape, value.shape
        arrays[self._address] = value

    def _array(self, value: Any) -> np.ndarray:
        if not isinstance(value, _VALUES):
            raise Unknown(value)
        array = self._make(value)
        if isinstance(value, int) and (self._dtype == object or array.item() != value):  # noqa: E721 - a dtype, no type
            raise Unknown(value)
        return array


class SparseFeed:
    """A sparse tensor that is fed: indices, values and dense shape."""

    def __init__(self, parts: List[DenseFeed]) -> None:
        self._parts = parts
        self.tensors = [part.tensor for part in parts]

    def add(self, value: Any, arrays: Dict[Any, np.ndarray]) -> None:
        """Puts the arrays of a `tf.SparseTensorValue`, or of three array-likes, into the dict `arrays`.

        Raises:
            Unknown: as `DenseFeed.add`.
        """
        if not isinstance(value, tuple) or len(value) != len(self._parts):
            raise Unknown(value)
        for part, array in zip(self._parts, value):
            part.add(array, arrays)

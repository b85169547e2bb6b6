"""Converts fed values to the arrays that `session.run` would make of them."""

from __future__ import annotations

from typing import Any, Dict

import numpy as np

from tf1grad._compat import array_maker, feed_address, tf
from tf1grad.sessions.structures import Unknown

# Other values need conversions that only `session.run` knows.
_VALUES = (np.ndarray, np.generic, int, float, list, tuple, str, bytes)


class Feed:
    """A tensor that is fed: `key` is the tensor, a variable, or the name of a tensor.

    Raises:
        Unknown: feeding it takes more than an array.
    """

    def __init__(self, graph: tf.Graph, key: Any) -> None:
        self.tensor = graph.as_graph_element(key, allow_tensor=True, allow_operation=False)
        self._address = feed_address(self.tensor)
        if self._address is None or not graph.is_feedable(self.tensor):
            raise Unknown(key)
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

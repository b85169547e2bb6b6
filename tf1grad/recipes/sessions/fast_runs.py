"""Resolves each run of a session once, and finds it again by its fetches and feeds."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from tf1grad._compat import ResolvedRun, feed_address, is_closed, is_variable, tf
from tf1grad._types import FeedDict

_RUNS = 256  # the most kept; a program that makes new fetches each step would fill the memory
_LEAVES = (tf.Tensor, tf.Operation, tf.SparseTensor, tf.IndexedSlices)
# Other values need conversions that only `session.run` knows.
_VALUES = (np.ndarray, np.generic, int, float, list, tuple, str, bytes)


class Unknown(Exception):
    """Raised for a fetch or a feed of an unknown kind,
    or one that `session.run` has to handle or refuse.
    """


class FastRuns:
    """The runs of one session, for any number of threads."""

    def __init__(self) -> None:
        self._runs: dict[Any, _Run | None] = {}

    def find(
        self, session: tf.Session, fetches: object, feed_dict: FeedDict | None
    ) -> Callable[[Any, Any], Any] | None:
        """Returns a function of `options` and `run_metadata` that runs, or None where
        `session.run` is needed.
        """
        try:
            key = _key(fetches), _feed_key(feed_dict)
            if key not in self._runs:
                if len(self._runs) >= _RUNS:
                    self._runs.clear()
                # Where the next line raises an error, `session.run` is needed.
                self._runs[key] = None
                self._runs[key] = _Run(session, fetches, feed_dict)
            run = self._runs[key]
            return None if run is None else run.with_arrays(session, feed_dict)
        except Exception:  # `session.run` raises the best error; nothing has run yet
            return None


class _Run:
    """Holds what one run fetches and feeds, resolved in one session."""

    def __init__(self, session: tf.Session, fetches: Any, feed_dict: Any) -> None:
        # Kept, so that no other object gets the identity by which a key knows these.
        self._fetches, self._keys = _copy(fetches), list(feed_dict or ())
        self._feeds = [_Feed(session.graph, key) for key in self._keys]
        fed = [feed.tensor for feed in self._feeds]
        self._resolved = ResolvedRun(session, self._fetches)
        if len({id(tensor) for tensor in fed}) < len(fed) or not self._resolved.direct(fed):
            raise Unknown(fetches)

    def with_arrays(self, session: tf.Session, feed_dict: Any) -> Callable[[Any, Any], Any]:
        """Returns the function that runs it with these feeds."""
        if is_closed(session):
            raise Unknown(self._fetches)
        arrays: dict[Any, Any] = {}
        for feed, value in zip(self._feeds, feed_dict.values() if self._feeds else ()):
            feed.add(value, arrays)
        return lambda options, run_metadata: self._resolved(session, arrays, options, run_metadata)


class _Feed:
    """A tensor that is fed: `key` is the tensor, a variable, or the name of a tensor."""

    def __init__(self, graph: tf.Graph, key: object) -> None:
        self.tensor = graph.as_graph_element(key, allow_tensor=True, allow_operation=False)
        self._address = feed_address(self.tensor)
        if self._address is None or not graph.is_feedable(self.tensor):
            raise Unknown(key)
        self._dtype = np.dtype(self.tensor.dtype.as_numpy_dtype)
        self._checked = None, None

    def add(self, value: object, arrays: dict[Any, np.ndarray]) -> None:
        """Puts the array that `session.run` would make of `value` into the dict `arrays`."""
        if type(value) is not np.ndarray or value.dtype != self._dtype:
            value = self._array(value)
        shape, (known, fitting) = self.tensor.shape, self._checked
        # It is the same object until someone sets another shape.
        if shape is not known or value.shape != fitting:
            if not shape.is_compatible_with(value.shape):
                raise Unknown(value)
            self._checked = shape, value.shape
        arrays[self._address] = value

    def _array(self, value: object) -> np.ndarray:
        if not isinstance(value, _VALUES):
            raise Unknown(value)
        # What NumPy refuses, `session.run` may still convert.
        array = np.asarray(value, dtype=self._dtype)
        if isinstance(value, int) and (self._dtype == object or array.item() != value):  # noqa: E721 - a dtype, no type
            raise Unknown(value)
        return array


def _feed_key(feed_dict: FeedDict | None) -> tuple[Any, ...]:
    if not feed_dict:
        return ()
    if type(feed_dict) is not dict:
        raise Unknown(feed_dict)
    return tuple([key if type(key) is str else id(key) for key in feed_dict])


def _key(fetches: Any) -> Any:
    """Returns a hashable value that two structures share when they fetch the same in the same form.

    Objects count by identity: the value holds as long as `_copy(fetches)` is kept.
    """
    kind = type(fetches)
    if kind is str:
        return fetches
    if kind is list or kind is tuple:
        return (kind,) + tuple([_key(fetch) for fetch in fetches])
    if kind is dict:
        return (kind, _feed_key(fetches), tuple([_key(fetch) for fetch in fetches.values()]))
    if isinstance(fetches, _LEAVES) or is_variable(fetches):
        return id(fetches)
    raise Unknown(fetches)


def _copy(fetches: Any) -> Any:
    """Copies the lists and dicts of a structure, so that nobody else changes them."""
    kind = type(fetches)
    if kind is list or kind is tuple:
        return kind([_copy(fetch) for fetch in fetches])
    if kind is dict:
        return {key: _copy(fetch) for key, fetch in fetches.items()}
    return fetches

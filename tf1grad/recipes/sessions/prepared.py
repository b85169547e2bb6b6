"""Runs the same fetches again and again without paying for `session.run` each time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, Sequence

import numpy as np

from tf1grad._compat import can_prepare, is_tensor_handle, make_callable, tf
from tf1grad.recipes.sessions.graph_assertions import put_sentence_first
from tf1grad.recipes.sessions.per_session import PerSession

if TYPE_CHECKING:
    from tf1grad._types import Session


class PreparedRun:
    """Fixed fetches as a function of what is fed: `prepared(session, feed_dict)` is
    `session.run(fetches, feed_dict)`.

    Names are resolved once for a session and a set of keys. Values are checked as `session.run`
    checks them. It is thread-safe, with one session or with several.

    Args:
        fetches: a list of tensors and ops. A tensor should be computed, not a bare read of a ref
            variable: on some versions the fetched array would be the variable's live memory.
    """

    def __init__(self, fetches: Sequence[Any]) -> None:
        self._fetches = list(fetches)
        self._runs: dict[tuple[str, ...], PerSession] = {}

    def __call__(self, session: Session, feed_dict: Mapping[Any, Any]) -> list[Any]:
        """Runs once and returns the values of the fetched tensors as a list;
        fetched ops leave no entry.

        The session is a `tf.Session`, or anything that runs fetches like one (`MonitoredSession`).
        Values are array-likes, which are converted to the dtypes of their keys, or `TensorHandle`s.
        """
        try:
            return self._run(session, feed_dict)
        except tf.errors.OpError as error:
            put_sentence_first(error)
            raise

    def _run(self, session: Session, feed_dict: Mapping[Any, Any]) -> list[Any]:
        fetches, keys = self._fetches, list(feed_dict)
        # Only `run` can feed names and sparse tensors. A TensorHandle fed to a prepared callable
        # crashes the process on TF 2.x; `run` replaces it by its tensor.
        if (
            not can_prepare(session)
            or not all(isinstance(key, tf.Tensor) for key in keys)
            or any(map(is_tensor_handle, feed_dict.values()))
        ):
            results = session.run(fetches, feed_dict)
            return [
                result
                for fetch, result in zip(fetches, results)
                if not isinstance(fetch, tf.Operation)
            ]
        names = tuple(key.name for key in keys)
        runs = self._runs.get(names)
        if runs is None:
            runs = self._runs.setdefault(
                names, PerSession(lambda session: make_callable(session, fetches, keys))
            )
        run = runs.of(session)
        return run(*[_array(key, value) for key, value in feed_dict.items()])


def _array(feed: tf.Tensor, value: object) -> np.ndarray:
    """Returns `value` as an array for `feed`; a ValueError where its shape does not fit."""
    array = np.asarray(value, dtype=feed.dtype.as_numpy_dtype, order="C")
    if not feed.shape.is_compatible_with(array.shape):
        raise ValueError(
            f"cannot feed a value of shape {array.shape} for {feed.name}, which has shape {feed.shape}"
        )
    return array

"""Runs the same fetches again and again without paying for `session.run` each time."""

import threading
import time
from typing import Any, Dict, List, Mapping, Sequence, Tuple

import numpy as np

from tf1grad._compat import can_prepare, is_tensor_handle, make_callable, tf
from tf1grad.sessions.graph_assertions import put_sentence_first
from tf1grad.sessions.per_session import PerSession

# Runs of less than this many seconds are tried in the calling thread too; longer ones gain from several threads.
_SHORT = 2e-3
_TRIALS = 4
# Where both take about as long, the calling thread is chosen: without handing over, it needs a half of the CPU time.
_CLEARLY = 1.2


class PreparedRun:
    """Fixed fetches as a function of fixed feeds: `prepared(session, *values)` is `session.run(fetches, ...)`.

    For a small model most of a `session.run` is spent in Python, resolving names that do not change from run to run.
    This resolves them once a session. Values are checked as `session.run` checks them.

    It is thread-safe, with one session or with several.

    Args:
        fetches: a list of tensors and ops. A tensor should be computed, not a bare read of a ref variable: on some
            versions the fetched array would be the variable's live memory.
        feeds: the list of tensors that are fed, in the order of the values.
    """

    def __init__(self, fetches: Sequence[Any], feeds: Sequence[tf.Tensor]) -> None:
        fetches, feeds = list(fetches), list(feeds)
        self._fetches, self._feeds = fetches, feeds
        self._shapes, self._dtypes = [None] * len(feeds), [feed.dtype.as_numpy_dtype for feed in feeds]
        self._runs = PerSession(lambda session: _Run(session, fetches, feeds))

    def __call__(self, session: Any, *values: Any) -> List[Any]:
        """Runs once and returns the values of the fetched tensors as a list; fetched ops leave no entry.

        There is a value for each feed: an array-like, which is converted to the feed's dtype, or a `TensorHandle`. The
        session is a `tf.Session`, or anything that runs fetches like one (`MonitoredSession`).
        """
        try:
            return self._run(session, values)
        except tf.errors.OpError as error:
            put_sentence_first(error)
            raise

    def _run(self, session: Any, values: Sequence[Any]) -> List[Any]:
        # A TensorHandle fed to a prepared callable crashes the process on TF 2.x; `run` replaces it by its tensor.
        if not can_prepare(session) or any(map(is_tensor_handle, values)):
            return _values(self._fetches, session.run(self._fetches, dict(zip(self._feeds, values))))
        prepared: _Run = self._runs.of(session)
        return prepared([self._fed(index, value) for index, value in enumerate(values)])

    def _fed(self, index: int, value: Any) -> np.ndarray:
        array: np.ndarray = np.asarray(value, dtype=self._dtypes[index], order="C")
        if array.shape != self._shapes[index]:
            feed = self._feeds[index]
            if not feed.shape.is_compatible_with(array.shape):
                raise ValueError(f"cannot feed a value of shape {array.shape} for {feed.name}, which has shape "
                                 f"{feed.shape}")
            self._shapes[index] = array.shape
        return array


class _Run:
    """The prepared run in one session, in the thread pool or in the calling thread: whichever is faster.

    Small graphs are faster in the calling thread, which only trials can tell; one thread at a time tries.
    """

    def __init__(self, session: tf.Session, fetches: Sequence[Any], feeds: Sequence[tf.Tensor]) -> None:
        self._pooled = self._run = make_callable(session, fetches, feeds)
        self._make_own: Any = lambda: make_callable(session, fetches, feeds, in_caller_thread=True)
        self._trying = threading.Lock()
        self._seconds: Any = []  # None when the trials are over

    def __call__(self, fed: Sequence[np.ndarray]) -> List[Any]:
        if self._seconds is None or not self._trying.acquire(False):
            return self._run(*fed)
        try:
            return self._run(*fed) if self._seconds is None else self._trial(fed)
        finally:
            self._trying.release()

    def _trial(self, fed: Sequence[np.ndarray]) -> List[Any]:
        start = time.perf_counter()
        results = self._run(*fed)
        self._seconds.append(time.perf_counter() - start)
        # The first run of each kind compiles the graph, so its time does not count.
        if len(self._seconds) == _TRIALS:
            if min(self._seconds[1:]) > _SHORT:
                self._seconds = None
            else:
                self._run = self._make_own()
        elif len(self._seconds) == 2 * _TRIALS:
            if min(self._seconds[_TRIALS + 1:]) > _CLEARLY * min(self._seconds[1:_TRIALS]):
                self._run = self._pooled
            self._seconds = self._make_own = None
        return results


class RunsWithFeeds:
    """Runs of the same fetches under feed_dicts, prepared once for each set of keys. Threads may share it."""

    def __init__(self, fetches: Sequence[Any]) -> None:
        self._fetches = fetches
        self._prepared: Dict[Tuple[str, ...], PreparedRun] = {}

    def __call__(self, session: Any, feed_dict: Mapping[Any, Any]) -> List[Any]:
        """Runs once and returns the values of the fetched tensors as a list; fetched ops leave no entry."""
        keys = list(feed_dict)
        if not all(isinstance(key, tf.Tensor) for key in keys):  # `run` can feed sparse tensors and names
            return _values(self._fetches, session.run(self._fetches, feed_dict))
        names = tuple([key.name for key in keys])
        prepared = self._prepared.get(names) or self._prepared.setdefault(names, PreparedRun(self._fetches, keys))
        results: List[Any] = prepared(session, *feed_dict.values())
        return results


def _values(fetches: Sequence[Any], results: Sequence[Any]) -> List[Any]:
    return [result for fetch, result in zip(fetches, results) if not isinstance(fetch, tf.Operation)]

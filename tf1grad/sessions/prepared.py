"""Runs the same fetches again and again without paying for `session.run` each time."""

import time

import numpy as np

from tf1grad._compat import is_tensor_handle, make_callable, tf

# Runs of less than this many seconds are tried in the calling thread too; longer ones gain from several threads.
_SHORT = 2e-3
_TRIALS = 4


class PreparedRun(object):
    """Fixed fetches as a function of fixed feeds: `prepared(session, *values)` is `session.run(fetches, ...)`.

    For a small model most of a `session.run` is spent in Python, resolving names that do not change from run to run.
    This resolves them once a session. Values are checked as `session.run` checks them.

    Args:
        fetches: a list of tensors and ops. A tensor should be computed, not a bare read of a ref variable: on some
            versions the fetched array would be the variable's live memory.
        feeds: the list of tensors that are fed, in the order of the values.
    """

    def __init__(self, fetches, feeds):
        self._fetches = list(fetches)
        self._feeds = list(feeds)
        self._shapes = [None] * len(self._feeds)
        self._session = None
        self._callable = None
        self._trials = []

    def __call__(self, session, *values):
        """Runs once and returns the values of the fetched tensors as a list; fetched ops leave no entry.

        Args:
            session: a `tf.Session`, or anything that runs fetches like one (`MonitoredSession`).
            *values: one a feed: array-likes, which are converted to the feed's dtype, or `TensorHandle`s.

        Raises:
            ValueError: a value's shape does not fit its feed's static shape.
        """
        if session is not self._session:
            self._prepare(session)
        # A TensorHandle fed to a prepared callable crashes the process on TF 2.x; `run` replaces it by its tensor.
        if self._callable is None or any(map(is_tensor_handle, values)):
            results = session.run(self._fetches, dict(zip(self._feeds, values)))
            return [result for fetch, result in zip(self._fetches, results) if not isinstance(fetch, tf.Operation)]
        fed = [self._fed(index, value) for index, value in enumerate(values)]
        return self._callable(*fed) if self._trials is None else self._trial(fed)

    def _prepare(self, session):
        self._session, self._trials = session, []
        self._callable = make_callable(session, self._fetches, self._feeds)

    def _trial(self, fed):
        """Runs once and takes the time: small graphs are faster in the calling thread, which only a trial can tell."""
        start = time.perf_counter()
        results = self._callable(*fed)
        self._trials.append(time.perf_counter() - start)
        # The first run of each kind compiles the graph and says nothing.
        if len(self._trials) == _TRIALS:
            self._pooled = self._callable
            if min(self._trials[1:]) > _SHORT:
                self._trials = None
            else:
                self._callable = make_callable(self._session, self._fetches, self._feeds, in_caller_thread=True)
        elif len(self._trials) == 2 * _TRIALS:
            if min(self._trials[_TRIALS + 1:]) > min(self._trials[1:_TRIALS]):
                self._callable = self._pooled
            self._trials = self._pooled = None
        return results

    def _fed(self, index, value):
        feed = self._feeds[index]
        array = np.asarray(value, dtype=feed.dtype.as_numpy_dtype, order="C")
        if array.shape != self._shapes[index]:
            if not feed.shape.is_compatible_with(array.shape):
                raise ValueError("cannot feed a value of shape %s for %s, which has shape %s"
                                 % (array.shape, feed.name, feed.shape))
            self._shapes[index] = array.shape
        return array

"""Runs the same fetches again and again without paying for `session.run` each time."""

import numpy as np

from tf1grad._compat import is_tensor_handle, make_callable, tf


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

    def __call__(self, session, *values):
        """Runs once and returns the values of the fetched tensors as a list; fetched ops leave no entry.

        Args:
            session: a `tf.Session`, or anything that runs fetches like one (`MonitoredSession`).
            *values: one a feed: array-likes, which are converted to the feed's dtype, or `TensorHandle`s.

        Raises:
            ValueError: a value's shape does not fit its feed's static shape.
        """
        if session is not self._session:
            self._callable = make_callable(session, self._fetches, self._feeds)
            self._session = session
        # A TensorHandle fed to a prepared callable crashes the process on TF 2.x; `run` replaces it by its tensor.
        if self._callable is None or any(is_tensor_handle(value) for value in values):
            results = session.run(self._fetches, dict(zip(self._feeds, values)))
            return [result for fetch, result in zip(self._fetches, results) if not isinstance(fetch, tf.Operation)]
        return self._callable(*[self._fed(index, value) for index, value in enumerate(values)])

    def _fed(self, index, value):
        feed = self._feeds[index]
        array = np.asarray(value, dtype=feed.dtype.as_numpy_dtype, order="C")
        if array.shape != self._shapes[index]:
            if not feed.shape.is_compatible_with(array.shape):
                raise ValueError("cannot feed a value of shape %s for %s, which has shape %s"
                                 % (array.shape, feed.name, feed.shape))
            self._shapes[index] = array.shape
        return array

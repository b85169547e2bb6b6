"""Resolves each repeated run of a session once, and finds it again by its fetches and feeds."""

import collections
import threading
from typing import Any, Callable, Dict, Optional, Tuple

from tf1grad._compat import ResolvedRun, marked_unusable, tf
from tf1grad.sessions.feeds import Feed
from tf1grad.sessions.structures import Unknown, copy_of, key_of

_RUNS = 256  # the most kept of each; a program that makes new fetches each step would fill the memory
_DICTS = (dict, collections.OrderedDict)


class FastRuns:
    """The runs of one session, for any number of threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seen: Dict[Any, bool] = {}
        self._runs: Dict[Any, Any] = {}

    def find(self, session: tf.Session, fetches: Any, feed_dict: Any) -> Optional[Callable[[Any, Any], Any]]:
        """Returns a function of `options` and `run_metadata` that runs, or None where `session.run` is needed.

        A run is resolved when it comes for the second time: many never do.
        """
        try:
            key = key_of(fetches), _feed_key(feed_dict)
            run = self._runs.get(key)
            if run is None:
                if not self._again(key):
                    return None
                run = _resolved(session, fetches, feed_dict)
                self._keep(self._runs, key, run)
            return run.with_arrays(session, feed_dict) if run else None
        except Exception:  # `session.run` raises the best error; nothing has run yet
            return None

    def _again(self, key: Any) -> bool:
        if key in self._seen:
            return True
        self._keep(self._seen, key, True)
        return False

    def _keep(self, kept: Dict[Any, Any], key: Any, value: Any) -> None:
        with self._lock:
            while len(kept) >= _RUNS:
                del kept[next(iter(kept))]
            kept[key] = value


def _feed_key(feed_dict: Any) -> Tuple[Any, ...]:
    if not feed_dict:
        return ()
    if type(feed_dict) not in _DICTS:
        raise Unknown(feed_dict)
    return tuple([key if type(key) is str else id(key) for key in feed_dict])


def _resolved(session: tf.Session, fetches: Any, feed_dict: Any) -> Any:
    """Returns the `_Run`, or False where `session.run` is needed."""
    try:
        return _Run(session, fetches, feed_dict)
    except Exception:
        return False


class _Run:
    """Holds what one run fetches and feeds, resolved in one session.

    Raises:
        Unknown: `session.run` must handle this run. Fetches that `session.run` rejects are rejected here too.
    """

    def __init__(self, session: tf.Session, fetches: Any, feed_dict: Any) -> None:
        # Kept, so that no other object gets the identity by which a key knows these.
        self._fetches, self._keys = copy_of(fetches), list(feed_dict or ())
        self._unusable = marked_unusable(session.graph)
        self._feeds = [Feed(session.graph, key) for key in self._keys]
        fed = [feed.tensor for feed in self._feeds]
        self._resolved = ResolvedRun(session, self._fetches)
        if len({id(tensor) for tensor in fed}) < len(fed) or not self._resolved.direct(fed):
            raise Unknown(fetches)

    def with_arrays(self, session: tf.Session, feed_dict: Any) -> Callable[[Any, Any], Any]:
        """Returns the function that runs it with these feeds.

        Raises:
            Unknown: as `Feed.add`, or the session is closed, or ops were marked as not to be fetched or fed.
        """
        if not self._resolved.open_in(session) or self._unusable != marked_unusable(session.graph):
            raise Unknown(self._fetches)
        arrays: Dict[Any, Any] = {}
        for feed, value in zip(self._feeds, feed_dict.values() if self._feeds else ()):
            feed.add(value, arrays)
        return lambda options, run_metadata: self._resolved(session, arrays, options, run_metadata)

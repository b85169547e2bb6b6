"""Sessions whose repeated runs cost a third to a half: what `session.run` looks up each time is looked up once.

The run itself is TensorFlow's own, by the same call and in the same threads. So values, errors, the order of effects
and whose memory an array is are those of `session.run`.
"""

from __future__ import annotations

import functools
from typing import Any, Type

from tf1grad._compat import plain_run, raw_session, tf
from tf1grad._types import Session
from tf1grad.sessions.fast_runs import FastRuns
from tf1grad.sessions.graph_assertions import put_sentence_first

_ATTRIBUTE = "_tf1grad_fast_runs"


def fast_session(session: Session) -> Session:
    """The same session, whose `run` from now on looks up repeated fetches and feeds once.

        with tf1grad.fast_session(tf.Session()) as session:
            for batch in batches:
                session.run(train_op, feed_dict={x: batch})

    It stays a `tf.Session` and may be used wherever one may: with any fetches and feeds, in threads, by `tensor.eval`,
    beneath hooks. Values, errors and the order of effects stay as they are. What cannot be looked up runs as before:
    fetches of classes of one's own, session handles, partial runs. Of each session 256 runs are kept. Only what tf1grad
    itself says of a run that fails comes first in the message, and not after TensorFlow's stack.

    Args:
        session: a `tf.Session` or `tf.InteractiveSession`; or a MonitoredSession, for the session beneath its hooks.
            (One that a lost session is replaced by is not fast; the command `tf1grad run` makes all fast.)

    Returns:
        `session`.

    Raises:
        TypeError: `session` is something else, or of a class with a `run` of its own.
        RuntimeError: it is a MonitoredSession that is closed.

    Threads may share it, as they may share a `tf.Session`.
    """
    raw = raw_session(session)
    cls = type(raw)
    if cls.run is not run:
        if cls.run is not plain_run:
            raise TypeError(f"fast_session: {cls.__name__} has a run of its own, which would be passed by. Give a "
                            "tf.Session.")
        raw.__class__ = _fast_class(cls)  # type: ignore[arg-type]  # a class is hashable
    return session


@functools.lru_cache(maxsize=None)
def _fast_class(cls: Type[tf.Session]) -> Type[tf.Session]:
    return type(cls.__name__, (cls,), {"run": run, "__doc__": cls.__doc__, "__module__": cls.__module__})


@functools.wraps(plain_run)
def run(self: Any, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
    # No cycle: the runs do not refer to the session, which still ends with the last reference to it.
    runs = self.__dict__.get(_ATTRIBUTE) or self.__dict__.setdefault(_ATTRIBUTE, FastRuns())
    found = runs.find(self, fetches, feed_dict)
    try:
        if found is None:
            return plain_run(self, fetches, feed_dict, options, run_metadata)
        return found(options, run_metadata)
    except tf.errors.OpError as error:
        put_sentence_first(error)
        raise

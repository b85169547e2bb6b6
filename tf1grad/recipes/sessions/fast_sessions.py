"""Makes repeated runs of a session cost a third to a half:
names of fetches and feeds are looked up once.

The run itself is TensorFlow's, by the same call and in the same threads. So values, errors, the
order of effects and the owner of an array's memory are those of `session.run`.
"""

from __future__ import annotations

import functools
from typing import Any

from tf1grad._compat import plain_run, raw_session, tf
from tf1grad._types import FeedDict, Session
from tf1grad.recipes.sessions.fast_runs import FastRuns
from tf1grad.recipes.sessions.graph_assertions import put_sentence_first
from tf1grad.recipes.sessions.per_session import PerSession

# No cycle: the runs do not refer to the session, which still ends with the last reference to it.
_RUNS = PerSession(lambda session: FastRuns())


def fast_session(session: Session) -> Session:
    """Makes `session.run` look up repeated fetches and feeds only once.

        with tf1grad.fast_session(tf.Session()) as session:
            for batch in batches:
                session.run(train_op, feed_dict={x: batch})

    It stays a `tf.Session` and works wherever one does: in threads, by `tensor.eval`, beneath
    hooks. Fed sparse tensors, fetches of user-defined classes, session handles and partial runs go
    through `session.run` as before. Each session keeps 256 runs. One difference: tf1grad's own
    errors come first in the message of a failed run, not after TensorFlow's stack.

    Args:
        session: a `tf.Session` or `tf.InteractiveSession`; or a MonitoredSession, for the session
            beneath its hooks. (The replacement of a lost session is not fast; the command `tf1grad
            run` makes all fast.)

    Returns:
        `session`.

    Raises:
        TypeError: `session` is something else, or its class overrides `run`.
        RuntimeError: it is a MonitoredSession that is closed.

    Threads may share it, as they may share a `tf.Session`.
    """
    raw = raw_session(session)
    cls = type(raw)
    if cls.run is not run:
        if cls.run is not plain_run:
            raise TypeError(
                f"fast_session: {cls.__name__} overrides run, which a fast session would bypass. "
                "Give a tf.Session."
            )
        raw.__class__ = _fast_class(cls)  # type: ignore[arg-type]  # a class is hashable
    return session


@functools.lru_cache(maxsize=None)
def _fast_class(cls: type[tf.Session]) -> type[tf.Session]:
    return type(
        cls.__name__, (cls,), {"run": run, "__doc__": cls.__doc__, "__module__": cls.__module__}
    )


@functools.wraps(plain_run)
def run(
    self: tf.Session,
    fetches: object,
    feed_dict: FeedDict | None = None,
    options: object = None,
    run_metadata: object = None,
) -> Any:
    found = _RUNS.of(self).find(self, fetches, feed_dict)
    try:
        if found is None:
            return plain_run(self, fetches, feed_dict, options, run_metadata)
        return found(options, run_metadata)
    except tf.errors.OpError as error:
        put_sentence_first(error)
        raise

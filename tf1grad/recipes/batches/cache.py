"""Dequeues a batch once for many evaluations, as line searches and L-BFGS need.

An evaluation that reaches a queue or an iterator takes the next batch from it. These caches prevent
that: the loss is built on `cache.tensors`, and the source moves only when the cache advances.
"""

from __future__ import annotations

import itertools
import threading
from typing import Any, Callable, Iterable, Mapping, Sequence

import numpy as np

from tf1grad._compat import (
    is_remote,
    operation,
    raw_session,
    require_graph,
    tf,
    without_dependencies,
)
from tf1grad._types import BatchTensors, FeedDict, Session
from tf1grad.recipes.batches.batch_tensors import take_apart
from tf1grad.recipes.sessions.exclusive import Exclusive
from tf1grad.recipes.sessions.graph_assertions import assert_in_run
from tf1grad.recipes.sessions.prepared import PreparedRun
from tf1grad.recipes.sessions.state_variables import state_variable


class Batch(dict):  # type: ignore[type-arg]
    """The `feed_dict` of one batch. As a context manager it calls `release` at the end."""

    def __init__(
        self,
        feeds: Mapping[Any, Any] | Iterable[tuple[Any, Any]],
        release: Callable[[], None] | None = None,
    ) -> None:
        super().__init__(feeds)
        self._release = release

    def release(self) -> None:
        """Gives the batch's memory back and empties the `feed_dict`.
        A second call changes nothing.
        """
        self.clear()
        release, self._release = self._release, None
        if release:
            release()

    def __enter__(self) -> Batch:
        return self

    def __exit__(self, *exception: object) -> None:
        self.release()


class VariableBatchCache:
    """Holds a batch in variables of the runtime:
    `cache.advance(session)` fills them, evaluations only read.

        # Dequeues once; the variables keep the batch until the next advance.
        with cache.advance(session) as feed_dict:
            for step in steps:
                session.run(loss, feed_dict)  # the same batch each time

    It works in every kind of session, also with a `tf.train.Server` and in a MonitoredSession. The
    variables are not in collections: they are not trained, not saved by a plain `Saver()`, and need
    no initializer.

    The threads of a session share its batch, which a thread may see change while it evaluates.
    `HandleBatchCache` gives each thread a separate batch. Programs on one server have a batch each.

    Args:
        live: the source's tensors: a tensor, a `tf.SparseTensor`, or a list, tuple or dict of them,
            of any dtype but variant and resource, of any shape: sizes may change from batch to
            batch where the static shape has None.

    Attributes:
        tensors: the cached batch, with the live tensors' static shapes: a list, or for a dict a
            dict of the same keys. Reading them before the first advance fails the run
            ("uninitialized").
        advances: how often the cache advanced, in all sessions.

    Raises:
        TypeError: `live` holds something that is not a tensor, or a tensor of dtype variant or
            resource.
        ValueError: `live` is empty.

    Source: the recipe of the non-trainable variable that `advance_batch` assigns, whose initial
        value fixes the size.
    """

    def __init__(self, live: BatchTensors) -> None:
        require_graph("VariableBatchCache")
        parts, rebuild = take_apart(live, "VariableBatchCache")
        with tf.name_scope("variable_batch_cache"):
            cells = [state_variable("batch", part.shape, part.dtype) for part in parts]
            owned = _owned(parts)

            def store() -> tf.Tensor:
                with tf.control_dependencies(
                    [operation(cell.assign(part)) for cell, part in zip(cells, owned)]
                ):
                    return tf.constant(True)

            with tf.control_dependencies(owned):
                self._store = PreparedRun([Exclusive().build_locked(store).op])
            with without_dependencies():
                self.tensors = rebuild([cell.read_value() for cell in cells])
        self._lock = threading.Lock()
        self.advances = 0

    def advance(self, session: Session, feed_dict: FeedDict | None = None) -> Batch:
        """Takes the next batch from the source, and returns the `feed_dict` for it, which is empty.

        Args:
            session: a `tf.Session`, or a `MonitoredSession` (its hooks are not run, because this is
                not a step).
            feed_dict: what the source needs to be fed, or None.

        Returns:
            A `Batch`, as a `HandleBatchCache` does. Its end releases nothing.

        Raises:
            tf.errors.OutOfRangeError: the source has ended. The last batch stays.
        """
        self._store(raw_session(session), feed_dict or {})
        with self._lock:
            self.advances += 1
        return Batch({})


class HandleBatchCache:
    """Keeps a batch of any shape in the runtime,
    and lets evaluations reach it through a `feed_dict` of handles.

        # Dequeues once, and releases the batch at the end.
        with cache.advance(session) as feed_dict:
            for step in steps:
                session.run(loss, feed_dict)  # the same batch each time

    One batch is held at a time. It belongs to the session that dequeued it: fed to another one it
    raises `InvalidArgumentError` (TensorFlow's handles may silently name another session's tensor).

    Threads may share the cache: each holds one batch until it advances again. The batch of a thread
    that has ended is released when another one advances.

    Args:
        live: the source's tensors: a tensor, a `tf.SparseTensor`, or a list, tuple or dict of them,
            of any dtype but variant and resource.

    Attributes:
        tensors: the cached batch, with the live tensors' static shapes: a list, or for a dict a
            dict of the same keys. An evaluation needs the `feed_dict` of `advance`.
        advances: how often the cache advanced, in all sessions.

    Raises:
        TypeError: `live` holds something that is not a tensor, or a tensor of dtype variant or
            resource.
        ValueError: `live` is empty.

    Source: `tf.get_session_handle`. All ops are built here, so that finalized graphs and
        MonitoredSessions neither
    fail nor leak.
    """

    def __init__(self, live: BatchTensors) -> None:
        require_graph("HandleBatchCache")
        parts, rebuild = take_apart(live, "HandleBatchCache")
        with tf.name_scope("handle_batch_cache"):
            with without_dependencies():
                self._key = tf.placeholder(tf.int64, [], name="key")
            handles = [
                tf.raw_ops.GetSessionHandle(value=part) for part in [self._key] + _owned(parts)
            ]
            self._store = PreparedRun(handles)
            with without_dependencies():
                self.tensors = rebuild(self._held(handles, parts))
                self._delete = PreparedRun(
                    [tf.raw_ops.DeleteSessionTensor(handle=holder) for holder in self._holders]
                )
        self._keys = itertools.count()
        self._batches: dict[threading.Thread, Batch] = {}
        self._lock = threading.Lock()
        self.advances = 0

    def advance(self, session: Session, feed_dict: FeedDict | None = None) -> Batch:
        """Takes the next batch from the source, releases the previous one,
        and returns the `feed_dict` for it.

        This thread's previous batch is released after that, and stays usable when the input ends.

        Args:
            session: a `tf.Session`, or a `MonitoredSession` (its hooks are not run, because this is
                not a step).
            feed_dict: what the source needs to be fed, or None.

        Returns:
            A `Batch`: a `feed_dict` for `session.run`, and a context manager that releases the
            batch at the end.

        Raises:
            tf.errors.OutOfRangeError: the source has ended.
            ValueError: the session is remote; VariableBatchCache works there.
        """
        session = raw_session(session)
        if is_remote(session):
            raise ValueError(
                f"HandleBatchCache: the session's target is {session.sess_str!r}, and a remote session keeps no "
                "tensors for handles. VariableBatchCache works there, for batches of changing sizes too."
            )
        # A tensor of another session with the same name has another key.
        key = np.int64(next(self._keys))
        handles = self._store(session, {self._key: key, **(feed_dict or {})})
        batch = Batch(
            zip(self._holders + [self._key], handles + [key]),
            lambda: self._forget(session, handles),
        )
        with self._lock:
            self.advances += 1
            mine = threading.current_thread()
            ended = [thread for thread in self._batches if thread is mine or not thread.is_alive()]
            previous = [self._batches.pop(thread) for thread in ended]
            self._batches[mine] = batch
        for earlier in previous:
            earlier.release()
        return batch

    def _held(self, handles: Sequence[tf.Tensor], parts: Sequence[tf.Tensor]) -> list[tf.Tensor]:
        """Returns the tensors like `parts` that are found by the fed names of `handles`."""
        # TensorFlow's error for a missing feed shows only the placeholder's name.
        self._holders = [
            tf.placeholder(tf.string, [], name="feed_what_advance_returned") for _ in handles
        ]
        stored_key, *values = [
            _at(handle, holder, part)
            for handle, holder, part in zip(handles, self._holders, [self._key, *parts])
        ]
        checked = assert_in_run(
            tf.equal(stored_key, self._key),
            "HandleBatchCache",
            "this batch belongs to another session. Call "
            "cache.advance(session) with the session that evaluates.",
            name="batch_of_another_session",
        )
        with tf.control_dependencies([checked]):
            return [tf.identity(value) for value in values]

    def _forget(self, session: tf.Session, handles: Sequence[Any]) -> None:
        try:
            self._delete(session, dict(zip(self._holders, handles)))
        except (RuntimeError, tf.errors.CancelledError):
            pass  # the session is closed, and took its tensors with it


def _owned(parts: Sequence[tf.Tensor]) -> list[tf.Tensor]:
    """Returns copies of `parts`, made after every part is computed:
    if one source ends, nothing is stored.

    Without a copy, what is stored may share its memory with an array that the user fed, or with a
    ref variable.
    """
    with tf.control_dependencies(parts):
        return [tf.raw_ops.DeepCopy(x=part) for part in parts]


def _at(handle: tf.Tensor, holder: tf.Tensor, part: tf.Tensor) -> tf.Tensor:
    """Returns the tensor that `handle` named, found by the name fed to `holder`."""
    with tf.get_default_graph().colocate_with(handle.op):
        value = tf.raw_ops.GetSessionTensor(handle=holder, dtype=part.dtype)
    value.set_shape(part.shape)
    return value

"""Runs one training step over an iterable of micro-batches, through runs that are prepared once."""

from __future__ import annotations

import collections.abc
import threading
from typing import Any, Iterable, Iterator, List, Optional

from tf1grad._arguments import check_session, describe
from tf1grad._compat import tf, v1_control_flow
from tf1grad._types import FeedDict, Optimizer, Session
from tf1grad.accumulation.sums import FEW
from tf1grad.accumulation.window import Window
from tf1grad.gradients.apply import apply_gradients, current_scope
from tf1grad.gradients.train_op import part_of_a_train_op
from tf1grad.sessions.per_session import PerSession
from tf1grad.sessions.prepared import PreparedRun


class AccumulatedStep:
    """A step of any number of micro-batches as one call; made by `GradientAccumulator.step`.

    The step keeps its window in the accumulator's state, and leaves it empty.

    Threads may share it: those with one session take their steps one after another, each step whole. While one is
    taken, no thread may run the accumulator's ops.
    """

    def __init__(self, window: Window, optimizer: Optimizer, global_step: Optional[tf.Variable],
                 loss: Optional[tf.Tensor]) -> None:
        scope = current_scope()
        with tf.name_scope(window.name + "step/"), v1_control_flow():
            self._opens = tf.placeholder(tf.bool, [], name="opens")
            with window.computed():
                self._first = _Phase([window.open()], [])
                self._early = _Phase([window.extend()], [])
                self._first_fold, self._fold = _Phase([window.first_fold()], []), _Phase([window.fold()], [])
                self._late = _Phase([window.extend(long=tf.constant(True))], [])
            self._last = _Phase(self._closing(window, optimizer, global_step, loss, scope), [self._opens])
        self._turns = PerSession(lambda session: threading.Lock())

    def _closing(self, window: Window, optimizer: Optimizer, global_step: Optional[tf.Variable],
                 loss: Optional[tf.Tensor], scope: str) -> List[Any]:
        with window.computed():
            opens = tf.identity(self._opens)
        extended = window.with_current(opens)
        totals, pairs = extended.totals, extended.grads_and_vars(optimizer)
        with tf.name_scope(scope), part_of_a_train_op():
            apply = apply_gradients(optimizer, pairs, global_step)
        with tf.control_dependencies([apply]):
            clear = window.clear()
        return [clear] if loss is None else [clear, tf.cast(totals[2] / totals[1], loss.dtype)]

    def __call__(self, session: Session, feed_dicts: Iterable[FeedDict]) -> Any:
        """Runs one step and returns the mean loss of its micro-batches (None when there is no `loss`).

        Nothing is applied before the last micro-batch. If a run or the iterable raises an error, no variable has
        changed, and the next call begins a new window.

        Args:
            session: a `tf.Session` or `MonitoredSession`.
            feed_dicts: an iterable of `feed_dict`s, one a micro-batch; `[{}] * k` for `k` batches from a queue. It is
                read one ahead, to know the last.

        Raises:
            TypeError: `session` is not a session, or `feed_dicts` not an iterable of dicts.
            ValueError: `feed_dicts` is empty, or the session is of another graph.
        """
        check_session(session, self._opens.graph, "AccumulatedStep")
        with self._turns.of(session):
            return self._take(session, _each(feed_dicts))

    def _take(self, session: Session, feed_dicts: Iterator[Any]) -> Any:
        try:
            current = next(feed_dicts)
        except StopIteration:
            raise ValueError("a step needs at least one micro-batch; feed_dicts is empty.") from None
        count = 0
        for following in feed_dicts:
            self._phase(count).run(session, current)
            count, current = count + 1, following
        results = self._last.run(session, current, count == 0)
        return results[0] if results else None

    def _phase(self, count: int) -> _Phase:
        """Returns the phase that takes a micro-batch into a window that holds `count`."""
        if count % FEW:
            return self._early if count < FEW else self._late
        return {0: self._first, FEW: self._first_fold}.get(count, self._fold)


def _each(feed_dicts: Any) -> Iterator[Any]:
    try:
        given = None if isinstance(feed_dicts, collections.abc.Mapping) else iter(feed_dicts)
    except TypeError:
        given = None
    if given is None:
        raise TypeError("AccumulatedStep: feed_dicts must be an iterable with a feed_dict for each micro-batch; got "
                        f"{describe(feed_dicts)}. For one micro-batch write step(session, [feed_dict]).")
    return map(_one, given)


def _one(feed_dict: Any) -> Any:
    if feed_dict is not None and not isinstance(feed_dict, collections.abc.Mapping):
        raise TypeError("AccumulatedStep: each element of feed_dicts must be a feed_dict, such as {x: batch}; got "
                        f"{describe(feed_dict)}.")
    return feed_dict


class _Phase:
    """The same fetches under feed_dicts that mostly have the same keys."""

    def __init__(self, fetches: List[Any], leading_feeds: List[tf.Tensor]) -> None:
        self._fetches, self._leading = fetches, leading_feeds
        self._last: Any = (None, None)

    def run(self, session: Session, feed_dict: Any, *leading_values: Any) -> List[Any]:
        if feed_dict is None:
            feed_dict = {}
        keys = tuple(feed_dict)
        if not all(isinstance(key, tf.Tensor) for key in keys):  # `run` can feed sparse tensors and names
            fed = dict(feed_dict)
            fed.update(zip(self._leading, leading_values))
            results: List[Any] = session.run(self._fetches, fed)
            return results[1:]
        names = [key.name for key in keys]
        known, prepared = self._last
        if names != known:
            prepared = PreparedRun(self._fetches, self._leading + list(keys))
            self._last = names, prepared  # one assignment, for threads with other sessions
        results = prepared(session, *(leading_values + tuple(feed_dict.values())))
        return results

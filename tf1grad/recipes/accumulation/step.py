"""Runs one training step over an iterable of micro-batches, through runs that are prepared once."""

from __future__ import annotations

import collections.abc
from typing import Any, Iterable, Iterator, Mapping

from tf1grad._arguments import check_session, describe
from tf1grad._compat import operation, tf, v1_control_flow, without_dependencies
from tf1grad._types import FeedDict, Optimizer, Session
from tf1grad.recipes.accumulation.window import Window
from tf1grad.recipes.gradients.apply import apply_part, current_scope
from tf1grad.recipes.sessions.prepared import PreparedRun
from tf1grad.recipes.sessions.writes import ancestors


class AccumulatedStep:
    """A step of any number of micro-batches as one call; made by `GradientAccumulator.step`.

    The step keeps its window in the accumulator's state, and leaves it empty unless a run fails.

    Threads may share it: those with one session take their steps one after another, each step
    whole, also with another step of the same accumulator. While one is taken, no thread may run the
    accumulator's ops. A generator must not join a thread that takes a step: both would wait for
    ever. After a minute a warning says so.
    """

    def __init__(
        self, window: Window, optimizer: Optimizer, global_step: tf.Variable | None
    ) -> None:
        scope = current_scope()
        with tf.name_scope(window.name + "step/"), v1_control_flow():
            with without_dependencies():
                self._opens = tf.placeholder(tf.bool, [], name="opens")
            with window.after_micro_batch():
                self._accumulate = PreparedRun([window.accumulate(self._opens).op])
            with without_dependencies():
                closing = _closing(window, optimizer, global_step, scope)
        self._apply, self._applied_from = PreparedRun(closing), _sources(closing)
        self._locks = window.step_locks

    def __call__(self, session: Session, feed_dicts: Iterable[FeedDict]) -> Any:
        """Runs one step and returns the mean loss of its micro-batches (None
        when there is no `loss`).

        Each micro-batch is accumulated before the next is asked for. So a generator may fill one
        array or one dict again and again, or advance a batch cache. When it ends, a run applies the
        window. What that run needs, such as a learning rate, is taken from the last `feed_dict`. If
        a run or the iterable raises an error before that, no variable has changed. The next call
        begins a new window.

        Args:
            session: a `tf.Session` or `MonitoredSession`.
            feed_dicts: an iterable of `feed_dict`s, one a micro-batch; `[{}] * k` for `k` batches
                from a queue.

        Raises:
            TypeError: `session` is not a session, or `feed_dicts` not an iterable of dicts.
            ValueError: `feed_dicts` is empty, or the session is of another graph.
            RuntimeError: a step of this accumulator is called in its own `feed_dicts`, in a signal
                handler that interrupts it, or in a process that was forked after a step in this
                session.
            InvalidArgumentError: a guard such as `drop_nonfinite` dropped every micro-batch, or all
                have the weight 0. Nothing was applied.
        """
        check_session(session, self._opens.graph, "AccumulatedStep")
        return self._locks.of(session).hold(lambda: self._take(session, _each(feed_dicts)))

    def _take(self, session: Session, feed_dicts: Iterator[Any]) -> Any:
        feeds: dict[Any, Any] = {}
        for feed_dict in feed_dicts:
            feeds = {self._opens: not feeds, **feed_dict}
            self._accumulate(session, feeds)
        if not feeds:
            raise ValueError(
                "AccumulatedStep: feed_dicts is empty; a step needs at least one micro-batch."
            )
        losses = self._apply(session, _only(self._applied_from, feeds))
        return losses[0] if losses else None


def _closing(
    window: Window, optimizer: Optimizer, global_step: tf.Variable | None, scope: str
) -> list[Any]:
    """Returns what to fetch when all is accumulated:
    an op that applies and resets, and the mean loss.
    """
    totals, sums = window.read()
    applied = apply_part(optimizer, window.reduce(totals, sums), global_step, scope)
    with tf.control_dependencies([applied, totals]):
        reset = window.reset().op
    return [reset] if window.loss is None else [reset, window.average_loss(totals)]


def _sources(fetches: list[Any]) -> set[str]:
    """Returns the names of the tensors that `fetches` are computed from."""
    ops = ancestors(map(operation, fetches))
    return {tensor.name for op in ops for tensor in op.outputs}


def _only(names: set[str], feed_dict: Mapping[Any, Any]) -> dict[Any, Any]:
    """Returns the feeds of tensors with these names;
    nobody may keep the other values valid any more.
    """
    return {key: value for key, value in feed_dict.items() if getattr(key, "name", key) in names}


def _each(feed_dicts: Any) -> Iterator[FeedDict]:
    if not isinstance(feed_dicts, collections.abc.Iterable):
        raise TypeError(
            "AccumulatedStep: feed_dicts must be an iterable of feed_dicts, one for each micro-batch; got "
            f"{describe(feed_dicts)}."
        )
    for feed_dict in feed_dicts:
        if feed_dict is not None and not isinstance(feed_dict, collections.abc.Mapping):
            raise TypeError(
                "AccumulatedStep: each element of feed_dicts must be a feed_dict, such as {x: batch}; got "
                f"{describe(feed_dict)}. For one micro-batch write step(session, [feed_dict])."
            )
        yield feed_dict or {}

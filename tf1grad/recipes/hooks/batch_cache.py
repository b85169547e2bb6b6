"""Advances a batch cache with the steps of a MonitoredSession."""

from __future__ import annotations

from typing import Any, Union

from tf1grad._arguments import describe
from tf1grad._compat import tf, v1_control_flow, without_dependencies
from tf1grad.recipes.accumulation.apply_when_full import windows_in
from tf1grad.recipes.batches.cache import Batch, HandleBatchCache, VariableBatchCache
from tf1grad.recipes.gradients.guard_registry import guards_in
from tf1grad.recipes.hooks.monitored import MonitoredHook, check_global_step, check_graph

Cache = Union[VariableBatchCache, HandleBatchCache]


class BatchCacheHook(MonitoredHook):
    """Advances a batch cache once a step or micro-batch:
    all runs until it is taken see the same batch.

        cache = tf1grad.HandleBatchCache(queue.dequeue())
        loss = energy_error(*cache.tensors)
        hook = tf1grad.BatchCacheHook(cache)

    The next batch is taken before the first run after a step, whatever that run fetches. A step
    that a guard such as `drop_nonfinite` skipped counts too: its batch would be bad again. At the
    end of the input that run raises `OutOfRangeError`, which ends the session as the end of any
    input does. A new session, also after one was lost (`AbortedError`), takes a new batch.

    If the batch goes into the window of an `AccumulateHook` or an `AccumulatingOptimizer`, the next
    one is also taken after each micro-batch. A program that runs the ops of a `GradientAccumulator`
    itself sees one batch in the whole window: let it call `cache.advance(session)` before each
    micro-batch instead of using this hook.

    Not thread-safe: one thread runs the session, because the hook keeps state from the start of a
    run to its end.

    Args:
        cache: a `VariableBatchCache` or `HandleBatchCache`.
        global_step: the variable that counts applied steps; default the graph's.

    Raises:
        TypeError: `cache` is not a batch cache, or `global_step` is not a variable.
        ValueError: a global step is missing, or the cache is of another graph.
        RuntimeError: the graph is finalized, or eager execution is on.

    Source: the recipe's `session.run(advance_batch)` before each step, as a
        `tf.train.SessionRunHook`.
    """

    def __init__(
        self,
        cache: Cache,
        global_step: tf.Variable | None = None,
    ) -> None:
        super().__init__()
        if not isinstance(cache, (VariableBatchCache, HandleBatchCache)):
            raise TypeError(
                "BatchCacheHook: cache must be a VariableBatchCache or HandleBatchCache; got "
                f"{describe(cache)}."
            )
        self._cache = cache
        self._global_step = check_global_step(global_step, self._caller)
        tensor = tf.nest.flatten(cache.tensors, expand_composites=True)[0]
        check_graph(tensor, self._graph, self._caller, "the cache")

    def begin(self) -> None:
        super().begin()
        self._counts = [self._global_step] + [
            guard.dropped for guard in guards_in(self._graph) if guard.dropped is not None
        ]
        tensors = tf.nest.flatten(self._cache.tensors, expand_composites=True)
        with v1_control_flow(), without_dependencies():
            self._counts += [
                window.totals()[0]
                for window in windows_in(self._graph)
                if window.is_computed_from(tensors)
            ]

    def after_create_session(self, session: tf.Session, coord: tf.train.Coordinator) -> None:
        super().after_create_session(session, coord)
        self._seen: Any = None
        self._feed_dict: Batch | None = None

    def before_run(self, run_context: tf.train.SessionRunContext) -> tf.train.SessionRunArgs | None:
        super().before_run(run_context)
        counts = run_context.session.run(self._counts)
        if counts != self._seen:
            self._feed_dict = self._cache.advance(run_context.session)
            self._seen = counts
        return tf.train.SessionRunArgs(None, self._feed_dict)

    def end(self, session: tf.Session) -> None:
        if self._feed_dict:
            self._feed_dict.release()

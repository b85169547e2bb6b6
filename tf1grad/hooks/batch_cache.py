"""Advances a batch cache with the steps of a MonitoredSession."""

from __future__ import annotations

from typing import Any, Iterable, Optional, Union

from tf1grad._arguments import describe
from tf1grad._compat import tf
from tf1grad.batches.aligned import AlignedBatchCache
from tf1grad.batches.cache import HandleBatchCache, VariableBatchCache
from tf1grad.hooks.monitored import MonitoredHook, checked_global_step

Cache = Union[VariableBatchCache, HandleBatchCache, AlignedBatchCache]
CACHES = (VariableBatchCache, HandleBatchCache, AlignedBatchCache)


class BatchCacheHook(MonitoredHook):
    """Advances a batch cache once a step: all runs until `global_step` has moved see the same batch.

        cache = tf1grad.HandleBatchCache(queue.dequeue())
        loss = energy_error(*cache.tensors)
        hook = tf1grad.BatchCacheHook(cache)

    The next batch is taken before the first run after a step, whatever that run fetches. At the end of the input that
    run raises `OutOfRangeError`, which ends the session as the end of any input does. A new session, also after one
    was lost (`AbortedError`), takes a new batch.

    Not thread-safe: one thread runs the session, because the hook keeps state from the start of a run to its end.

    Args:
        cache: a `VariableBatchCache`, `HandleBatchCache` or `AlignedBatchCache`.
        batches: for an `AlignedBatchCache`, whose batches come from Python: an iterable of the arguments of its
            `advance`: tuples of array-likes. For the others None.
        global_step: the variable that counts applied steps; default the graph's.

    Raises:
        TypeError: `cache` is not a batch cache, `batches` cannot be iterated, `global_step` is not a variable.
        ValueError: `batches` is missing or not wanted, a global step is missing, or the cache is of another graph.
        RuntimeError: the graph is finalized, or eager execution is on.

    Source: the recipe's `session.run(advance_batch)` before each step, as a `tf.train.SessionRunHook`.
    """

    def __init__(
        self,
        cache: Cache,
        batches: Optional[Iterable[Any]] = None,
        global_step: Optional[tf.Variable] = None,
    ) -> None:
        super().__init__()
        if not isinstance(cache, CACHES):
            raise TypeError(
                "BatchCacheHook: cache must be a VariableBatchCache, HandleBatchCache or "
                f"AlignedBatchCache; got {describe(cache)}."
            )
        if isinstance(cache, AlignedBatchCache) == (batches is None):
            raise ValueError(
                "BatchCacheHook: an AlignedBatchCache gets its batches from Python, as batches=[(x, y), "
                "...]; the other caches have their source in the graph and take none. Got a "
                f"{type(cache).__name__} and batches={describe(batches)}."
            )
        self._cache = cache
        try:
            self._batches: Any = None if batches is None else iter(batches)
        except TypeError:
            raise TypeError(
                "BatchCacheHook: batches must be an iterable of tuples of arrays; got "
                f"{describe(batches)}."
            ) from None
        self._global_step = checked_global_step(global_step, self._caller)
        if tf.nest.flatten(cache.tensors)[0].graph is not self._graph:
            raise ValueError(
                "BatchCacheHook: the cache is of another graph than the default one. Make both inside the "
                "same `with graph.as_default():`."
            )

    def after_create_session(self, session: tf.Session, coord: Any) -> None:
        super().after_create_session(session, coord)
        self._step, self._feed_dict = None, None

    def before_run(self, run_context: Any) -> Any:
        super().before_run(run_context)
        step = run_context.session.run(self._global_step)
        if step != self._step:
            self._feed_dict = self._advance(run_context.session)
            self._step = step
        return tf.train.SessionRunArgs(None, self._feed_dict)

    def _advance(self, session: tf.Session) -> Any:
        """Takes the next batch; returns its feeds."""
        if not isinstance(self._cache, AlignedBatchCache):
            return self._cache.advance(session)
        batch = next(self._batches, None)
        if batch is None:
            raise tf.errors.OutOfRangeError(
                None, None, "BatchCacheHook: the batches have come to their end."
            )
        return self._cache.advance(*batch)

    def end(self, session: tf.Session) -> None:
        if self._feed_dict:
            self._feed_dict.release()

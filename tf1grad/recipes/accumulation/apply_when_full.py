"""Applies a window whenever it is full, for `AccumulatingOptimizer` and `AccumulateHook`."""

from __future__ import annotations

from typing import Any, Callable

from tf1grad._compat import in_one_of_several_replicas, operation, tf
from tf1grad._types import Optimizer
from tf1grad.recipes.accumulation.micro_batch import check_count
from tf1grad.recipes.accumulation.window import Window
from tf1grad.recipes.gradients.apply import applied_after, apply_part, current_scope
from tf1grad.recipes.sessions.state_variables import (
    counting_variable,
    read_or_zeros,
    zero_with_initializers,
)

# A tuple, as TensorFlow exports and copies collections with string keys only.
_KEY = ("tf1grad_windows",)


def windows_in(graph: tf.Graph) -> list[Window]:
    """Returns the windows of a graph that are applied when they are full,
    in the order in which they were made.
    """
    return list(graph.get_collection(_KEY))


class Accumulation:
    """The ops that take one micro-batch after the other into a window,
    and apply it on each time it is full.

    Args: a `Window`, and as those of `AccumulateHook`; `caller` is the name that error messages
        start with.
    """

    def __init__(
        self,
        window: Window,
        optimizer: Optimizer,
        global_step: tf.Variable | None,
        batches_per_step: object,
        caller: str,
    ) -> None:
        self.window, self._optimizer, self._global_step = window, optimizer, global_step
        self._batches_per_step, self._caller = batches_per_step, caller
        self._scope = current_scope()
        self._updates = None
        with tf.init_scope():
            tf.add_to_collection(_KEY, window)
        # A function of the number of updates needs that number, and no global step counts them.
        if global_step is None and callable(batches_per_step):
            with tf.name_scope(window.name):
                self._updates = counting_variable("updates", [], tf.int64, window.persistent)
                if not window.persistent:
                    zero_with_initializers(self._updates, window.variables)

    def run(self) -> tuple[tf.Tensor, tf.Tensor]:
        """Takes the current micro-batch; returns whether the window was full and applied,
        and the totals until then.
        """

        def take() -> tuple[tf.Tensor, tf.Tensor]:
            limit = self._limit()
            with tf.control_dependencies([limit]):  # nothing is written where it is wrong
                totals = self.window.accumulate()
            return self._close_if(totals[0] >= limit, totals), totals

        with tf.name_scope(self.window.name), self.window.after_micro_batch():
            applied, totals = self.window.build_locked(take)
        return applied, totals

    def flush(self) -> tf.Tensor:
        """Returns a bool scalar that applies the window when run,
        if it has any weight, and empties it.

        It is True in a run that applied.
        """

        def close() -> tf.Tensor:
            totals = self.window.totals()
            return self._emptied(self._close_if(totals[1] > 0, totals))

        with tf.name_scope(self.window.name):
            return self.window.build_locked(close)

    def _limit(self) -> tf.Tensor:
        limit = self._batches_per_step
        if callable(limit):
            updates = (
                read_or_zeros(self._updates) if self._global_step is None else self._global_step
            )
            limit = limit(tf.cast(updates, tf.int64))
        return tf.cast(check_batches(limit, self._caller), tf.float64)

    def _close_if(self, condition: tf.Tensor, totals: tf.Tensor) -> tf.Tensor:
        """Returns a bool scalar that applies and empties the window where `condition` is
        True; True if it applied.

        `condition` is computed from `totals`, which wait until all sums are written. So the sums
        are read after that.
        """
        # An optimizer of one of several replicas cannot apply within a conditional of that replica
        # alone.
        if not in_one_of_several_replicas():
            return tf.cond(condition, lambda: self._close(totals), lambda: tf.constant(False))
        if self.window.guarded:
            raise ValueError(
                f"{self._caller}: one replica of a tf.distribute strategy cannot leave a micro-batch "
                "out alone. Give gradients without drop_nonfinite."
            )
        return tf.distribute.get_replica_context().merge_call(
            _cond_in_all_replicas, args=(condition, lambda: self._close(totals))
        )

    def _close(self, totals: tf.Tensor) -> tf.Tensor:
        if self.window.guarded:  # it may have left every micro-batch out; else `_step` raises
            applied = tf.cond(totals[1] > 0, self._step, lambda: tf.constant(False))
        else:
            applied = self._step()
        return self._emptied(applied)

    def _emptied(self, applied: tf.Tensor) -> tf.Tensor:
        """Returns the bool scalar `applied`, known after it and after the window is emptied."""
        with tf.control_dependencies([applied]), tf.control_dependencies([self.window.reset()]):
            return tf.identity(applied)

    def _step(self) -> tf.Tensor:
        step = apply_part(
            self._optimizer, self.window.grads_and_vars(), self._global_step, self._scope
        )
        if self._updates is not None:
            with tf.control_dependencies([step]):
                step = operation(self._updates.assign(read_or_zeros(self._updates) + 1))
        return applied_after(self._optimizer, step)


def _cond_in_all_replicas(
    strategy: Any, full: tf.Tensor, apply: Callable[[], tf.Tensor]
) -> tf.Tensor:
    """Builds one `tf.cond` for all replicas, because their windows fill together.

    An optimizer applies outside of its replica, which it cannot do in a conditional of one replica.
    """

    def apply_all() -> tf.Tensor:
        done = strategy.extended.call_for_each_replica(lambda build: build(), args=(apply,))
        return _done(tf.group(*strategy.experimental_local_results(done)))

    everywhere = strategy.experimental_local_results(full)
    with tf.control_dependencies(everywhere):
        return tf.cond(everywhere[0], apply_all, lambda: tf.constant(False))


def check_batches(batches: int | tf.Tensor, caller: str) -> tf.Tensor:
    """Returns `batches_per_step`, which is not a function, as an int64 scalar of at least 1."""
    return check_count(batches, caller, "batches_per_step", "an update on every run")


def _done(op: tf.Operation) -> tf.Tensor:
    with tf.control_dependencies([op]):
        return tf.constant(True)

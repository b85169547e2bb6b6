"""Applies a window whenever it is full, for `AccumulatingOptimizer` and `AccumulateHook`."""

from typing import Any, Callable, List, Optional, Tuple

from tf1grad._arguments import count
from tf1grad._compat import in_one_of_several_replicas, tf
from tf1grad._types import Optimizer
from tf1grad.accumulation.window import Window
from tf1grad.gradients.apply import apply_part, current_scope
from tf1grad.sessions.state_variables import counting_variable, read_or_zeros, zero_with_initializers


class Accumulation:
    """The ops that take one micro-batch after the other into a window, and apply it on each time it is full.

    Args: a `Window`, and as those of `AccumulateHook`; `caller` is the name that error messages start with.
    """

    def __init__(self, window: Window, optimizer: Optimizer, global_step: Optional[tf.Variable], batches_per_step: Any,
                 caller: str) -> None:
        self.window, self._optimizer, self._global_step = window, optimizer, global_step
        self._batches_per_step, self._caller = batches_per_step, caller
        self._scope = current_scope()
        self._updates = None
        if global_step is None and callable(batches_per_step):
            with tf.name_scope(window.name):
                self._updates = counting_variable("updates", [], tf.int64, window.persistent)
                if not window.persistent:
                    zero_with_initializers(self._updates, window.variables)

    def run(self) -> Tuple[tf.Tensor, tf.Tensor]:
        """Takes the current micro-batch; returns whether the window was full and applied, and the totals until then."""
        def take() -> List[tf.Tensor]:
            totals = self.window.accumulate()
            return [self._apply_if(totals[0] >= self._limit(), totals), totals]

        with tf.name_scope(self.window.name), self.window.computed():
            applied, totals = self.window.alone(take)
        return applied, totals

    def flush(self) -> tf.Tensor:
        """Returns a bool scalar that applies a window that is not empty when run; True if it did."""
        def close() -> tf.Tensor:
            totals = self.window.totals()
            return self._apply_if(totals[0] > 0, totals)

        with tf.name_scope(self.window.name):
            return self.window.alone(close)

    def _limit(self) -> tf.Tensor:
        limit = self._batches_per_step
        if callable(limit):
            updates = read_or_zeros(self._updates) if self._global_step is None else self._global_step
            limit = limit(tf.cast(updates, tf.int64))
        return tf.cast(checked_batches(limit, self._caller), tf.float64)

    def _apply_if(self, condition: tf.Tensor, totals: tf.Tensor) -> tf.Tensor:
        """Returns a bool scalar that applies the window where `condition` is True; True if it did."""
        if not in_one_of_several_replicas():
            return tf.cond(condition, lambda: self._apply_if_weighed(totals), lambda: tf.constant(False))
        if self.window.guarded:
            raise ValueError(f"{self._caller}: one replica of a tf.distribute strategy cannot leave a micro-batch "
                             "out alone. Give gradients without drop_nonfinite.")
        return tf.distribute.get_replica_context().merge_call(_cond_in_all_replicas, args=(condition, self._apply))

    def _apply_if_weighed(self, totals: tf.Tensor) -> tf.Tensor:
        """Applies the window, but empties it without a step if its guard left every micro-batch out."""
        if not self.window.guarded:
            return self._apply()
        return tf.cond(totals[1] > 0, self._apply, lambda: _done(self.window.reset(), False))

    def _apply(self) -> tf.Tensor:
        grads_and_vars = self.window.grads_and_vars()
        with tf.control_dependencies([apply_part(self._optimizer, grads_and_vars, self._global_step, self._scope)]):
            closed = [self.window.reset()]
            if self._updates is not None:
                closed.append(self._updates.assign(read_or_zeros(self._updates) + 1))
        return _done(tf.group(*closed), True)


def _cond_in_all_replicas(strategy: Any, full: tf.Tensor, apply: Callable[[], tf.Tensor]) -> tf.Tensor:
    """Builds one `tf.cond` for all replicas, because their windows fill together.

    An optimizer applies outside of its replica, which it cannot do in a conditional of one replica.
    """
    def apply_all() -> tf.Tensor:
        done = strategy.extended.call_for_each_replica(lambda build: build(), args=(apply,))
        return _done(tf.group(*strategy.experimental_local_results(done)), True)

    everywhere = strategy.experimental_local_results(full)
    with tf.control_dependencies(everywhere):
        return tf.cond(everywhere[0], apply_all, lambda: tf.constant(False))


def checked_batches(batches: Any, caller: str) -> tf.Tensor:
    """Returns `batches_per_step`, which is not a function, as an integer scalar tensor."""
    return count(batches, caller, "batches_per_step", "an update on every run")


def _done(op: tf.Operation, applied: bool) -> tf.Tensor:
    with tf.control_dependencies([op]):
        return tf.constant(applied)

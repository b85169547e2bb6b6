"""Applies a window whenever it is full, for `AccumulatingOptimizer` and `AccumulateHook`."""

from typing import Any, Callable, List, Optional, Tuple

from tf1grad._compat import in_one_of_several_replicas, operation, tf
from tf1grad._types import GradsAndVars, Optimizer
from tf1grad.accumulation.window import Window
from tf1grad.gradients.apply import apply_gradients, current_scope
from tf1grad.gradients.train_op import part_of_a_train_op
from tf1grad.sessions.state_variables import counting_variable, read_or_zeros, zero_with_initializers


class Accumulation:
    """The ops that take one micro-batch after the other into a window, and apply it on each time it is full.

    Args:
        window: the `Window`.
        optimizer: a `tf.train.Optimizer`, or anything with its `apply_gradients`.
        global_step: the variable that counts applied steps, or None.
        batches_per_step: as `AccumulatingOptimizer` takes it.
        caller: the name that error messages start with.
    """

    def __init__(self, window: Window, optimizer: Optimizer, global_step: Optional[tf.Variable], batches_per_step: Any,
                 caller: str) -> None:
        self._window, self._optimizer, self._global_step = window, optimizer, global_step
        self._batches_per_step, self._caller = batches_per_step, caller
        self._scope = current_scope()
        self._updates = None
        if global_step is None and callable(batches_per_step):
            with tf.name_scope(window.name):
                self._updates = counting_variable("updates", [], tf.int64, window.persistent)
                if not window.persistent:
                    zero_with_initializers(self._updates, window.variables)

    def run(self) -> Tuple[tf.Tensor, ...]:
        """Returns two tensors that take the current micro-batch when run, and apply the window when it is full.

        Returns:
            (applied, totals): a bool scalar, whether the window was full and was applied; and the window's
            `[count, weight, weighted loss]` with the current micro-batch counted in.
        """
        with tf.name_scope(self._window.name), self._window.computed():
            # Outside of the lock, where the executor would hand each constant to a thread.
            limit = None if callable(self._batches_per_step) else self._limit()
            return tuple(self._window.alone(lambda: self._run(limit)))

    def _run(self, limit: Optional[tf.Tensor]) -> List[tf.Tensor]:
        extended = self._window.with_current()
        totals = extended.totals

        def take() -> tf.Tensor:
            return _done(extended.take(), False)

        def update() -> tf.Tensor:
            return self._if_weighed(totals, lambda: self._apply(extended.grads_and_vars(self._optimizer)))

        limit = self._limit() if limit is None else limit
        return [self._cond(tf.unstack(totals)[0] >= limit, update, take), totals]

    def _cond(self, full: tf.Tensor, update: Callable[[], tf.Tensor], take: Callable[[], tf.Tensor]) -> tf.Tensor:
        if not in_one_of_several_replicas():
            with part_of_a_train_op():
                return tf.cond(full, update, take)
        if self._window.guarded:
            raise ValueError(f"{self._caller}: one replica of a tf.distribute strategy cannot leave a micro-batch "
                             "out alone. Give gradients without drop_nonfinite.")
        return tf.distribute.get_replica_context().merge_call(_cond_in_all_replicas, args=(full, update, take))

    def flush(self) -> tf.Tensor:
        """Returns a bool scalar that applies a window that is not empty when run; True if it did."""
        with tf.name_scope(self._window.name), part_of_a_train_op():
            return self._window.alone(self._flush)[0]

    def _flush(self) -> List[tf.Tensor]:
        totals = self._window.totals()

        def apply() -> tf.Tensor:
            return self._if_weighed(totals, lambda: self._apply(self._window.grads_and_vars(self._optimizer)))

        return [tf.cond(totals[0] > 0, apply, lambda: tf.constant(False))]

    def clear(self) -> tf.Operation:
        """Returns the op that empties the window without applying it."""
        return self._window.clear()

    def _limit(self) -> tf.Tensor:
        limit = self._batches_per_step
        if callable(limit):
            updates = read_or_zeros(self._updates) if self._global_step is None else self._global_step
            limit = limit(tf.cast(updates, tf.int64))
        return tf.cast(checked_batches(limit, self._caller), tf.float64)

    def _if_weighed(self, totals: tf.Tensor, apply: Callable[[], tf.Tensor]) -> tf.Tensor:
        """Builds `apply`, but empties a window without a step if its guard left every micro-batch out."""
        if not self._window.guarded:
            return apply()
        return tf.cond(totals[1] > 0, apply, lambda: _done(self._window.clear(), False))

    def _apply(self, grads_and_vars: GradsAndVars) -> tf.Tensor:
        with tf.name_scope(self._scope):
            applied = apply_gradients(self._optimizer, grads_and_vars, self._global_step)
        with tf.control_dependencies([applied]):
            closed = [self._window.clear()]
            if self._updates is not None:
                closed.append(operation(self._updates.assign(read_or_zeros(self._updates) + 1)))
        return _done(tf.group(*closed), True)


def _cond_in_all_replicas(strategy: Any, full: tf.Tensor, update: Any, take: Any) -> tf.Tensor:
    """Builds one `tf.cond` for all replicas, because their windows fill together.

    An optimizer applies outside of its replica, which it cannot do in a conditional of one replica.
    """
    def everywhere(builders: Any, applied: bool) -> tf.Tensor:
        done = strategy.extended.call_for_each_replica(lambda build: build(), args=(builders,))
        return _done(tf.group(*strategy.experimental_local_results(done)), applied)

    first = strategy.experimental_local_results(full)[0]
    with part_of_a_train_op():
        return tf.cond(first, lambda: everywhere(update, True), lambda: everywhere(take, False))


def checked_batches(batches: Any, caller: str) -> tf.Tensor:
    """Returns `batches_per_step` as an integer scalar tensor.

    Raises:
        TypeError: it is not an integer.
        ValueError: it is not a scalar, or below 1.
    """
    caller += ": batches_per_step"
    try:
        tensor = tf.convert_to_tensor(batches)
    except (TypeError, ValueError):
        tensor = None
    if tensor is None or not tensor.dtype.is_integer:
        raise TypeError(f"{caller} must be an integer, an integer tensor or a function; got {batches!r}.")
    if not tensor.shape.is_compatible_with([]):
        raise ValueError(f"{caller} must be a scalar; got shape {tensor.shape}.")
    constant = tf.get_static_value(tensor)
    if constant is not None and constant < 1:
        raise ValueError(f"{caller} must be at least 1; got {constant}. 1 is an update on every run.")
    return tensor


def _done(op: tf.Operation, applied: bool) -> tf.Tensor:
    with tf.control_dependencies([op]):
        return tf.constant(applied)

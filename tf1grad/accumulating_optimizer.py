"""Accumulation for code that only calls `minimize`: one run a micro-batch, an update every so many."""

from tf1grad._compat import in_one_of_several_replicas, operation, tf, v1_control_flow
from tf1grad.apply import apply_gradients, current_scope
from tf1grad.state import counting_variable, read_or_zeros
from tf1grad.synchronized import check_not_synchronized
from tf1grad.window import Window
from tf1grad.wrapped_optimizer import WrappedOptimizer


class AccumulatingOptimizer(WrappedOptimizer):
    """A `tf.train.Optimizer` whose train op accumulates, and applies on every `batches_per_step`-th run.

        optimizer = tf1grad.AccumulatingOptimizer(tf.train.AdamOptimizer(1e-3), batches_per_step=8)
        train_op = optimizer.minimize(loss, global_step=global_step)

    On the runs between nothing of the model moves: no variable, slot, beta power or `global_step`. The mean divides by
    what the window really holds. See `GradientAccumulator` for when it equals the gradient of one large batch.

    Args:
        optimizer: the inner `tf.train.Optimizer`, or anything with its `compute_gradients` and `apply_gradients`.
        batches_per_step: micro-batches a step: an int of at least 1, an integer scalar tensor, or a function from the
            number of updates so far (an int64 scalar, read from `global_step` where it is given) to either. A tensor
            below 1 counts as 1.
        weight: scalar tensor, what the micro-batch counts in the mean, such as its number of samples; default 1.
        reduction: "mean", or "sum" for the weighted sum.
        dense: True turns `tf.IndexedSlices` into dense tensors; by default they stay sparse, each row once.
        persistent: True saves and restores the open window with the global variables.

    Raises:
        TypeError: `optimizer` is no optimizer, or `batches_per_step` is no integer.
        ValueError: `batches_per_step` is below 1 or no scalar.
        RuntimeError: eager execution is on.

    Source: the wrapper form of the accumulation recipe.
    """

    def __init__(self, optimizer, batches_per_step, weight=None, reduction="mean", dense=False, persistent=False):
        super(AccumulatingOptimizer, self).__init__(optimizer)
        self._batches_per_step = batches_per_step
        self._options = dict(weight=weight, reduction=reduction, dense=dense, persistent=persistent)
        self._accumulations = []
        if not callable(batches_per_step):
            _checked_batches(batches_per_step)

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        """The op that accumulates the current micro-batch, and applies the window when it is full.

        Args:
            grads_and_vars: (gradient, variable) pairs of one micro-batch. None stays None, `IndexedSlices` sparse.
            global_step: the variable that counts updates; raised once an update.
            name: the name of the op.
        """
        grads_and_vars = list(grads_and_vars)
        check_not_synchronized(grads_and_vars, "AccumulatingOptimizer")
        accumulation = _Accumulation(self.optimizer, grads_and_vars, global_step, self._batches_per_step, self._options)
        self._accumulations.append(accumulation)
        return tf.group(accumulation.run(), name=name)

    def flush(self, name=None):
        """The op that applies a short last window, and does nothing where the window is empty.

        Build it after `minimize` or `apply_gradients`; run it at the end of an epoch.

        Raises:
            ValueError: nothing was built yet that could be flushed, or the optimizer is under a `tf.distribute`
                strategy or around a `SyncReplicasOptimizer`.
        """
        if not self._accumulations:
            raise ValueError("AccumulatingOptimizer.flush: call minimize or apply_gradients first; there is no window "
                             "to flush yet.")
        if tf.distribute.get_strategy().num_replicas_in_sync > 1:
            raise ValueError("AccumulatingOptimizer.flush: under a tf.distribute strategy there is none. Give a "
                             "placeholder for batches_per_step, and feed 1 with the last micro-batch.")
        return tf.group(*[accumulation.flush() for accumulation in self._accumulations], name=name)


class _Accumulation(object):
    """What one call of `apply_gradients` accumulates, and when and how it is applied."""

    def __init__(self, optimizer, grads_and_vars, global_step, batches_per_step, options):
        self._optimizer, self._global_step, self._batches_per_step = optimizer, global_step, batches_per_step
        self._scope = current_scope()
        self._window = Window(grads_and_vars, "AccumulatingOptimizer", **options)
        self._updates = None
        if global_step is None and callable(batches_per_step):
            with tf.name_scope(self._window.name):
                self._updates = counting_variable("updates", [], tf.int64, options["persistent"])

    def run(self):
        """A tensor whose run takes the current micro-batch, and applies the window when it is full."""
        if in_one_of_several_replicas():
            # An optimizer leaves its replica to apply, which it cannot in a conditional that belongs to one.
            return tf.distribute.get_replica_context().merge_call(_run_in_all_replicas, args=(self,))
        return self.conditional(self.update, self.take)

    def conditional(self, update, take):
        """A tensor whose run does what `update` builds when the micro-batch fills the window, else what `take` does."""
        with tf.name_scope(self._window.name), self._window.computed(), v1_control_flow():
            return tf.cond(self._window.totals()[0] + 1 >= self._limit(), update, take)

    def take(self):
        """A tensor whose run takes the current micro-batch into the window."""
        window = self._window
        return tf.cond(self._opens(), lambda: _done(window.open()), lambda: _done(window.extend()))

    def update(self):
        """A tensor whose run applies the window with the current micro-batch in it."""
        opens = self._opens()
        return self._apply(self._window.grads_and_vars_with_current(opens, self._window.totals_with_current(opens)))

    def _opens(self):
        return tf.equal(self._window.totals()[0], 0)

    def flush(self):
        """A tensor whose run applies what is in the window, if anything is."""
        with tf.name_scope(self._window.name), v1_control_flow():
            return tf.cond(self._window.totals()[0] > 0, lambda: self._apply(self._window.grads_and_vars()),
                           lambda: tf.constant(False))

    def _limit(self):
        limit = self._batches_per_step
        if callable(limit):
            updates = read_or_zeros(self._updates) if self._global_step is None else self._global_step
            limit = limit(tf.cast(updates, tf.int64))
        return tf.cast(_checked_batches(limit), tf.float64)

    def _apply(self, grads_and_vars):
        with tf.name_scope(self._scope):
            applied = apply_gradients(self._optimizer, grads_and_vars, self._global_step)
        with tf.control_dependencies([applied]):
            closed = [self._window.clear()]
            if self._updates is not None:
                closed.append(operation(self._updates.assign(read_or_zeros(self._updates) + 1)))
        return _done(tf.group(*closed))


def _run_in_all_replicas(strategy, accumulations):
    """`run` for all replicas at once, whose windows fill together."""
    def everywhere(build):
        done = strategy.extended.call_for_each_replica(build, args=(accumulations,))
        return _done(tf.group(*strategy.experimental_local_results(done)))

    first = strategy.experimental_local_results(accumulations)[0]
    return first.conditional(lambda: everywhere(_Accumulation.update), lambda: everywhere(_Accumulation.take))


def _checked_batches(batches):
    caller = "AccumulatingOptimizer: batches_per_step"
    tensor = tf.convert_to_tensor(batches)
    if not tensor.dtype.is_integer:
        raise TypeError("%s must be an integer, an integer tensor or a function; got %r." % (caller, batches))
    if not tensor.shape.is_compatible_with([]):
        raise ValueError("%s must be a scalar; got shape %s." % (caller, tensor.shape))
    constant = tf.get_static_value(tensor)
    if constant is not None and constant < 1:
        raise ValueError("%s must be at least 1; got %d. 1 is an update on every run." % (caller, constant))
    return tensor


def _done(op):
    with tf.control_dependencies([op]):
        return tf.constant(True)

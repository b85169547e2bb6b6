"""Accumulation for code that only calls `minimize`: one run a micro-batch, an update every so many."""

from tf1grad._compat import operation, tf, v1_control_flow
from tf1grad.apply import apply_gradients, current_scope
from tf1grad.state import read_or_zeros, state_variable
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
        self._windows = []
        if not callable(batches_per_step):
            _checked_batches(batches_per_step)

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        """The op that accumulates the current micro-batch, and applies the window when it is full.

        Args:
            grads_and_vars: (gradient, variable) pairs of one micro-batch. None stays None, `IndexedSlices` sparse.
            global_step: the variable that counts updates; raised once an update.
            name: the name of the op.
        """
        scope = current_scope()
        window = Window(grads_and_vars, "AccumulatingOptimizer", **self._options)
        with tf.name_scope(window.name), window.computed(), v1_control_flow():
            updates = self._updates_counter(global_step)
            self._windows.append((window, global_step, updates, scope))
            totals = window.totals()
            opens = tf.equal(totals[0], 0)
            full = totals[0] + 1 >= self._limit(global_step, updates)
            done = tf.cond(full, lambda: self._update(window, opens, global_step, updates, scope),
                           lambda: tf.cond(opens, lambda: _done(window.open()), lambda: _done(window.extend())))
        return tf.group(done, name=name)

    def flush(self, name=None):
        """The op that applies a short last window, and does nothing where the window is empty.

        Build it after `minimize` or `apply_gradients`; run it at the end of an epoch.

        Raises:
            ValueError: nothing was built yet that could be flushed.
        """
        if not self._windows:
            raise ValueError("AccumulatingOptimizer.flush: call minimize or apply_gradients first; there is no window "
                             "to flush yet.")
        return tf.group(*[self._flush(*window) for window in self._windows], name=name)

    def _flush(self, window, global_step, updates, scope):
        with tf.name_scope(window.name), v1_control_flow():
            return tf.cond(window.totals()[0] > 0,
                           lambda: self._apply(window, window.grads_and_vars(), global_step, updates, scope),
                           lambda: tf.constant(False))

    def _update(self, window, opens, global_step, updates, scope):
        pairs = window.grads_and_vars_with_current(opens, window.totals_with_current(opens))
        return self._apply(window, pairs, global_step, updates, scope)

    def _apply(self, window, pairs, global_step, updates, scope):
        with tf.name_scope(scope):
            applied = apply_gradients(self.optimizer, pairs, global_step)
        with tf.control_dependencies([applied]):
            closed = [window.clear()]
            if updates is not None:
                closed.append(operation(updates.assign(read_or_zeros(updates) + 1)))
        return _done(tf.group(*closed))

    def _updates_counter(self, global_step):
        if global_step is not None or not callable(self._batches_per_step):
            return None
        return state_variable("updates", [], tf.int64, self._options["persistent"])

    def _limit(self, global_step, updates):
        limit = self._batches_per_step
        if callable(limit):
            limit = limit(read_or_zeros(updates) if global_step is None else tf.cast(global_step, tf.int64))
        return tf.cast(_checked_batches(limit), tf.float64)


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

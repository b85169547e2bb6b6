"""A window of micro-batches: the sums of their gradients, weights and losses, and the ops that open, extend and use it.

This is what `GradientAccumulator`, its `step` and `AccumulatingOptimizer` have in common. The first micro-batch of a
window assigns and later ones add, so that closing a window costs three numbers and not a pass over every gradient.
"""

from tf1grad._arguments import scalar
from tf1grad._compat import is_variable, operation, tf, v1_control_flow
from tf1grad.accumulation.sums import DenseSum, SparseSum, cast, sum_dtype
from tf1grad.gradients.grads_and_vars import check_grads_and_vars, components, merged
from tf1grad.gradients.guarded import GuardedGradients
from tf1grad.gradients.transforms import scaled
from tf1grad.sessions.exclusive import Exclusive
from tf1grad.sessions.state_variables import counting_variable, read_or_zeros, zero_with_initializers

REDUCTIONS = ("mean", "sum")


class Window(object):
    """The state of one window and the micro-batch that the current run would put into it.

    Args: as those of `tf1grad.GradientAccumulator`; `caller` is the name that error messages start with.

    Attributes:
        increment: `[count, weight, weighted loss]` of the current micro-batch alone, float64.
        guarded: whether a guard may leave micro-batches out, so that a window without any weight is no mistake.
        persistent: whether the window is saved with the global variables.
        hooked: whether an `AccumulateHook` runs it.
    """

    def __init__(self, grads_and_vars, caller, loss=None, weight=None, reduction="mean", dense=False, persistent=False,
                 name="accumulator"):
        if reduction not in REDUCTIONS:
            raise ValueError("%s: reduction must be one of %s; got %r." % (caller, REDUCTIONS, reduction))
        self._caller, self._reduction = caller, reduction
        pairs = check_grads_and_vars(grads_and_vars, caller)
        self.guarded = isinstance(grads_and_vars, GuardedGradients)
        self.persistent, self.hooked = persistent, False
        self.variables = [variable for _, variable in pairs]
        with tf.name_scope(name) as self.name:
            weight = None if weight is None else _checked_weight(weight, caller)
            loss = None if loss is None else scalar(loss, caller, "loss")
            self._gradients = [_prepared(gradient, variable, weight, dense) for gradient, variable in pairs]
            self.increment = _increment(loss, weight)
            self._totals = counting_variable("totals", [3], tf.float64, persistent)  # count, weight, weighted loss
            if not persistent:
                zero_with_initializers(self._totals, self.variables)
            self._exclusive = Exclusive()
            self._sums = [self._storage(gradient, variable, persistent)
                          for gradient, variable in zip(self._gradients, self.variables)]

    def _storage(self, gradient, variable, persistent):
        if gradient is None:
            return None
        kind = SparseSum if isinstance(gradient, tf.IndexedSlices) else DenseSum
        return kind(gradient, variable, variable.op.name, persistent)

    def totals(self):
        """`[count, weight, weighted loss]` so far, float64; zeros where nothing was accumulated."""
        return read_or_zeros(self._totals)

    def clear(self):
        """The op that empties the window."""
        return operation(self._totals.assign(tf.zeros([3], tf.float64)))

    def open(self, unseen=False):
        """The op that makes the current micro-batch the first of a new window.

        `unseen` says that no run fetches a gradient beside it, so that the memory of some can be kept as it is.
        """
        with tf.control_dependencies([total.take(gradient) if unseen else total.assign(gradient)
                                      for total, gradient in self._present()]):
            return operation(self._totals.assign(self.increment))

    def extend(self):
        """The op that adds the current micro-batch to an open window."""
        with tf.control_dependencies([total.add(gradient) for total, gradient in self._present()]):
            return operation(self._totals.assign_add(self.increment))

    def accumulate(self):
        """The op that opens the window or extends it; nothing is written before every gradient is computed."""
        def take():
            return [tf.cond(tf.equal(self.totals()[0], 0), lambda: _after(self.open()), lambda: _after(self.extend()))]

        with self.computed():
            return self.alone(take)[0].op

    def alone(self, build):
        """The list of tensors that `build()` makes, for whose ops one run at a time has the window."""
        with v1_control_flow():
            return self._exclusive.alone(build)

    def computed(self):
        """A context whose ops run after the current micro-batch's gradients, loss and weight are computed.

        A failure in any of them then leaves the window as it was; and on ref variables no gradient is computed from
        values that are already being updated.
        """
        return tf.control_dependencies(components(self._gradients) + [self.increment])

    def grads_and_vars(self):
        """The reduced gradients of the window so far, as pairs. Reading an empty window is an error of the run."""
        totals = self.totals()
        with tf.control_dependencies([self._check(totals)]):
            return self._reduced([total and total.total() for total in self._sums], totals)

    def grads_and_vars_with_current(self, opens, totals):
        """The reduced gradients of the window with the current micro-batch in it, which is not written.

        Args:
            opens: bool scalar: the current micro-batch is the window's first.
            totals: what `totals_with_current` returned.
        """
        def first():
            return components([merged(gradient) for gradient in self._gradients])

        def later():
            return components([total and total.total_with(gradient)
                                for total, gradient in zip(self._sums, self._gradients)])

        with tf.control_dependencies([self._check(totals)]):
            tensors = tf.cond(opens, first, later)
        tensors = iter(tensors if isinstance(tensors, (list, tuple)) else [tensors])
        return self._reduced([_rebuilt(gradient, tensors) for gradient in self._gradients], totals)

    def totals_with_current(self, opens):
        """`[count, weight, weighted loss]` with the current micro-batch counted in."""
        return self.increment + tf.cond(opens, lambda: tf.zeros([3], tf.float64), self._totals.read_value)

    def _present(self):
        return [(total, gradient) for total, gradient in zip(self._sums, self._gradients) if gradient is not None]

    def _check(self, totals):
        weighed = totals[1 if self._reduction == "mean" else 0]
        return tf.debugging.Assert(weighed > 0, [
            "%s: nothing was accumulated in the window %s, or only weights of 0: run `accumulate` before gradients "
            "are read or applied. [count, weight, loss] =" % (self._caller, self.name), totals])

    def _reduced(self, sums, totals):
        divisor = totals[1] if self._reduction == "mean" else None
        return [(total if total is None else _finished(total, divisor, variable), variable)
                for total, variable in zip(sums, self.variables)]


def _checked_weight(weight, caller):
    weight = scalar(weight, caller, "weight")
    constant = tf.get_static_value(weight)
    message = "%s: weight must be finite and not negative" % caller
    if constant is not None and not 0 <= constant < float("inf"):
        raise ValueError("%s; got %r. It is what the micro-batch counts in the mean, such as its number of samples."
                         % (message, constant))
    weight = tf.cast(weight, tf.float64)
    valid = tf.logical_and(weight >= 0, weight < float("inf"))
    with tf.control_dependencies([tf.debugging.Assert(valid, [message, weight])]):
        return tf.identity(weight)


def _prepared(gradient, variable, weight, dense):
    if gradient is None:
        return None
    if is_variable(gradient):
        gradient = gradient.read_value()
    if dense and isinstance(gradient, tf.IndexedSlices):
        gradient = tf.unsorted_segment_sum(gradient.values, gradient.indices, tf.shape(variable)[0])
    if isinstance(gradient, tf.Tensor) and not gradient.shape.is_fully_defined():
        gradient = tf.ensure_shape(gradient, variable.shape)  # TF 1.15 loses it in gradients through tf.cond
    return scaled(cast(gradient, sum_dtype(gradient.dtype.base_dtype)), weight)


def _increment(loss, weight):
    weight = tf.constant(1, tf.float64) if weight is None else weight
    loss = tf.constant(0, tf.float64) if loss is None else tf.cast(loss, tf.float64)
    return tf.stack([tf.constant(1, tf.float64), weight, weight * loss])


def _rebuilt(like, tensors):
    """The gradient of the kind of `like` whose tensors come next in the iterator `tensors`."""
    if like is None:
        return None
    if isinstance(like, tf.IndexedSlices):
        return tf.IndexedSlices(next(tensors), next(tensors), like.dense_shape)
    return next(tensors)


def _finished(total, divisor, variable):
    factor = None if divisor is None else 1 / divisor
    return cast(scaled(total, factor), variable.dtype.base_dtype)


def _after(op):
    with tf.control_dependencies([op]):
        return tf.constant(True)

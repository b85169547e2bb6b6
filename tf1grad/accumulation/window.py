"""Holds the sums of a window of micro-batches, and builds the ops that open, extend and use it.

`GradientAccumulator`, its `step` and `AccumulatingOptimizer` share this. The first micro-batch of a
window assigns and later ones add, so that closing a window writes three numbers, not every gradient.
"""

from typing import Any, Callable, ContextManager, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from tf1grad._arguments import scalar
from tf1grad._compat import operation, tf, v1_control_flow
from tf1grad._types import Gradient, GradsAndVars, Optimizer, Pairs, Reduction, ScalarLike
from tf1grad.accumulation.micro_batch import checked_weight, increment, prepared
from tf1grad.accumulation.sums import FEW, DenseSum, SparseSum, cast, folds
from tf1grad.gradients.grads_and_vars import check_grads_and_vars, components
from tf1grad.gradients.guard_registry import obeying_guards
from tf1grad.gradients.guarded_gradients import find_guard
from tf1grad.gradients.transforms import scaled
from tf1grad.sessions.exclusive import Exclusive
from tf1grad.sessions.graph_assertions import assert_in_run
from tf1grad.sessions.state_variables import counting_variable, read_or_zeros, zero_with_initializers

REDUCTIONS = ("mean", "sum")


class Extended(NamedTuple):
    """A window with the current micro-batch, which is not written.

    Attributes:
        totals: `[count, weight, weighted loss]`, float64.
        take: a function that returns the op that writes the micro-batch.
        grads_and_vars: a function of the optimizer that will apply them, which returns the reduced gradients.
    """

    totals: tf.Tensor
    take: Callable[[], tf.Operation]
    grads_and_vars: Callable[[Optimizer], Pairs]


class Window:
    """The state of one window and the micro-batch that the current run would put into it.

    Args: as those of `tf1grad.GradientAccumulator`; `caller` is the name that error messages start with, `longest` the
        greatest number of micro-batches where it is known.

    Attributes:
        increment: `[count, weight, weighted loss]` of the current micro-batch alone, float64.
        guarded: whether a guard may leave micro-batches out, so that a window without any weight is not a mistake.
        persistent: whether the window is saved with the global variables.
        hooked: whether an `AccumulateHook` runs it.
    """

    def __init__(self, grads_and_vars: GradsAndVars, caller: str, loss: Optional[tf.Tensor] = None,
                 weight: Optional[ScalarLike] = None, reduction: Reduction = "mean", dense: bool = False,
                 persistent: bool = False, name: str = "accumulator", longest: Optional[int] = None,
                 use_locking: bool = True) -> None:
        if reduction not in REDUCTIONS:
            raise ValueError(f"{caller}: reduction must be one of {REDUCTIONS}; got {reduction!r}.")
        self._caller, self._reduction = caller, reduction
        pairs = check_grads_and_vars(grads_and_vars, caller)
        self.guarded = find_guard(grads_and_vars, pairs) is not None
        self.persistent, self.hooked = persistent, False
        self.variables = [variable for _, variable in pairs]
        with tf.name_scope(name) as self.name:
            weight = None if weight is None else checked_weight(weight, caller)
            loss = None if loss is None else scalar(loss, caller, "loss")
            self._gradients = [prepared(gradient, variable, weight, dense) for gradient, variable in pairs]
            self.increment = increment(loss, weight)
            self._exclusive = Exclusive() if use_locking else None
            # The last micro-batch of a window that is applied when it is full is not taken.
            self._long = (longest is None or longest > FEW + 1) and any(
                folds(gradient.dtype) for gradient in self._gradients if gradient is not None)
            counts = self._make_state()
            if not persistent:
                zero_with_initializers(counts, self.variables)

    def _make_state(self) -> tf.Variable:
        """Makes the variables of the window; returns the one that holds the count."""
        self._totals = counting_variable("totals", [3], tf.float64, self.persistent)  # count, weight, weighted loss
        self._sums = [self._storage(gradient, variable, self.persistent)
                      for gradient, variable in zip(self._gradients, self.variables)]
        self._folding = [total for total in self._sums if total and total.folds]
        return self._totals

    def _storage(self, gradient: Gradient, variable: tf.Variable, persistent: bool) -> Any:
        if gradient is None:
            return None
        kind = SparseSum if isinstance(gradient, tf.IndexedSlices) else DenseSum
        return kind(gradient, variable, variable.op.name, persistent, self._long)

    def totals(self) -> tf.Tensor:
        """Returns `[count, weight, weighted loss]` so far, float64; zeros where nothing was accumulated."""
        return read_or_zeros(self._totals)

    def clear(self) -> tf.Operation:
        """Returns the op that empties the window."""
        return operation(self._totals.assign(tf.zeros([3], tf.float64)))

    def reset(self) -> tf.Operation:
        """Returns the op that empties the window when no other run holds its lock."""
        return self.alone(lambda: [_after([self.clear()])])[0].op

    def open(self) -> tf.Operation:
        """Returns the op that makes the current micro-batch the first of a new window."""
        with tf.control_dependencies([total.assign(gradient) for total, gradient in self._present()]):
            return operation(self._totals.assign(self.increment))

    def extend(self, long: Optional[tf.Tensor] = None) -> tf.Operation:
        """Returns the op that adds the current micro-batch to an open window; `long`: it holds `FEW` or more."""
        with tf.control_dependencies([total.add(gradient, long) for total, gradient in self._present()]):
            return operation(self._totals.assign_add(self.increment))

    def first_fold(self) -> tf.Operation:
        """Returns the op that adds the current micro-batch to an open window of `FEW`."""
        with tf.control_dependencies(self._first_folds()):
            taken = [total.assign(gradient) if total.folds else total.add(gradient, tf.constant(True))
                     for total, gradient in self._present()]
        with tf.control_dependencies(taken):
            return operation(self._totals.assign_add(self.increment))

    def fold(self) -> tf.Operation:
        """Returns the op that adds the current micro-batch to an open window of a further multiple of `FEW`."""
        with tf.control_dependencies(self._folds()):
            return self.extend(tf.constant(True))

    def _first_folds(self) -> List[tf.Operation]:
        return [total.first_fold() for total in self._folding]

    def _folds(self) -> List[tf.Operation]:
        folded: List[tf.Operation] = []
        for total in self._folding:
            with tf.control_dependencies(folded[-1:]):  # one after another, to save memory
                folded.append(total.fold())
        return folded

    def _take(self, before: tf.Tensor, after: tf.Tensor) -> tf.Operation:
        """Returns the op that adds the current micro-batch, whatever the window holds.

        Args:
            before: the totals without the micro-batch.
            after: those with it.
        """
        count = tf.unstack(before)[0]
        empty, long = tf.equal(count, 0), count >= FEW if self._long else None
        present = self._present()
        plain = [pair for pair in present if isinstance(pair[0], DenseSum) and not pair[0].folds]
        folding = [pair for pair in present if pair[0].folds]
        taken = [total.take(gradient, empty, long) for total, gradient in present if isinstance(total, SparseSum)]
        if plain:
            taken.append(tf.cond(empty, lambda: _assigned(plain), lambda: _added(plain)))
        if folding:
            taken.append(self._take_folding(folding, count, empty))
        with tf.control_dependencies(taken):
            return operation(self._totals.assign(after))

    def _take_folding(self, folding: Any, count: tf.Tensor, empty: tf.Tensor) -> tf.Tensor:
        def assign() -> tf.Tensor:
            with tf.control_dependencies([tf.cond(empty, _nothing, lambda: _after(self._first_folds()))]):
                return _assigned(folding)

        def add() -> tf.Tensor:
            with tf.control_dependencies([tf.cond(tf.equal(count % FEW, 0), lambda: _after(self._folds()), _nothing)]):
                return _added(folding)

        return tf.cond(tf.logical_or(empty, tf.equal(count, FEW)), assign, add)

    def accumulate(self) -> tf.Operation:
        """Returns the op that opens or extends the window; it writes after all gradients are computed."""
        def take() -> List[tf.Tensor]:
            before = self.totals()
            return [_after([self._take(before, before + self.increment)])]

        with self.computed():
            return self.alone(take)[0].op

    def alone(self, build: Callable[[], List[tf.Tensor]]) -> List[tf.Tensor]:
        """Returns the list of tensors that `build()` makes; one run at a time executes their ops."""
        with v1_control_flow(), obeying_guards():
            return self._exclusive.alone(build) if self._exclusive else build()

    def computed(self) -> ContextManager[Any]:
        """Returns a context in which ops run after the micro-batch's gradients, loss and weight are computed.

        A failure in any of them then leaves the window as it was; and on ref variables no gradient is computed from
        values that are already being updated.
        """
        context: ContextManager[Any] = tf.control_dependencies(components(self._gradients) + [self.increment])
        return context

    def grads_and_vars(self, optimizer: Optimizer) -> Pairs:
        """Returns the reduced gradients so far, for `optimizer`. Reading an empty window fails the run."""
        return self.reduced(*self._read(), optimizer=optimizer)

    def read_alone(self) -> Tuple[List[Gradient], tf.Tensor]:
        """Returns the sums and totals that `reduced` takes, read together where other runs may write."""
        like = []

        def read() -> List[tf.Tensor]:
            sums, totals = self._read()
            like.extend(sums)
            return [tf.identity(totals)] + components(sums)

        totals, *parts = self.alone(read)
        tensors = iter(parts)
        return [_rebuilt(total, tensors) for total in like], totals

    def _read(self) -> Tuple[List[Gradient], tf.Tensor]:
        totals = self.totals()
        with tf.control_dependencies([self._check(totals)]):
            return self._read_sums(totals[0] > FEW), totals

    def _read_sums(self, folded: tf.Tensor) -> List[Gradient]:
        """Returns the sums in the form that is kept; `folded` is a bool scalar: sums that fold have done so."""
        def read(folded: bool) -> List[tf.Tensor]:
            return [total.read(folded) for total in self._folding]

        dense = iter(_as_list(tf.cond(folded, lambda: read(True), lambda: read(False))) if self._folding else ())
        return [total and (next(dense) if total.folds else total.read()) for total in self._sums]

    def with_current(self, opens: Optional[tf.Tensor] = None) -> Extended:
        """Returns the window with the current micro-batch.

        Args:
            opens: bool scalar: the current micro-batch is the window's first. By default the window's count says so.
        """
        if opens is None:
            before = self.totals()
            opens = tf.equal(tf.unstack(before)[0], 0)
        else:
            before = tf.cond(opens, lambda: tf.zeros([3], tf.float64), self._totals.read_value)
        totals = before + self.increment
        return Extended(totals, lambda: self._take(before, totals),
                        lambda optimizer: self._grads_and_vars_with_current(opens, totals, optimizer))

    def _grads_and_vars_with_current(self, opens: tf.Tensor, totals: tf.Tensor, optimizer: Optimizer) -> Pairs:
        def first() -> List[tf.Tensor]:
            return components(self._gradients)

        def later() -> List[tf.Tensor]:
            return components([total and total.plus(read, gradient) for total, read, gradient
                               in zip(self._sums, self._read_sums(totals[0] > FEW + 1), self._gradients)])

        with tf.control_dependencies([self._check(totals)]):
            tensors = iter(_as_list(tf.cond(opens, first, later)))
        return self.reduced([_rebuilt(gradient, tensors) for gradient in self._gradients], totals, optimizer)

    def _present(self) -> List[Tuple[Any, Gradient]]:
        return [(total, gradient) for total, gradient in zip(self._sums, self._gradients) if gradient is not None]

    def _check(self, totals: tf.Tensor) -> tf.Operation:
        weighed = totals[1 if self._reduction == "mean" else 0]
        message = (f"nothing was accumulated in the window {self.name}, or only weights of 0: run `accumulate` before "
                   "gradients are read or applied. Count, weight, loss:")
        return assert_in_run(weighed > 0, self._caller, message, [totals], "nothing_was_accumulated")

    def reduced(self, sums: Sequence[Gradient], totals: tf.Tensor, optimizer: Optional[Optimizer] = None) -> Pairs:
        """Pairs of the reduced gradients, from the sums and totals that were read.

        Each row of a sparse gradient comes once, unless `optimizer`, which will apply it, sums equal rows.
        """
        divisor = totals[1] if self._reduction == "mean" else None
        long = totals[0] > FEW if self._long else None
        return [(kept and _finished(kept.finished(total, long, optimizer), divisor, variable), variable)
                for kept, total, variable in zip(self._sums, sums, self.variables)]


def _rebuilt(like: Gradient, tensors: Iterator[tf.Tensor]) -> Gradient:
    """Returns a gradient of the kind of `like`, of the next tensors in the iterator `tensors`."""
    if like is None:
        return None
    if isinstance(like, tf.IndexedSlices):
        return tf.IndexedSlices(next(tensors), next(tensors), like.dense_shape)
    return next(tensors)


def _as_list(tensors: Any) -> Sequence[tf.Tensor]:
    """Makes a list of the result of `tf.cond` for a list of tensors, which is a bare tensor for one."""
    return tensors if isinstance(tensors, (list, tuple)) else [tensors]


def _finished(total: Gradient, divisor: Optional[tf.Tensor], variable: tf.Variable) -> Gradient:
    factor = None if divisor is None else 1 / divisor
    return cast(scaled(total, factor), variable.dtype.base_dtype)


def _assigned(pairs: Any) -> tf.Tensor:
    return _after([total.assign(gradient) for total, gradient in pairs])


def _added(pairs: Any) -> tf.Tensor:
    return _after([total.add(gradient) for total, gradient in pairs])


def _nothing() -> tf.Tensor:
    return tf.constant(True)


def _after(ops: List[tf.Operation]) -> tf.Tensor:
    with tf.control_dependencies(ops):
        return tf.constant(True)

"""Holds the window of a small model in one vector, so that taking a micro-batch is one addition.

An addition to a variable is atomic, so `accumulate`, `reset` and reads need no lock. In float64 no second sum is needed
either. A large model would pay for the wider copies; a small one saves several ops for each variable.
"""

from typing import Any, List, Optional, Tuple

from tf1grad._compat import operation, tf, v1_control_flow
from tf1grad._types import Gradient, GradsAndVars, Optimizer, Pairs
from tf1grad.accumulation.sums import cast, sum_dtype
from tf1grad.accumulation.window import Extended, Window
from tf1grad.gradients.grads_and_vars import check_grads_and_vars
from tf1grad.gradients.guard_registry import obeying_guards
from tf1grad.sessions.exclusive import count_up
from tf1grad.sessions.state_variables import counting_variable, read_or_zeros

MOST_ELEMENTS = 32768


def open_window(grads_and_vars: GradsAndVars, caller: str, **options: Any) -> Window:
    """Returns the `Window` for these gradients, packed if the model is small."""
    pairs = check_grads_and_vars(grads_and_vars, caller)
    if not isinstance(grads_and_vars, list):  # the check has used up an iterator; a list may have a guard
        grads_and_vars = pairs
    packs = not options.get("persistent") and _is_small(pairs)  # checkpoints name a sum after its variable
    return (PackedWindow if packs else Window)(grads_and_vars, caller, **options)


def _is_small(pairs: Pairs) -> bool:
    present = [(gradient, variable) for gradient, variable in pairs if gradient is not None]
    return (all(_packs(gradient, variable) for gradient, variable in present)
            and len({(sum_dtype(variable.dtype.base_dtype), gradient.device) for gradient, variable in present}) == 1
            and sum(variable.shape.num_elements() for _, variable in present) <= MOST_ELEMENTS)


def _packs(gradient: Gradient, variable: tf.Variable) -> bool:
    return (not isinstance(gradient, tf.IndexedSlices) and variable.shape.is_fully_defined()
            and variable.dtype.base_dtype.is_floating)


class PackedWindow(Window):
    """A window that is one float64 vector: count, weight, weighted loss, and all sums; zeros while it is empty."""

    def _make_state(self) -> tf.Variable:
        gradients = [gradient for gradient in self._gradients if gradient is not None]
        flat = tf.concat([tf.reshape(gradient, [-1]) for gradient in gradients], 0)
        self._current = tf.concat([self.increment, tf.cast(flat, tf.float64)], 0)
        self._dtype, self._sizes = flat.dtype, [3] + [gradient.shape.num_elements() for gradient in gradients]
        self._slice = tf.constant([0]), tf.constant([3])
        self._state = counting_variable("sums", [sum(self._sizes)], tf.float64)
        return self._state

    def _totals_of(self, state: tf.Tensor) -> tf.Tensor:
        return tf.slice(state, *self._slice)

    def totals(self) -> tf.Tensor:
        return self._totals_of(read_or_zeros(self._state))

    def clear(self) -> tf.Operation:
        return operation(self._state.assign(tf.zeros(self._state.shape, tf.float64)))

    def reset(self) -> tf.Operation:
        return self.clear()

    def open(self) -> tf.Operation:
        return operation(self._state.assign(self._current))

    def extend(self, long: Optional[tf.Tensor] = None) -> tf.Operation:
        return operation(self._state.assign_add(self._current))

    first_fold = fold = extend

    def accumulate(self) -> tf.Operation:
        with obeying_guards():
            return count_up(self._state, self._current, self.alone)

    def read_alone(self) -> Tuple[tf.Tensor, tf.Tensor]:
        with v1_control_flow(), obeying_guards():
            return self._read()

    def _read(self) -> Tuple[tf.Tensor, tf.Tensor]:
        state = read_or_zeros(self._state)
        totals = self._totals_of(state)
        with tf.control_dependencies([self._check(totals)]):
            return tf.identity(state), totals

    def with_current(self, opens: Optional[tf.Tensor] = None) -> Extended:
        if opens is None:
            state = self._current + read_or_zeros(self._state)
        else:
            state = tf.cond(opens, lambda: self._current, lambda: self._current + self._state.read_value())
        totals = self._totals_of(state)

        def grads_and_vars(optimizer: Optimizer) -> Pairs:
            with tf.control_dependencies([self._check(totals)]):
                return self.reduced(tf.identity(state), totals, optimizer)
        return Extended(totals, lambda: operation(self._state.assign(state)), grads_and_vars)

    def reduced(self, sums: tf.Tensor, totals: tf.Tensor, optimizer: Optional[Optimizer] = None) -> Pairs:
        if self._reduction == "mean":
            sums = sums / totals[1]
        parts: List[tf.Tensor] = tf.split(tf.cast(sums, self._dtype), self._sizes)[1:]
        remaining = iter(parts)
        return [(gradient if gradient is None else cast(tf.reshape(next(remaining), variable.shape),
                                                        variable.dtype.base_dtype), variable)
                for gradient, variable in zip(self._gradients, self.variables)]

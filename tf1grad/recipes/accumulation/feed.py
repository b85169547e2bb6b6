"""Fetches gradients, averages or sums them in NumPy or in the graph,
and feeds them back through placeholders.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable, Sequence

import numpy as np

from tf1grad._compat import require_graph, tf, without_dependencies
from tf1grad._types import GradsAndVars, Reduction
from tf1grad.recipes.accumulation.micro_batch import check_reduction
from tf1grad.recipes.gradients.fetched_gradients import check_array, check_rows, with_weights
from tf1grad.recipes.gradients.grads_and_vars import check_grads_and_vars, merge_duplicate_rows
from tf1grad.recipes.gradients.transforms import cast, replace_values, wide_dtype
from tf1grad.recipes.sessions.memory import aligned_empty

if TYPE_CHECKING:
    from tf1grad._types import Gradient


def feed_gradients(
    grads_and_vars: GradsAndVars,
    stacked: bool = False,
    reduction: Reduction = "mean",
    name: str = "fed_gradients",
) -> FedGradients:
    """Makes placeholders for gradients, and the averages or sums to feed.

        fed = tf1grad.feed_gradients(optimizer.compute_gradients(loss))
        apply = optimizer.apply_gradients(fed.grads_and_vars)
        fetched = [session.run(fed.fetches, feed_dict={x: batch})
                   for batch in batches]
        session.run(apply, feed_dict=fed.feed_dict(fetched))

    The recipe feeds the average onto the gradient tensors themselves, which a rewritten graph can
    silently ignore; a placeholder cannot be.

    Args:
        grads_and_vars: (gradient, variable) pairs of one micro-batch, as
            `optimizer.compute_gradients` returns them. None stays None and is not fetched.
            `tf.IndexedSlices` are fed as rows and indices, and stay sparse.
        stacked: False adds dense gradients in NumPy, as they come, and feeds one average or sum a
            variable. True feeds them all, in placeholders of shape `(None,) + variable.shape`, and
            reduces them in the graph: it needs their memory three times.
        reduction: "mean", or "sum" for sum_i(weight_i * gradient_i).
        name: the name scope of the placeholders.

    Raises:
        TypeError, ValueError: a wrong pair: swapped, of another dtype or shape, or nothing but
            None; an unknown `reduction`.
        RuntimeError: eager execution is on.

    Source: the recipes "fetch, average, feed" and "placeholders and a mean in the graph".
    """
    require_graph("feed_gradients")
    check_reduction(reduction, "feed_gradients")
    pairs = check_grads_and_vars(grads_and_vars, "feed_gradients")
    with tf.name_scope(name):
        return FedGradients(pairs, stacked, reduction)


class FedGradients:
    """Gradients to fetch and the placeholders that take their averages or sums;
    made by `feed_gradients`.

    Attributes:
        fetches: list of the gradients that are not None, for `session.run`.
        grads_and_vars: (average or sum, variable) pairs for `apply_gradients`, in the given order;
            None stays None.
    """

    def __init__(self, grads_and_vars: GradsAndVars, stacked: bool, reduction: Reduction) -> None:
        self._reduction = reduction
        dense = _StackedDense if stacked else _Dense
        self.fetches = [
            replace_values(gradient, tf.identity)
            for gradient, _ in grads_and_vars
            if gradient is not None
        ]
        self._fed, self.grads_and_vars = [], []
        for gradient, variable in grads_and_vars:
            if gradient is not None:
                with without_dependencies():
                    fed = (_Sparse if isinstance(gradient, tf.IndexedSlices) else dense)(
                        gradient, variable
                    )
                self._fed.append(fed)
                gradient = fed.reduced
            self.grads_and_vars.append((gradient, variable))

    def feed_dict(
        self, fetched: Iterable[Any], weights: Sequence[float] | None = None
    ) -> dict[tf.Tensor, Any]:
        """Returns the `feed_dict` that gives the apply op the average or sum
        of several micro-batches.

            average = sum_i(weight_i * gradient_i) / sum_i(weight_i)
            sum = sum_i(weight_i * gradient_i)

        Args:
            fetched: an iterable of the results of `session.run(fetches)`, one a micro-batch: a list
                of arrays, and (values, indices) tuples for sparse gradients. A generator may fill
                the same arrays again and again.
            weights: an iterable of as many numbers, such as the micro-batches' numbers of samples;
                default: all 1. Nothing of a micro-batch of weight 0 counts, also where it is not
                finite.

        Returns:
            A dict from placeholders to new arrays. Sparse gradients have each row once.

        Raises:
            TypeError, ValueError: nothing was fetched, another number of gradients or weights, a
                value that is not of the variable's shape and dtype, weights that are negative, not
                finite or sum to 0.
        """
        states, weighed = [None] * len(self._fed), []
        for values, weight in with_weights(fetched, weights):
            values = list(values)
            if len(values) != len(self._fed):
                raise ValueError(
                    f"feed_dict: each element of fetched must hold {len(self._fed)} gradients, one for "
                    f"each of fetches; got {len(values)}. For one micro-batch write feed_dict([gradients])."
                )
            if weight > 0:  # else nothing of it counts, not even a NaN
                states = [
                    fed.add(state, value, weight)
                    for fed, state, value in zip(self._fed, states, values)
                ]
                weighed.append(weight)
        if not weighed:
            raise ValueError(
                "feed_dict: nothing to average or sum: fetched is empty, or all weights are 0."
            )
        feeds, divisor = {}, sum(weighed) if self._reduction == "mean" else 1
        for fed, state in zip(self._fed, states):
            feeds.update(fed.feeds(state, weighed, divisor))
        return feeds


class _Dense:
    """One placeholder shaped like the variable; the sum is taken in NumPy, as the arrays come."""

    def __init__(self, gradient: Gradient, variable: tf.Variable) -> None:
        self._variable, self._dtype = variable, variable.dtype.base_dtype
        self._wide = wide_dtype(self._dtype)
        self.reduced = self._build(gradient, variable.op.name)

    def _build(self, gradient: Gradient, name: str) -> tf.Tensor | tf.IndexedSlices:
        self._values = tf.placeholder(self._dtype, self._variable.shape, name)
        return self._values

    def add(self, state: object, value: object, weight: float) -> Any:
        """Returns the running sum `state` (None at first) with `weight * value` added."""
        value = check_array(value, self._variable).astype(self._wide.as_numpy_dtype, copy=False)
        if state is None:
            # Memory with this alignment is fed without a copy.
            return np.multiply(value, weight, out=aligned_empty(value.shape, value.dtype))
        state += value if weight == 1 else value * weight
        return state

    def feeds(self, state: Any, weights: Sequence[float], divisor: float) -> dict[tf.Tensor, Any]:
        """Returns the feeds for the sum of the micro-batches behind `state`,
        divided by `divisor`.
        """
        state /= divisor
        return {self._values: state.astype(self._dtype.as_numpy_dtype, copy=False)}


class _StackedDense(_Dense):
    """One placeholder with a row a micro-batch, and one with their weights, divided."""

    def _build(self, gradient: Gradient, name: str) -> tf.Tensor:
        self._values = tf.placeholder(self._dtype, _rows_of(self._variable.shape), name)
        self._parts = tf.placeholder(self._wide, [None], name="parts")
        return tf.cast(tf.tensordot(self._parts, tf.cast(self._values, self._wide), 1), self._dtype)

    def add(self, state: Any, value: Any, weight: float) -> Any:
        return (state or []) + [check_array(value, self._variable).copy()]

    def feeds(self, state: Any, weights: Sequence[float], divisor: float) -> dict[tf.Tensor, Any]:
        return {self._values: np.stack(state), self._parts: np.divide(weights, divisor)}


class _Sparse(_Dense):
    """Placeholders for weighted rows and their indices;
    rows of the same index are summed in the graph.
    """

    def _build(self, gradient: tf.IndexedSlices, name: str) -> tf.IndexedSlices:
        self._values = tf.placeholder(self._wide, _rows_of(self._variable.shape[1:]), name)
        self._indices = tf.placeholder(gradient.indices.dtype, [None], name="indices")
        rows = tf.IndexedSlices(self._values, self._indices, gradient.dense_shape)
        return cast(merge_duplicate_rows(rows), self._dtype)

    def add(self, state: Any, value: Any, weight: float) -> Any:
        rows, indices = check_rows(value, self._variable)
        return (state or []) + [(rows.astype(self._wide.as_numpy_dtype) * weight, indices.copy())]

    def feeds(self, state: Any, weights: Sequence[float], divisor: float) -> dict[tf.Tensor, Any]:
        rows, indices = (np.concatenate(parts) for parts in zip(*state))
        return {self._values: rows / divisor, self._indices: indices}


def _rows_of(shape: tf.TensorShape) -> tf.TensorShape:
    return tf.TensorShape([None]).concatenate(shape)

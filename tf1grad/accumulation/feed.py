"""Fetches gradients, averages them in NumPy or in the graph, and feeds them back through placeholders."""

from __future__ import annotations

import itertools
from typing import Any, Dict, Iterable, Iterator, Optional, Sequence, Tuple

import numpy as np

from tf1grad._arguments import describe
from tf1grad._compat import require_graph, tf
from tf1grad._types import GradsAndVars
from tf1grad.accumulation.array_sums import ArraySum
from tf1grad.accumulation.sums import cast, sum_dtype, widest
from tf1grad.gradients.grads_and_vars import check_grads_and_vars, merge_duplicate_rows


def feed_gradients(grads_and_vars: GradsAndVars, stacked: bool = False, name: str = "fed_gradients") -> FedGradients:
    """Makes placeholders for gradients, and the averages to feed.

        fed = tf1grad.feed_gradients(optimizer.compute_gradients(loss))
        apply = optimizer.apply_gradients(fed.grads_and_vars)
        fetched = [session.run(fed.fetches, feed_dict={x: batch})
                   for batch in batches]
        session.run(apply, feed_dict=fed.feed_dict(fetched))

    The recipe feeds the averages onto the gradient tensors themselves, which a rewritten graph can silently ignore; a
    placeholder cannot be.

    Args:
        grads_and_vars: (gradient, variable) pairs of one micro-batch, as `optimizer.compute_gradients` returns them.
            None gradients stay None and are not fetched. `tf.IndexedSlices` are fed as rows and indices.
        stacked: False averages in NumPy, as the fetched gradients come, and feeds one average a variable. True feeds
            every micro-batch's gradients, in placeholders of shape `(None,) + variable.shape`, and takes the mean in
            the graph, in float64: it needs the memory of all of them three times.
        name: the name scope of the placeholders.

    Returns:
        A `tf1grad.FedGradients`.

    Raises:
        TypeError, ValueError: a wrong pair: swapped, of another dtype or shape, or nothing but None.
        RuntimeError: eager execution is on.

    Source: the recipes "fetch, average, feed" and "placeholders and a mean in the graph".
    """
    require_graph("feed_gradients")
    pairs = check_grads_and_vars(grads_and_vars, "feed_gradients")
    with tf.name_scope(name):
        return FedGradients(pairs, stacked)


class FedGradients:
    """Gradients to fetch and the placeholders that take their averages; made by `feed_gradients`.

    Attributes:
        fetches: list of the gradients that are not None, for `session.run`.
        grads_and_vars: (average, variable) pairs for `apply_gradients`, in the given order; None stays None.
    """

    def __init__(self, grads_and_vars: GradsAndVars, stacked: bool) -> None:
        self._fed = [_KINDS[isinstance(gradient, tf.IndexedSlices), bool(stacked)](gradient, variable)
                     for gradient, variable in grads_and_vars if gradient is not None]
        self.fetches = [gradient for gradient, _ in grads_and_vars if gradient is not None]
        means = iter(self._fed)
        self.grads_and_vars = [(None if gradient is None else next(means).mean, variable)
                               for gradient, variable in grads_and_vars]

    def feed_dict(self, fetched: Iterable[Any], weights: Optional[Sequence[float]] = None) -> Dict[tf.Tensor, Any]:
        """Returns the `feed_dict` that gives the apply op the average of several micro-batches' gradients.

            average = sum_i(weight_i * gradient_i) / sum_i(weight_i)

        Args:
            fetched: an iterable of the results of `session.run(fetches)`, one a micro-batch: a list of arrays, and
                (values, indices) tuples for sparse gradients.
            weights: an iterable of as many numbers, such as the micro-batches' numbers of samples; default: all 1.

        Returns:
            A dict from placeholders to new arrays. Sparse averages have each row once.

        Raises:
            ValueError: nothing was fetched, another number of gradients or weights than expected, a shape that is not
                the variable's, weights that are negative, not finite or sum to 0.
            TypeError: a value of another dtype than the variable, or dense where the gradient is sparse.
        """
        states, weighed = [None] * len(self._fed), []
        for values, weight in _with_weights(fetched, weights):
            values = list(values)
            if len(values) != len(self._fed):
                raise ValueError(f"feed_dict: each element of fetched must hold {len(self._fed)} gradients, one for "
                                 f"each of fetches; got {len(values)}.")
            values = [fed.checked(value) for fed, value in zip(self._fed, values)]
            states = [fed.add(state, value, weight) for fed, state, value in zip(self._fed, states, values)]
            weighed.append(weight)
        if not sum(weighed) > 0:
            why = "all weights are 0" if weighed else "fetched is empty"
            raise ValueError(f"feed_dict: nothing to average: {why}.")
        feeds = {}
        for fed, state in zip(self._fed, states):
            feeds.update(fed.feeds(state, weighed))
        return feeds


class _Dense:
    """One placeholder shaped like the variable; the average is taken in NumPy, as the arrays come."""

    def __init__(self, gradient: Any, variable: tf.Variable) -> None:
        self._variable, self._dtype = variable, variable.dtype.base_dtype
        self._wide = sum_dtype(self._dtype)
        self._widest = widest(self._wide)
        self._build(gradient)

    def _build(self, gradient: Any) -> None:
        self.mean = self._values = self._placeholder(self._variable.shape)

    def _placeholder(self, shape: tf.TensorShape) -> tf.Tensor:
        return tf.placeholder(self._dtype, shape, name=self._variable.op.name)

    def _weights(self, name: str) -> tf.Tensor:
        return tf.placeholder_with_default(tf.ones([1], self._widest), [None], name=name)

    def checked(self, value: Any) -> Any:
        """Returns the array in `value`, if it can be a gradient of the variable."""
        return self._array(value, self._variable.shape)

    def _array(self, value: Any, shape: tf.TensorShape) -> np.ndarray:
        name, dtype = self._variable.name, self._dtype.as_numpy_dtype
        if isinstance(value, (tuple, tf.Tensor, tf.IndexedSlices)):
            raise TypeError(f"feed_dict: the gradient of {name} must be a fetched array; got {describe(value)}.")
        if getattr(value, "dtype", dtype) != dtype:
            raise TypeError(f"feed_dict: the gradient of {name} must be {self._dtype.name} as the variable is; got "
                            f"{value.dtype}. Cast it with astype.")
        array: np.ndarray = np.asarray(value, dtype)
        if not shape.is_compatible_with(array.shape):
            raise ValueError(f"feed_dict: the gradient of {name} must have shape {shape}; got {array.shape}. Are the "
                             "gradients in the order of fetches?")
        return array

    def add(self, state: Any, value: Any, weight: float) -> Any:
        """Returns the running sum `state` (None at first) with `weight * value` added."""
        state = state or ArraySum(self._wide)
        state.add(value, weight)
        return state

    def feeds(self, state: Any, weights: Sequence[float]) -> Dict[tf.Tensor, Any]:
        """Returns the feeds for the average of the micro-batches behind `state`."""
        return {self._values: state.mean(sum(weights)).astype(self._dtype.as_numpy_dtype, copy=False)}


class _StackedDense(_Dense):
    """One placeholder with a row a micro-batch, and their weights; the mean is taken in the graph."""

    def _build(self, gradient: Any) -> None:
        self._values = self._placeholder(_stacked_shape(self._variable.shape))
        self._row_weights = self._weights("weights")
        aligned = tf.reshape(self._row_weights, [-1] + [1] * self._variable.shape.ndims)
        weighted = tf.reduce_mean(tf.cast(self._values, self._widest) * aligned, axis=0)
        self.mean = tf.cast(weighted / tf.reduce_mean(self._row_weights), self._dtype)

    def add(self, state: Any, value: Any, weight: float) -> Any:
        return (state or []) + [value]

    def feeds(self, state: Any, weights: Sequence[float]) -> Dict[tf.Tensor, Any]:
        return {self._values: np.stack(state), self._row_weights: weights}


class _Sparse(_Dense):
    """Placeholders for rows and indices; rows of the same index are summed in NumPy."""

    def _build(self, gradient: Any) -> None:
        self._values = self._placeholder(_stacked_shape(self._variable.shape[1:]))
        self._indices = tf.placeholder(gradient.indices.dtype, [None], name="indices")
        self.mean = tf.IndexedSlices(self._values, self._indices, gradient.dense_shape)

    def checked(self, value: Any) -> Any:
        if not isinstance(value, tuple) or len(value) < 2:
            raise TypeError(f"feed_dict: the gradient of {self._variable.name} is sparse: give the fetched value or a "
                            f"pair (values, indices); got {describe(value)}.")
        rows, indices = self._array(value[0], _stacked_shape(self._variable.shape[1:])), np.asarray(value[1])
        if indices.shape != rows.shape[:1]:
            raise ValueError(f"feed_dict: the gradient of {self._variable.name} has {len(rows)} rows but indices of "
                             f"shape {indices.shape}: one index a row.")
        rows_there = self._variable.shape.as_list()[0]
        if rows_there is not None and ((indices < 0) | (indices >= rows_there)).any():
            raise ValueError(f"feed_dict: the gradient of {self._variable.name} has indices from {indices.min()} to "
                             f"{indices.max()}; the variable has rows 0 to {rows_there - 1}.")
        return rows, indices

    def add(self, state: Any, value: Any, weight: float) -> Any:
        rows, indices = value
        weighted = np.multiply(rows, weight, dtype=self._wide.as_numpy_dtype)
        return (state or []) + [(weighted, indices)]

    def feeds(self, state: Any, weights: Sequence[float]) -> Dict[tf.Tensor, Any]:
        rows, indices = (np.concatenate(parts) for parts in zip(*state))
        order = np.argsort(indices, kind="stable")
        unique, starts = np.unique(indices[order], return_index=True)
        merged = np.add.reduceat(rows[order], starts, axis=0, dtype=self._widest.as_numpy_dtype)
        return {self._values: (merged / sum(weights)).astype(self._dtype.as_numpy_dtype), self._indices: unique}


class _StackedSparse(_Sparse):
    """Placeholders for all rows, their indices and weights, and the sum of weights; the mean is taken in the graph."""

    def _build(self, gradient: Any) -> None:
        super()._build(gradient)
        self._row_weights = self._weights("row_weights")
        self._total = tf.placeholder(self._widest, [], name="total_weight")
        aligned = tf.reshape(self._row_weights, [-1] + [1] * (self._values.shape.ndims - 1))
        rows = tf.cast(self._values, self._widest) * (aligned / self._total)
        merged = merge_duplicate_rows(tf.IndexedSlices(rows, self._indices, gradient.dense_shape))
        self.mean = cast(merged, self._dtype)

    def add(self, state: Any, value: Any, weight: float) -> Any:
        return (state or []) + [value]

    def feeds(self, state: Any, weights: Sequence[float]) -> Dict[tf.Tensor, Any]:
        rows, indices = zip(*state)
        return {self._values: np.concatenate(rows), self._indices: np.concatenate(indices),
                self._row_weights: np.repeat(weights, [len(part) for part in rows]), self._total: sum(weights)}


_KINDS = {(False, False): _Dense, (False, True): _StackedDense, (True, False): _Sparse, (True, True): _StackedSparse}


def _stacked_shape(shape: tf.TensorShape) -> tf.TensorShape:
    return tf.TensorShape([None]).concatenate(shape)


def _with_weights(fetched: Iterable[Any], weights: Optional[Iterable[float]]) -> Iterator[Tuple[Any, float]]:
    """Yields each micro-batch's gradients and weight, after checking that the numbers of both are equal."""
    missing = object()
    fetched = iter(fetched)
    for weight in itertools.repeat(1) if weights is None else weights:
        values = next(fetched, missing)
        if values is missing:
            if weights is None:
                return
            raise ValueError("feed_dict: there are more weights than micro-batches in fetched.")
        if not 0 <= weight < float("inf"):
            raise ValueError(f"feed_dict: weights must be finite and not negative; got {weight!r}.")
        yield values, weight
    if next(fetched, missing) is not missing:
        raise ValueError("feed_dict: there are fewer weights than micro-batches in fetched.")

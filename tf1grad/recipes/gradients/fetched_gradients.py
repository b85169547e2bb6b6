"""Checks gradients that were fetched as arrays, before they are averaged and fed."""

from __future__ import annotations

import itertools
from typing import Any, Iterable, Iterator

import numpy as np

from tf1grad._arguments import describe
from tf1grad._compat import tf


def check_array(
    value: Any, variable: tf.Variable, shape: tf.TensorShape | None = None
) -> np.ndarray:
    """Returns the array `value`, if it can be a gradient of `variable`;
    `shape` is another one for rows.
    """
    what, dtype = f"feed_dict: the gradient of {variable.name}", variable.dtype.base_dtype
    shape = variable.shape if shape is None else shape
    if isinstance(value, (tuple, tf.Tensor, tf.IndexedSlices)):
        raise TypeError(f"{what} must be an array that session.run fetched; got {describe(value)}.")
    if getattr(value, "dtype", dtype.as_numpy_dtype) != dtype.as_numpy_dtype:
        raise TypeError(
            f"{what} must be {dtype.name} as the variable is; got {value.dtype}. Cast it with astype."
        )
    array = np.asarray(value, dtype.as_numpy_dtype)
    if not shape.is_compatible_with(array.shape):
        raise ValueError(
            f"{what} must have shape {shape}; got {array.shape}. Are the gradients in the order of "
            "fetches?"
        )
    return array


def check_rows(value: object, variable: tf.Variable) -> tuple[np.ndarray, np.ndarray]:
    """Returns the rows and the indices in `value`,
    if they can be a sparse gradient of `variable`.
    """
    what = f"feed_dict: the gradient of {variable.name}"
    if not isinstance(value, tuple) or len(value) < 2:
        raise TypeError(
            f"{what} is sparse: give the fetched value or a pair (values, indices); got "
            f"{describe(value)}."
        )
    rows = check_array(value[0], variable, tf.TensorShape([None]).concatenate(variable.shape[1:]))
    indices = np.asarray(value[1])
    if indices.shape != rows.shape[:1]:
        raise ValueError(
            f"{what} has values of shape {rows.shape} but indices of shape {indices.shape}: one index a row."
        )
    rows_there = variable.shape.as_list()[0]  # a GPU leaves rows out that are not there
    if rows_there is not None and ((indices < 0) | (indices >= rows_there)).any():
        raise ValueError(
            f"{what} has indices from {indices.min()} to {indices.max()}; the variable has rows 0 to "
            f"{rows_there - 1}."
        )
    return rows, indices


def with_weights(
    fetched: Iterable[Any], weights: Iterable[float] | None
) -> Iterator[tuple[Any, float]]:
    """Yields each micro-batch's gradients and weight; the weight is 1 where `weights` is None."""
    pairs: Any = ((values, 1) for values in fetched)
    if weights is not None:
        pairs = itertools.zip_longest(fetched, weights)
    for values, weight in pairs:
        if values is None or weight is None:
            which = "more" if values is None else "fewer"
            raise ValueError(
                "feed_dict: give as many weights as micro-batches are in fetched; got "
                f"{which} weights than micro-batches."
            )
        if not 0 <= weight < float("inf"):
            raise ValueError(f"feed_dict: weights must be finite and not negative; got {weight!r}.")
        yield values, weight

"""Checks and takes apart the list that `compute_gradients` returns and `apply_gradients` takes.

A gradient is a tensor, `tf.IndexedSlices` (rows of an embedding), or None where the loss does not
reach the variable.
"""

from __future__ import annotations

from typing import Any, Iterable

from tf1grad._arguments import describe
from tf1grad._compat import is_variable, require_graph, tf
from tf1grad._types import Gradient, Pairs
from tf1grad.recipes.gradients.waiting_loops import check_loops_end


def check_grads_and_vars(grads_and_vars: Any, caller: str) -> Pairs:
    """Returns the iterable `grads_and_vars` as a list of pairs,
    or raises an error that names the fault.

    Here and elsewhere `caller` is the name that error messages start with.
    """
    require_graph(caller)
    try:
        pairs = [tuple(pair) for pair in grads_and_vars]
    except TypeError:
        if isinstance(grads_and_vars, tuple) and isinstance(grads_and_vars[0], list):
            raise TypeError(
                f"{caller}: grads_and_vars is the pair (clipped, norm) that clip_by_global_norm returns. Take "
                "the list out: clipped, norm = tf1grad.clip_by_global_norm(grads_and_vars, 5.0), or in a "
                "lambda tf1grad.clip_by_global_norm(pairs, 5.0)[0]."
            ) from None
        raise TypeError(
            f"{caller}: grads_and_vars must be a list of (gradient, variable) pairs, as "
            f"optimizer.compute_gradients returns it; got {grads_and_vars!r}. Gradients alone, as "
            "tf.clip_by_global_norm takes them, become pairs by list(zip(gradients, variables)), and pairs "
            "come out."
        ) from None
    if not pairs:
        raise ValueError(
            f"{caller}: grads_and_vars is empty. compute_gradients(loss, var_list=...) found no variable: "
            "check that the model has trainable variables in this graph. Or it is a zip that was read "
            "before: write list(zip(gradients, variables))."
        )
    for pair in pairs:
        _check_pair(pair, caller)
    if all(gradient is None for gradient, _ in pairs):
        raise ValueError(
            f"{caller}: every gradient is None; the loss reaches none of the variables "
            f"{[variable.name for _, variable in pairs]}. Check that the loss is computed from them, or "
            "pass the var_list that it is computed from."
        )
    check_loops_end(components([gradient for gradient, _ in pairs]), caller)
    return pairs


def _check_pair(pair: Any, caller: str) -> None:
    if len(pair) != 2:
        raise TypeError(
            f"{caller}: grads_and_vars must hold (gradient, variable) pairs; got an element of "
            f"{len(pair)}: {pair!r}."
        )
    gradient, variable = pair
    if not is_variable(variable):
        if is_variable(gradient):
            raise TypeError(
                f"{caller}: the pair ({gradient.name}, {describe(variable)}) is swapped: write (gradient, "
                "variable), as compute_gradients returns it."
            )
        raise TypeError(
            f"{caller}: the second member of each pair must be a variable; got {describe(variable)}."
        )
    if gradient is None:
        return
    if gradient is variable:
        raise TypeError(
            f"{caller}: {variable.name} is paired with itself. A pair is (gradient, variable): with "
            "`gradients, variables = zip(*grads_and_vars)` the gradients come first."
        )
    if not is_variable(gradient) and not isinstance(gradient, (tf.Tensor, tf.IndexedSlices)):
        raise TypeError(
            f"{caller}: the gradient of {variable.name} must be a tensor, tf.IndexedSlices or None; got "
            f"{describe(gradient)}. An array that was fetched is fed through tf1grad.feed_gradients."
        )
    _check_fits(gradient, variable, caller)


def _check_fits(gradient: tf.Tensor | tf.IndexedSlices, variable: tf.Variable, caller: str) -> None:
    dtype = variable.dtype.base_dtype
    if gradient.dtype.base_dtype != dtype:
        raise TypeError(
            f"{caller}: the gradient of {variable.name} is {gradient.dtype.base_dtype.name}, the variable "
            f"is {dtype.name}. Cast it: tf.cast(gradient, variable.dtype.base_dtype)."
        )
    if not dtype.is_floating and not dtype.is_complex:
        raise TypeError(
            f"{caller}: {variable.name} and its gradient are {dtype.name}; a mean or a clip of whole numbers would be "
            "cut off, mostly to 0. Make the variable float, and round it where whole numbers are needed."
        )
    # TF 1.15 lacks the shape of IndexedSlices: compare the rows.
    sparse = isinstance(gradient, tf.IndexedSlices)
    shape = gradient.values.shape[1:] if sparse else gradient.shape
    expected = variable.shape[1:] if sparse else variable.shape
    if not shape.is_compatible_with(expected):
        raise ValueError(
            f"{caller}: the gradient of {variable.name} has {'rows of ' if sparse else ''}shape {shape}, "
            f"the variable has {expected}. Is it the gradient of another variable?"
        )


def components(gradients: Iterable[Gradient]) -> list[tf.Tensor]:
    """Returns the tensors of dense and sparse gradients, in order; None is left out."""
    tensors = []
    for gradient in gradients:
        if isinstance(gradient, tf.IndexedSlices):
            tensors += [gradient.values, gradient.indices]
        elif gradient is not None:
            tensors.append(gradient)
    return tensors


def merge_duplicate_rows(slices: tf.IndexedSlices) -> tf.IndexedSlices:
    """Returns `tf.IndexedSlices` of the same value with each row once:
    values of equal indices are summed.

    Rows come in the order of their first appearance. Norms, and whatever is not linear, need this
    first.
    """
    # Each row is there once already.
    if slices.indices.op.type == "Unique" and slices.indices.value_index == 0:
        return slices
    unique, position = tf.unique(slices.indices)
    values = tf.unsorted_segment_sum(slices.values, position, tf.size(unique))
    return tf.IndexedSlices(values, unique, slices.dense_shape)


def merged(gradient: Gradient) -> Gradient:
    """Returns a sparse gradient with each row once; a dense gradient or None unchanged."""
    return merge_duplicate_rows(gradient) if isinstance(gradient, tf.IndexedSlices) else gradient


def merged_pairs(grads_and_vars: object, caller: str) -> Pairs:
    """Returns the pairs of `check_grads_and_vars`, sparse gradients with each row once."""
    return [
        (merged(gradient), variable)
        for gradient, variable in check_grads_and_vars(grads_and_vars, caller)
    ]

"""Turns variables and their bounds into one vector,
the only form that an optimizer outside TensorFlow knows.
"""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from tf1grad._arguments import describe
from tf1grad._compat import is_variable, operation, tf, variable_key


class FlatVariables:
    """The elements of `variables`, float variables of known shapes:
    one after another, each in row-major order.

    Attributes:
        variables: the list.
        size: the vector's number of elements.
        dtype: the vector's dtype in the graph: float64 if any variable has, else float32.
        vector: a placeholder `[size]` of that dtype.
        packed: the variables' values, `[size]`.
        assign: an op that gives the variables the values of `vector`.
    """

    def __init__(self, variables: object, caller: str) -> None:
        self.variables = _check(variables, caller)
        dtypes = [variable.dtype.base_dtype for variable in self.variables]
        self.dtype = tf.float64 if tf.float64 in dtypes else tf.float32
        self._sizes = [variable.shape.num_elements() for variable in self.variables]
        self.size = sum(self._sizes)
        self.vector = tf.placeholder(self.dtype, [self.size], name="vector")
        self.packed = self.pack(self.variables)
        self.assign = tf.group(
            *[
                operation(variable.assign(piece))
                for variable, piece in zip(self.variables, self.cut(self.vector))
            ]
        )

    def cut(self, vector: tf.Tensor) -> list[tf.Tensor]:
        """Splits the tensor `vector`, `[size]`, into tensors of the
        variables' shapes and dtypes.
        """
        cuts = tf.split(vector, self._sizes) if len(self._sizes) > 1 else [vector]
        return [
            tf.cast(tf.reshape(cut, variable.shape), variable.dtype.base_dtype)
            for cut, variable in zip(cuts, self.variables)
        ]

    def pack(self, tensors: Sequence[Any]) -> tf.Tensor:
        """Packs `tensors`, one a variable, into a vector `[size]`. None is zeros;
        rows of slices are summed.
        """
        return tf.concat(
            [
                tf.cast(tf.reshape(_dense(tensor, variable), [-1]), self.dtype)
                for tensor, variable in zip(tensors, self.variables)
            ],
            axis=0,
        )


def _dense(tensor: tf.Tensor, variable: tf.Variable) -> tf.Tensor:
    if tensor is None:
        return tf.zeros(variable.shape, variable.dtype.base_dtype)
    if isinstance(tensor, tf.IndexedSlices):
        return tf.unsorted_segment_sum(tensor.values, tensor.indices, variable.shape.as_list()[0])
    return tensor


def _check(var_list: object, caller: str) -> list[tf.Variable]:
    # As compute_gradients does: one variable is a list too.
    variables: list[tf.Variable] = tf.nest.flatten(var_list)
    if not variables:
        raise ValueError(
            f"{caller}: there is no variable to optimize. Pass var_list, or build the model's trainable "
            "variables in this graph before."
        )
    for variable in variables:
        if not is_variable(variable):
            raise TypeError(f"{caller}: var_list must hold variables; got {describe(variable)}.")
        if not variable.dtype.base_dtype.is_floating:
            raise TypeError(
                f"{caller}: {variable.name} is {variable.dtype.base_dtype.name}; only float variables can "
                "be optimized. Leave it out of var_list."
            )
        if not variable.shape.is_fully_defined():
            raise ValueError(
                f"{caller}: {variable.name} has the shape {variable.shape}, which must be known. Build it "
                "with validate_shape=True, or leave it out of var_list."
            )
    keys = [variable_key(variable) for variable in variables]
    for variable, key in zip(variables, keys):
        if keys.count(key) > 1:
            raise ValueError(f"{caller}: {variable.name} is in var_list more than once.")
    return variables


def pack_bounds(var_to_bounds: object, variables: Sequence[tf.Variable], caller: str) -> Any:
    """Returns a pair (low, high) of floats for each element of the variables; None without bounds.

    `var_to_bounds` is a dict from variables to pairs (low, high), each broadcast to the variable's
    shape; None means unbounded, also inside an array.
    """
    if var_to_bounds is None:
        return None
    if not isinstance(var_to_bounds, dict):
        raise TypeError(
            f"{caller}: var_to_bounds must be a dict {{variable: (low, high)}}; got "
            f"{describe(var_to_bounds)}."
        )
    names = [variable.name for variable in variables]
    for key in var_to_bounds:
        if not is_variable(key) or key.name not in names:
            raise ValueError(
                f"{caller}: var_to_bounds has the key {describe(key)}, which is none of the variables "
                f"{names}."
            )
    bounds = {variable_key(key): _pair(pair, key, caller) for key, pair in var_to_bounds.items()}
    packed: list[tuple[float, float]] = []
    for variable in variables:
        low, high = bounds.get(variable_key(variable)) or _pair((None, None), variable, caller)
        packed.extend(zip(low.ravel().tolist(), high.ravel().tolist()))
    return packed


def _pair(pair: Any, variable: tf.Variable, caller: str) -> tuple[np.ndarray, np.ndarray]:
    """Returns the bounds as two float64 arrays of the variable's shape."""
    shape = variable.shape.as_list()
    try:
        low, high = pair
        low = np.broadcast_to(_numbers(low, -np.inf), shape)
        high = np.broadcast_to(_numbers(high, np.inf), shape)
    except (TypeError, ValueError):
        raise ValueError(
            f"{caller}: the bounds of {variable.name} must be a pair (low, high) of numbers, or arrays that "
            f"broadcast to its shape {shape}; got {pair!r}."
        ) from None
    with np.errstate(invalid="ignore"):
        ordered = np.all(low <= high)  # False where one is NaN
    if not ordered:
        raise ValueError(
            f"{caller}: the bounds of {variable.name} must be low <= high; got {pair!r}."
        )
    return low, high


def _numbers(bound: object, unlimited: float) -> np.ndarray:
    """Returns the bound as a float64 array, `unlimited` where it is None."""
    array = np.asarray(bound)
    if array.dtype == object:  # as None makes it, which the conversion below would make NaN
        array = np.where(np.equal(array, None), unlimited, array)
    return np.asarray(array, np.float64)

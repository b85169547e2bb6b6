"""Turns bounds of variables into bounds of one vector."""

from typing import Any, List, Sequence, Tuple

import numpy as np

from tf1grad._arguments import describe
from tf1grad._compat import is_variable, tf, variable_key


def pack_bounds(var_to_bounds: Any, variables: Sequence[tf.Variable], caller: str) -> Any:
    """Returns a pair (low, high) of floats for each element of the variables; None without bounds.

    `var_to_bounds` is a dict from variables to pairs (low, high), each broadcast to the variable's shape; None means
    unbounded, also inside an array.
    """
    if var_to_bounds is None:
        return None
    if not isinstance(var_to_bounds, dict):
        raise TypeError(f"{caller}: var_to_bounds must be a dict {{variable: (low, high)}}; got "
                        f"{describe(var_to_bounds)}.")
    names = [variable.name for variable in variables]
    for key in var_to_bounds:
        if not is_variable(key) or key.name not in names:
            raise ValueError(f"{caller}: var_to_bounds has the key {describe(key)}, which is none of the variables "
                             f"{names}.")
    bounds = {variable_key(key): _pair(pair, key, caller) for key, pair in var_to_bounds.items()}
    packed: List[Tuple[float, float]] = []
    for variable in variables:
        low, high = bounds.get(variable_key(variable)) or _pair((None, None), variable, caller)
        packed.extend(zip(low.ravel().tolist(), high.ravel().tolist()))
    return packed


def _pair(pair: Any, variable: tf.Variable, caller: str) -> Tuple[np.ndarray, np.ndarray]:
    """Returns the bounds as two float64 arrays of the variable's shape."""
    try:
        low, high = pair
        low, high = _numbers(low, -np.inf), _numbers(high, np.inf)
    except (TypeError, ValueError):
        raise TypeError(f"{caller}: the bounds of {variable.name} must be a pair (low, high) of numbers or arrays; got "
                        f"{pair!r}.") from None
    try:
        low, high = (np.broadcast_to(bound, variable.shape.as_list()) for bound in (low, high))
    except ValueError:
        raise ValueError(f"{caller}: the bounds of {variable.name} have the shapes {low.shape} and {high.shape}, which "
                         f"must broadcast to the variable's {variable.shape}.") from None
    with np.errstate(invalid="ignore"):
        ordered = np.all(low <= high)  # False where one is NaN
    if not ordered:
        raise ValueError(f"{caller}: the bounds of {variable.name} must be low <= high; got {pair!r}.")
    return low, high


def _numbers(bound: Any, unlimited: float) -> np.ndarray:
    """Returns the bound as a float64 array, `unlimited` where it is None."""
    array = np.asarray(bound)
    if array.dtype == object:  # as None makes it, which the conversion below would make NaN
        array = np.where(np.equal(array, None), unlimited, array)
    numbers: np.ndarray = np.asarray(array, np.float64)
    return numbers

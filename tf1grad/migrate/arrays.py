"""Lets an array of one number count as that number, and large numbers wrap around,
for upgraded programs.
"""

from typing import Any

import numpy as np

from tf1grad.run.dropped_names import fix_messages, numpy_calls

__all__ = ["array", "unwrap_element", "unwrap_number", "unwrap_operand"]

fix_messages.expect(numpy_calls.OF_ARRAYS)


def array(*args: object, **kwargs: object) -> Any:
    """Calls `numpy.array`, also for rows of different lengths and for numbers that
    the dtype does not hold.
    """
    try:
        return numpy_calls.make_array(np.array, *args, **kwargs)
    except OverflowError as error:
        if "out of bounds" not in str(error):
            raise
        return _wrapped(*args, **kwargs)


def _wrapped(values: Any, dtype: Any, *args: Any, **kwargs: Any) -> np.ndarray:
    return np.array(np.asarray(values).astype(dtype), dtype, *args, **kwargs)


def unwrap_operand(values: object) -> object:
    """Returns the right side of a string's `%`;
    its arrays of one number become numbers where the format needs one.
    """
    if isinstance(values, tuple):
        return tuple(map(_formattable, values))
    if type(values) is dict:
        return {key: _formattable(value) for key, value in values.items()}
    return _formattable(values)


def unwrap_number(value: Any) -> Any:
    """Returns an argument of `float`, `int`, `complex` or a function of `math`;
    an array of one becomes its number.
    """
    # NumPy converts eager tensors.
    array = value.numpy() if type(value).__name__ == "EagerTensor" else value
    return array.flat[0] if _is_one_number(array) else value


def unwrap_element(value: Any, target: object) -> Any:
    """Returns the right side of `target[...] = value`;
    an array of one becomes its number if the target is an array.
    """
    return value.flat[0] if _is_one_number(value) and _is_numeric(target) else value


class _OneNumber(np.ndarray):
    """Converts itself to a number where a format needs one; `%s` and `%r` show the array."""

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __index__(self) -> int:
        index: int = self.item().__index__()
        return index

    def __repr__(self) -> str:
        return repr(self.view(np.ndarray))


def _formattable(value: Any) -> Any:
    return value.view(_OneNumber) if _is_one_number(value) else value


def _is_one_number(value: Any) -> bool:
    return _is_numeric(value) and value.size == 1 and value.ndim > 0


def _is_numeric(value: object) -> bool:
    return (
        isinstance(value, np.ndarray)
        and value.dtype.kind in "biufc"
        and not isinstance(value, np.ma.MaskedArray)
    )

"""Compares shapes and dimensions as 1.15 did, for the user's code and for 1.15's own.

In 1.15 a dimension is true, an unknown dimension equals only itself, and shapes with unknown dimensions differ.
"""

from typing import Any

from tf1grad.old_programs import _compat
from tf1grad.old_programs.originals import rewritten_code
from tf1grad.old_programs.process import ownership, patches

_MODULE = "tensorflow.python.framework.tensor_shape"


def install() -> None:
    """Changes the operators of the two classes; the installed TensorFlow and libraries still get its own."""
    dimension, shape = _compat.resolve(_MODULE + ".Dimension"), _compat.resolve(_MODULE + ".TensorShape")
    for holder, operator, function in ((dimension, "__bool__", lambda dimension: True), (shape, "__eq__", _equal),
                                       (shape, "__ne__", _unequal)):
        def chosen(before: Any, *arguments: Any, original: Any = function) -> Any:
            return (original if ownership.is_asked_by_user_or(rewritten_code.HELPER) else before)(*arguments)
        patches.wrap(holder, operator, chosen,
                     reason="" if operator == "__ne__" else "unknown dimensions compare as in 1.15 in user code")


def _equal(shape: Any, other: Any) -> Any:
    try:
        other = _compat.resolve(_MODULE).as_shape(other)
    except TypeError:
        return NotImplemented
    if shape is other or shape.rank is None or other.rank is None:
        return shape.rank == other.rank
    return shape.is_fully_defined() and shape.as_list() == other.as_list()


def _unequal(shape: Any, other: Any) -> Any:
    is_equal = _equal(shape, other)
    if is_equal is not NotImplemented and (shape.rank is None or _compat.resolve(_MODULE).as_shape(other).rank is None):
        raise ValueError("The inequality of unknown TensorShapes is undefined.")
    return is_equal if is_equal is NotImplemented else not is_equal

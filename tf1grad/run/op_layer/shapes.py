"""Makes shapes and dimensions those of TensorFlow 1.15, for the user's code and for 1.15's own.

In 1.15 a dimension is true, an unknown dimension equals only itself, and shapes with unknown
dimensions differ. A dimension may be a whole float, such as `[None, n / 2]` gives, or digits, and
is compatible with tensors.
"""

from __future__ import annotations

from typing import Any

from tf1grad._compat import tf
from tf1grad.programs import _compat
from tf1grad.programs.process import ownership, patches
from tf1grad.run.op_layer import graph_owners
from tf1grad.run.originals import loader, rewritten_code

_MODULE = "python.framework.tensor_shape"


def install() -> None:
    """Changes the two classes; the installed TensorFlow and libraries
    still get its own behavior.
    """
    dimension = _compat.resolve(f"tensorflow.{_MODULE}.Dimension")
    reason = "unknown dimensions compare as in 1.15 in user code"
    for holder, operator, function in (
        (dimension, "__bool__", lambda dimension: True),
        (tf.TensorShape, "__eq__", _equal),
        (tf.TensorShape, "__ne__", _unequal),
    ):
        patches.wrap(
            holder,
            operator,
            graph_owners.either(function, _is_asked_by_user),
            reason="" if operator == "__ne__" else reason,
        )
    patches.wrap(
        dimension, "__init__", _initialize, reason="whole floats are dimensions, as in 1.15"
    )
    patches.wrap(
        dimension,
        "is_compatible_with",
        _is_compatible,
        reason="dimensions are compatible with tensors, as in 1.15",
    )


def _is_asked_by_user(*unused: object) -> bool:
    return ownership.is_asked_by_user_or(rewritten_code.HELPER)


def _equal(shape: tf.TensorShape, other: Any) -> bool:
    try:
        other = _compat.resolve(f"tensorflow.{_MODULE}.as_shape")(other)
    except TypeError:
        return NotImplemented
    if shape is other or shape.rank is None or other.rank is None:
        return shape.rank == other.rank
    return shape.is_fully_defined() and shape.as_list() == other.as_list()


def _unequal(shape: tf.TensorShape, other: Any) -> bool:
    is_equal = _equal(shape, other)
    if is_equal is not NotImplemented and (
        shape.rank is None or tf.TensorShape(other).rank is None
    ):
        raise ValueError("The inequality of unknown TensorShapes is undefined.")
    return is_equal if is_equal is NotImplemented else not is_equal


def _initialize(before: Any, dimension: tf.Dimension, value: Any) -> None:
    try:
        before(dimension, value)
    except TypeError as error:
        if not (tf.executing_eagerly() or graph_owners.is_users()):
            raise
        try:  # 1.15's decides
            loader.private_copy(_MODULE).Dimension.__init__(dimension, value)
        except ValueError:
            if isinstance(value, str):  # callers in the installed module expect a TypeError
                raise error from None
            raise


def _is_compatible(before: Any, dimension: tf.Dimension, other: Any) -> bool:
    try:
        return bool(before(dimension, other))
    except (TypeError, ValueError):  # 1.15 returned NotImplemented, which is true
        if not graph_owners.is_users():
            raise
        return True

"""Makes the installed `Dimension` accept what 1.15's did: whole floats, such as `[None, n / 2]` gives, digits, and
comparison with tensors.
"""

from __future__ import annotations

from typing import Any

from tf1grad._compat import tf
from tf1grad.old_programs import _compat
from tf1grad.old_programs.op_layer import graph_owners
from tf1grad.old_programs.originals import loader
from tf1grad.old_programs.process import patches

_MODULE = "python.framework.tensor_shape"


def install() -> None:
    """Lets 1.15's `Dimension.__init__` decide on values that the installed one rejects, except in libraries' graphs."""
    holder = _compat.resolve(f"tensorflow.{_MODULE}.Dimension")
    patches.wrap(holder, "__init__", _initialize, reason="whole floats are dimensions, as in 1.15")
    patches.wrap(holder, "is_compatible_with", _is_compatible,
                 reason="dimensions are compatible with tensors, as in 1.15")


def _initialize(before: Any, dimension: Any, value: Any) -> None:
    try:
        before(dimension, value)
    except TypeError as error:
        if not (tf.executing_eagerly() or graph_owners.is_users()):
            raise
        try:
            loader.private_copy(_MODULE).Dimension.__init__(dimension, value)
        except ValueError:
            if isinstance(value, str):  # callers in the installed module expect a TypeError
                raise error from None
            raise


def _is_compatible(before: Any, dimension: Any, other: Any) -> bool:
    try:
        return bool(before(dimension, other))
    except (TypeError, ValueError):  # 1.15 returned NotImplemented, which is true
        if not graph_owners.is_users():
            raise
        return True

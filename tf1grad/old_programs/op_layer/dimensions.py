"""Makes the installed `Dimension` accept what 1.15's did: whole floats, such as `[None, n / 2]` gives, digits, and
comparison with tensors.
"""

from __future__ import annotations

import functools
from typing import Any

from tf1grad._compat import tf
from tf1grad.old_programs import _compat
from tf1grad.old_programs.op_layer import graph_owners
from tf1grad.old_programs.originals import loader
from tf1grad.old_programs.process import patches


def install() -> None:
    """Lets 1.15's `Dimension.__init__` decide on values that the installed one rejects, except in libraries' graphs."""
    module = "python.framework.tensor_shape"
    holder = _compat.resolve(f"tensorflow.{module}.Dimension")
    before, compatible = holder.__init__, holder.is_compatible_with

    @functools.wraps(before)
    def __init__(dimension: Any, value: Any) -> None:
        try:
            before(dimension, value)
        except TypeError as error:
            if not (tf.executing_eagerly() or graph_owners.is_users()):
                raise
            try:
                loader.private_copy(module).Dimension.__init__(dimension, value)
            except ValueError:
                if isinstance(value, str):  # callers in the installed module expect a TypeError
                    raise error from None
                raise

    @functools.wraps(compatible)
    def is_compatible_with(dimension: Any, other: Any) -> bool:
        try:
            return bool(compatible(dimension, other))
        except (TypeError, ValueError):  # 1.15 returned NotImplemented, which is true
            if not graph_owners.is_users():
                raise
            return True

    patches.patch(holder, "__init__", __init__, owner=__name__,
                  reason="whole floats are dimensions, as in 1.15")
    patches.patch(holder, "is_compatible_with", is_compatible_with, owner=__name__,
                  reason="dimensions are compatible with tensors, as in 1.15")

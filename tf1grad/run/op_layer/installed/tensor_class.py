"""Gives the tensors of graphs one class that is also the class of all tensors,
as `tf.Tensor` was in 1.15.

TensorFlow 2 makes tensors of graphs of the class `SymbolicTensor`, so that `type(x) is tf.Tensor`
is false. It also took from `tf.Operation` the constructor that makes an operation from a NodeDef.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from tf1grad.programs import _compat
from tf1grad.programs.process import patches

if TYPE_CHECKING:
    from tf1grad._compat import tf


def install() -> None:
    """Makes tensors of all graphs of the class that `users_class` returns,
    and restores the constructor.
    """
    ops = _compat.resolve("tensorflow.python.framework.ops")
    if not hasattr(ops, "SymbolicTensor"):  # tensors of graphs are of the class `tf.Tensor`
        return
    users = users_class()
    before = ops.Operation.__new__

    def __new__(cls: Any, node_def: tf.NodeDef, g: Any, *arguments: Any, **options: Any) -> Any:
        if isinstance(g, type):  # TensorFlow gives an operation of C++ and a class of tensors
            return before(cls, node_def, users)
        return cls.from_node_def(node_def, g, *arguments, **options)

    patches.patch(
        ops.Operation,
        "__new__",
        __new__,
        reason="makes operations from a NodeDef, and tensors of the user's class tf.Tensor",
    )
    patches.patch(ops, "Tensor", users, reason="")
    patches.patch(
        _compat.resolve("tensorflow.python.framework.tensor.TensorSpec"),
        "_to_legacy_output_classes",
        lambda spec: users,
        reason="",
    )


@functools.lru_cache(maxsize=None)
def users_class() -> Any:
    """Returns the user's `tf.Tensor`: the class of the tensors of graphs,
    which has all other tensors as instances.
    """
    ops = _compat.resolve("tensorflow.python.framework.ops")
    everybodys = _compat.resolve("tensorflow.python.framework.tensor.Tensor")
    native = _compat.resolve("tensorflow.python.client.pywrap_tf_session").PyTensor

    class OfTensors(type):
        """Lets the class `Tensor` stand for the installed one; subclasses are usual classes."""

        def __instancecheck__(cls, value: object) -> bool:
            return (
                isinstance(value, everybodys)
                if cls is Tensor
                else type.__instancecheck__(cls, value)
            )

        def __subclasscheck__(cls, other: Any) -> bool:
            return (
                issubclass(other, everybodys)
                if cls is Tensor
                else type.__subclasscheck__(cls, other)
            )

        def __setattr__(cls, name: str, value: object) -> None:
            type.__setattr__(everybodys if cls is Tensor else cls, name, value)

        def __delattr__(cls, name: str) -> None:
            type.__delattr__(everybodys if cls is Tensor else cls, name)

    class Tensor(ops.SymbolicTensor, metaclass=OfTensors):  # type: ignore[misc, name-defined]
        __module__, __qualname__, __doc__ = ops.__name__, "Tensor", everybodys.__doc__

        def __new__(
            cls, op: object, value_index: int, dtype: object, unique_id: object = None
        ) -> Any:
            identity = ops.uid() if unique_id is None else unique_id
            return native.__new__(cls, op, value_index, ops.dtypes.as_dtype(dtype), identity)

    return Tensor

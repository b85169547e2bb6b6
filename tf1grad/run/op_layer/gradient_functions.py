"""Uses 1.15's gradient functions in the user's graphs,
and the installed ones in the graphs of libraries.
"""

from __future__ import annotations

import functools
from typing import Any, Callable, NamedTuple, Optional

from tf1grad._compat import tf
from tf1grad.programs import _compat
from tf1grad.run import op_layer
from tf1grad.run.op_layer import graph_owners
from tf1grad.run.originals import name_map

# The gradient function of an op; None for an op that is not differentiable.
Gradient = Optional[Callable[..., Any]]


@name_map.stands_in_for("python.framework.ops.RegisterGradient")
class RegisterGradient(NamedTuple):
    """Registers a gradient function, as `register` does."""

    op_type: str

    def __call__(self, function: Gradient) -> Gradient:
        register(self.op_type, function)
        return function


@name_map.stands_in_for(
    "python.framework.ops.NoGradient",
    "python.framework.ops.NotDifferentiable",
    "python.framework.ops.no_gradient",
)
def not_differentiable(op_type: str) -> None:
    """Marks an op as not differentiable, as `register` does."""
    register(op_type, None)


def register(op_type: str, function: Gradient) -> None:
    """Registers the gradient function of an original unless TensorFlow has one for the op.

    With the op layer, each call then chooses between the two by the op's graph.
    """
    if op_type not in _compat.registered_gradients():
        _compat.register_gradient(op_type, function)
    elif op_layer.is_active():

        def replace(before: Gradient) -> Gradient:
            if function is None and before is None:
                return None  # a `tf.GradientTape` knows these ops, and does not keep their inputs
            return functools.partial(
                graph_owners.either(function or _none, _is_of_users), before or _none
            )

        _compat.replace_gradients({op_type: replace})


def _is_of_users(operation: tf.Operation, *unused: tf.Tensor) -> bool:
    return graph_owners.is_users(getattr(operation, "graph", None))  # a tape records no graph


def _none(operation: tf.Operation, *unused: tf.Tensor) -> list[None]:
    return [None] * len(operation.inputs)

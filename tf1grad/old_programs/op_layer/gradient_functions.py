"""Uses 1.15's gradient functions in the user's graphs, and the installed ones in the graphs of libraries."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional

from tf1grad._compat import tf
from tf1grad.old_programs import _compat
from tf1grad.old_programs.op_layer import graph_owners, installed
from tf1grad.old_programs.originals import stand_ins

# The gradient function of an op; None for an op that is not differentiable.
Gradient = Optional[Callable[..., Any]]

_collected: Dict[str, Gradient] = {}
_installed = False


class RegisterGradient(stand_ins.RegisterGradient):
    """Collects a gradient function of the op layer; registers those of modules that are loaded later at once."""

    def __call__(self, function: Gradient) -> Gradient:
        _add(self.op_type, function)
        return function


def not_differentiable(op_type: str) -> None:
    """Marks an op as not differentiable."""
    _add(op_type, None)


def install() -> None:
    """Registers the collected functions; each call chooses between them and the installed ones by the op's graph."""
    global _installed
    _installed = True
    _register(_collected)


def _add(op_type: str, function: Gradient) -> None:
    if _installed:
        _register({op_type: function})
    else:
        _collected.setdefault(op_type, function)


def _register(functions: Dict[str, Gradient]) -> None:
    registered = _compat.registered_gradients()
    _compat.replace_gradients({op_type: _by_owner(function) for op_type, function in functions.items()
                               if op_type in registered})
    for op_type in set(functions) - registered:
        _compat.register_gradient(op_type, functions[op_type])


def _by_owner(original: Gradient) -> Callable[[Gradient], Gradient]:
    def replace(before: Gradient) -> Gradient:
        if original is None and before is None:
            return None  # a `tf.GradientTape` knows these ops, and does not keep their inputs

        def gradient(operation: Any, *gradients: tf.Tensor) -> Any:
            function = original if graph_owners.is_users(installed.graph_of(operation)) else before
            return [None] * len(operation.inputs) if function is None else function(operation, *gradients)
        return gradient
    return replace

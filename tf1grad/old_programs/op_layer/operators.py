"""Uses 1.15's operators of tensors (`a + b`, `x[0:n]`) in the user's graphs, and the installed ones elsewhere."""

from __future__ import annotations

import contextlib
import functools
from typing import Any, Callable, Dict, Iterator, Tuple

from tf1grad._compat import tf
from tf1grad.old_programs.op_layer import graph_owners, installed
from tf1grad.old_programs.process import patches

# (class, name of the operator) -> its function.
Operators = Dict[Tuple[Any, str], Callable[..., Any]]


@contextlib.contextmanager
def collected() -> Iterator[Operators]:
    """Yields a dict of the operators that 1.15's modules define while they load, which are not set meanwhile."""
    found: Operators = {}
    with contextlib.ExitStack() as stack:
        for holder in (tf.Tensor, tf.SparseTensor):
            def override(operator: str, function: Callable[..., Any], holder: Any = holder) -> None:
                found[holder, operator] = function
            stack.enter_context(patches.temporarily(holder, "_override_operator", staticmethod(override)))
        yield found


def install(found: Operators) -> None:
    """Sets the operators `found` for the user's graphs; operators of variables act on the variables' values."""
    for (holder, operator), function in found.items():
        patches.wrap(holder, operator, graph_owners.either(function), reason="")
        if holder is tf.Tensor and operator not in ("__eq__", "__ne__"):  # a variable equals only itself
            for variable in installed.variable_classes(operator):
                of_variable = _slice_of_variable if operator == "__getitem__" else _operator_of_variable
                either = graph_owners.either(functools.partial(of_variable, function))
                patches.wrap(variable, operator, either, reason="")
    patches.note("operators of tensors and variables", "in the user's graphs 1.15's functions make the ops")


def _operator_of_variable(function: Callable[..., Any], variable: tf.Variable, *arguments: Any, **options: Any) -> Any:
    return function(variable.value(), *arguments, **options)


def _slice_of_variable(function: Callable[..., Any], variable: tf.Variable, part: Any) -> Any:
    return function(variable.value(), part, variable)  # the slice of a variable can be assigned to

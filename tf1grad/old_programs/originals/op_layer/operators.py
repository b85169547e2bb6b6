"""Operators of tensors (`a + b`, `x[0:n]`): 1.15's in the user's graphs, the installed ones elsewhere."""

from __future__ import annotations

import contextlib
import functools
from typing import Any, Callable, Dict, Iterator, Tuple

from tf1grad._compat import tf
from tf1grad.old_programs.originals.op_layer import graph_owners, installed
from tf1grad.old_programs.process import patches

# The function of an operator, by the class and the operator's name.
Operators = Dict[Tuple[Any, str], Callable[..., Any]]


@contextlib.contextmanager
def collected() -> Iterator[Operators]:
    """A context in which 1.15's modules, as they load, do not override operators; gives those that they would have.

    They are a dict from the class and the operator's name to the function.
    """
    found: Operators = {}
    with contextlib.ExitStack() as stack:
        for holder in (tf.Tensor, tf.SparseTensor):
            def override(operator: str, function: Callable[..., Any], holder: Any = holder) -> None:
                found[holder, operator] = function
            stack.enter_context(installed.attribute(holder, "_override_operator", staticmethod(override)))
        yield found


def install(found: Operators) -> None:
    """Makes the operators `found` those of the user's graphs; those of variables act on the variables' values."""
    for (holder, operator), function in found.items():
        before = getattr(holder, operator)
        _replace(holder, operator, _by_graph(function, before))
        if holder is tf.Tensor and operator not in ("__eq__", "__ne__"):  # a variable is equal to itself alone
            for variable in installed.variable_classes(operator):
                of_variable = _of_slice(function) if operator == "__getitem__" else _of_value(function)
                _replace(variable, operator, _by_graph(of_variable, getattr(variable, operator)))
    patches.note("operators of tensors and variables", "1.15's make the ops of the user's graphs")


def _replace(holder: Any, operator: str, function: Callable[..., Any]) -> None:
    patches.patch(holder, operator, function, reason="", owner=__name__)


def _by_graph(original: Callable[..., Any], before: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(before)
    def operator(*arguments: Any, **options: Any) -> Any:
        return (original if graph_owners.is_users() else before)(*arguments, **options)
    return operator


def _of_value(function: Callable[..., Any]) -> Callable[..., Any]:
    def operator(variable: tf.Variable, *arguments: Any, **options: Any) -> Any:
        return function(variable.value(), *arguments, **options)
    return operator


def _of_slice(function: Callable[..., Any]) -> Callable[..., Any]:
    def operator(variable: tf.Variable, part: Any) -> Any:
        return function(variable.value(), part, variable)  # the slice of a variable can be assigned
    return operator

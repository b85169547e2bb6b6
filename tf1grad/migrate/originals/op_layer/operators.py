"""Operators of tensors (`a + b`, `x[0:n]`): 1.15's in the user's graphs, the installed ones elsewhere."""

import contextlib
import functools

from tf1grad._compat import tf
from tf1grad.migrate.originals.op_layer import graphs, installed


@contextlib.contextmanager
def collected():
    """A context in which 1.15's modules, as they load, do not override operators; gives those that they would have.

    They are a dict from the class and the operator's name to the function.
    """
    found = {}
    with contextlib.ExitStack() as stack:
        for holder in (tf.Tensor, tf.SparseTensor):
            def override(operator, function, holder=holder):
                found[holder, operator] = function
            stack.enter_context(installed.attribute(holder, "_override_operator", staticmethod(override)))
        yield found


def install(found):
    """Makes the operators `found` those of the user's graphs; those of variables act on the variables' values."""
    for (holder, operator), function in found.items():
        before = getattr(holder, operator)
        setattr(holder, operator, _by_graph(function, before))
        if holder is tf.Tensor and operator not in ("__eq__", "__ne__"):  # a variable is equal to itself alone
            for variable in installed.variable_classes(operator):
                of_variable = _of_slice(function) if operator == "__getitem__" else _of_value(function)
                setattr(variable, operator, _by_graph(of_variable, getattr(variable, operator)))


def _by_graph(original, before):
    @functools.wraps(before)
    def operator(*arguments, **options):
        return (original if graphs.is_users() else before)(*arguments, **options)
    return operator


def _of_value(function):
    def operator(variable, *arguments, **options):
        return function(variable.value(), *arguments, **options)
    return operator


def _of_slice(function):
    def operator(variable, part):
        return function(variable.value(), part, variable)  # the slice of a variable can be assigned
    return operator

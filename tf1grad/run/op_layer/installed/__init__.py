"""Wraps what the op layer needs of the installed TensorFlow and changes in it,
with the private names for that.

`programs._compat` wraps what all commands need; this package is of use only with 1.15's op modules.
This module reads the installed TensorFlow, the others change it.
"""

from __future__ import annotations

import types
from typing import Any

from tf1grad._compat import tf
from tf1grad.programs import _compat
from tf1grad.run.originals import name_map


def variable_classes(operator: str) -> list[Any]:
    """Returns the classes of variables that define the operator themselves."""
    variables = _compat.resolve("tensorflow.python.ops.variables")
    resource = _compat.resolve("tensorflow.python.ops.resource_variable_ops.BaseResourceVariable")
    return [
        each
        for each in (variables.Variable, variables.VariableV1, resource)
        if operator in vars(each)
    ]


@name_map.stands_in_for("python.eager.function.ConcreteFunction")
def concrete_function(graph: tf.Graph) -> Any:
    """Returns a callable for the graph of a function, whose inputs and outputs are set."""
    function = _compat.resolve("tensorflow.python.eager.function.ConcreteFunction")
    function_types = _compat.resolve(
        "tensorflow.python.eager.polymorphic_function.function_type_utils"
    )
    return function.from_func_graph(graph, function_types.derive_from_graph(graph), {})


def makes_default_graph(code: types.CodeType) -> bool:
    """Says whether `code` is a function that makes the default graph on its first use."""
    return (
        code.co_name in _DEFAULT_GRAPH_MAKERS
        and code.co_filename == _compat.resolve("tensorflow.python.framework.ops").__file__
    )


_DEFAULT_GRAPH_MAKERS = ("_GetGlobalDefaultGraph", "get_default", "reset_default_graph", "reset")


@name_map.changes("python.keras.backend")
def save_in_sessions_of(backend: types.ModuleType) -> None:
    """Makes checkpoints of graphs, outside of a `with` of a session,
    take the session of 1.15's Keras.
    """
    _compat.resolve("tensorflow.python.checkpoint.checkpoint").register_session_provider(
        backend.get_session
    )


@name_map.stands_in_for("python.pywrap_tensorflow.TF_TryEvaluateConstant_wrapper")
def evaluate_constant(c_graph: object, output: object) -> Any:
    """Returns the value of a constant tensor; None for a tensor that only a run can evaluate."""
    evaluate = _compat.resolve(
        "tensorflow.python.client.pywrap_tf_session.TF_TryEvaluateConstant_wrapper"
    )
    if hasattr(c_graph, "get"):  # 2.11 and later lock the graph
        with c_graph.get() as locked:
            return evaluate(locked, output)
    return evaluate(c_graph, output)

"""What the op layer asks of the installed TensorFlow and changes in it; it alone knows its private names.

It stands beside `old_programs._compat`, which knows what all commands ask: nothing here is of use without 1.15's
op modules, and everything here is of the same concern. Here is what is asked; what is changed is in

    completed       what 1.15's modules keep in graphs
    building        how ops are made in the user's graphs
    datasets        how datasets end there
    dispatch        calls that classes of tensors take over
"""

from __future__ import annotations

import contextlib
import types
import weakref
from typing import Any, Iterator, List, Optional

from tf1grad._compat import tf
from tf1grad.old_programs import _compat


@contextlib.contextmanager
def attribute(holder: Any, name: str, value: Any) -> Iterator[None]:
    """A context in which `holder` has `value` as its attribute `name`."""
    absent = object()
    before = vars(holder).get(name, absent)
    setattr(holder, name, value)
    try:
        yield
    finally:
        if before is absent:
            delattr(holder, name)
        else:
            setattr(holder, name, before)


def variable_classes(operator: str) -> List[Any]:
    """The classes of variables that define the operator themselves."""
    variables = _compat.resolve("tensorflow.python.ops.variables")
    resource = _compat.resolve("tensorflow.python.ops.resource_variable_ops.BaseResourceVariable")
    return [each for each in (variables.Variable, variables.VariableV1, resource) if operator in vars(each)]


def outer_graph(graph: tf.Graph) -> Optional[tf.Graph]:
    """The graph around that of a function; None for other graphs."""
    return graph.outer_graph if graph.building_function and hasattr(graph, "outer_graph") else None


def graph_of(operation: Any) -> Optional[tf.Graph]:
    """The graph of an operation; None for what a `tf.GradientTape` recorded, which is in none."""
    return getattr(operation, "graph", None)


def concrete_function(graph: tf.Graph) -> Any:
    """What calls the graph of a function, whose inputs and outputs are set."""
    function = _compat.resolve("tensorflow.python.eager.function.ConcreteFunction")
    function_types = _compat.resolve("tensorflow.python.eager.polymorphic_function.function_type_utils")
    return function.from_func_graph(graph, function_types.derive_from_graph(graph), {})


def makes_default_graph(code: types.CodeType) -> bool:
    """True for the code that makes the default graph when it is first asked for."""
    return code.co_name in ("_GetGlobalDefaultGraph", "reset_default_graph", "reset")


def saver_with_op_caching(trackable: Any) -> Any:
    """What saves and restores the variables of a Keras network."""
    graph_view = _compat.resolve("tensorflow.python.checkpoint.graph_view")
    return _compat.resolve("tensorflow.python.checkpoint.checkpoint").TrackableSaver(
        graph_view.ObjectGraphView(weakref.ref(trackable)))


def evaluate_constant(c_graph: Any, output: Any) -> Any:
    """The value of a tensor that needs no run; None if it needs one."""
    evaluate = _compat.resolve("tensorflow.python.client.pywrap_tf_session.TF_TryEvaluateConstant_wrapper")
    if hasattr(c_graph, "get"):  # 2.11 and later lock the graph
        with c_graph.get() as locked:
            return evaluate(locked, output)
    return evaluate(c_graph, output)


def take_ragged_tensors(original: types.ModuleType) -> None:
    """Lets `tf.test.TestCase` see the ragged tensors of 1.15's module; installed ops do not take them for their own."""
    test_util = _compat.resolve("tensorflow.python.framework.test_util")
    own = test_util.ragged_tensor
    test_util.ragged_tensor = types.SimpleNamespace(
        RaggedTensor=(own.RaggedTensor, original.RaggedTensor),
        is_ragged=lambda value: isinstance(value, original.RaggedTensor) or own.is_ragged(value))

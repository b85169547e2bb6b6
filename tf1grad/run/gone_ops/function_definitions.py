"""Builds the function of an op: a FunctionDef that a graph holds in its library, with the
FunctionDef of its gradient.

The runtime looks a node's type up among the functions of the graph before it looks among the ops.
So a graph with the function imports and runs wherever TensorFlow does, without this package.
"""

from __future__ import annotations

import threading
from typing import Any, Mapping, Sequence

from tf1grad._compat import tf
from tf1grad.programs import _compat
from tf1grad.programs.process import patches
from tf1grad.run.gone_ops import attributes, table
from tf1grad.run.gone_ops.signatures import OpSignature

_libraries: dict[str, Any] = {}
_lock = threading.RLock()


def build_library(signature: OpSignature, values: Mapping[str, Any]) -> Any:
    """Returns a FunctionDefLibrary with the op's function and that of its gradient;
    threads may call it.
    """
    name = attributes.function_name(signature, values)
    with _lock:
        if name not in _libraries:
            _libraries[name] = _build(name, signature, values)
        return _libraries[name]


def _build(name: str, signature: OpSignature, values: Mapping[str, Any]) -> Any:
    row = table.OF_TENSORFLOW[signature.op]
    inputs = signature.flat(signature.inputs, values)
    outputs = signature.flat(signature.outputs, values)

    def forward(*tensors: tf.Tensor) -> Any:
        return table.build_outputs(
            row.build, **signature.nested(signature.inputs, tensors, values), **values
        )

    def backward(*tensors: tf.Tensor) -> Any:
        return table.build_outputs(row.gradient, *tensors, **values)

    # Loops and conditionals are ops: functions of theirs would need names.
    control_flow = _compat.resolve("tensorflow.python.ops.control_flow_util")
    plain = patches.temporarily(control_flow, "ENABLE_CONTROL_FLOW_V2", False)
    with tf.Graph().as_default() as graph, plain:
        _define(name, forward, inputs, [name for name, _ in outputs])
        if row.gradient:
            _define(
                name + "_gradient",
                backward,
                inputs + outputs,
                [f"{name}_gradient" for name, _ in inputs],
            )
        made = graph.as_graph_def().library
    if row.gradient:
        made.gradient.add(function_name=name, gradient_func=name + "_gradient")
    return made


def _define(
    name: str, body: patches.Function, arguments: Sequence[tuple[str, Any]], outputs: list[str]
) -> None:
    define = _compat.resolve("tensorflow.python.framework.function.Defun")
    dtypes = [tf.as_dtype(dtype) for _, dtype in arguments]
    defined = define(*dtypes, func_name=name, out_names=outputs)(body)
    defined.add_to_graph(tf.get_default_graph())

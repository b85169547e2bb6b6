"""Finds in the graph which variables an op really writes."""

from __future__ import annotations

import collections
from typing import Any, Iterable, Mapping

from tf1grad._compat import is_variable, tf
from tf1grad.recipes.sessions.reached import reached

Write = collections.namedtuple("Write", ["op", "variable"])

VARIABLE_TYPES = ("Variable", "VariableV2", "VarHandleOp")
HANDED_ON = (
    "Identity",
    "RefIdentity",
    "Switch",
    "RefSwitch",
    "Enter",
    "RefEnter",
    "Merge",
    "RefMerge",
)
_READS = (
    "ReadVariableOp",
    "ResourceGather",
    "ResourceGatherNd",
    "VarIsInitializedOp",
    "VariableShape",
    "IsVariableInitialized",
    "DestroyResourceOp",
)
# The ops that call functions, with their last inputs as the arguments.
_CALLS = (
    "If",
    "StatelessIf",
    "While",
    "StatelessWhile",
    "Case",
    "StatelessCase",
    "PartitionedCall",
    "StatefulPartitionedCall",
)


def graph_variables(graph: tf.Graph) -> dict[str, tf.Variable]:
    """Returns the variables of the graph's collections by the name of their op,
    in the order of creation.
    """
    held: dict[str, tf.Variable] = {}
    for key in graph.get_all_collection_keys():
        for value in graph.get_collection(key):
            if is_variable(value):
                held.setdefault(value.op.name, value)
    return {
        op.name: held[op.name]
        for op in graph.get_operations()
        if op.name in held and op.type in VARIABLE_TYPES
    }


def write_between(given: tf.Operation, target: tf.Operation) -> tf.Operation | None:
    """Returns an op that writes what `given` computes or holds into a variable that
    `target` reads; None if none.
    """
    read = ancestors([target], control=False)
    for write in writes(ancestors([target])):
        sources = ancestors([tensor.op for tensor in write.op.inputs], control=False)
        if write.variable in read and given in sources:
            return write.op
    return None


def ancestors(ops: Iterable[tf.Operation], control: bool = True) -> set[tf.Operation]:
    """Returns the set of `ops` and all ops that run before them;
    with `control=False` only their data sources.
    """
    return reached(
        ops,
        lambda op: [
            *(tensor.op for tensor in op.inputs),
            *(op.control_inputs if control else ()),
        ],
    )


def writes(ops: Iterable[tf.Operation]) -> list[Write]:
    """Returns a list of `Write`s: the variables that the ops write,
    each as the op that holds it.
    """
    return [write for op in ops for write in _writes_of(op)]


def source(tensor: tf.Tensor) -> tf.Operation:
    """Returns the op that made a tensor, through identities and the entries and exits
    of conditionals and loops.
    """
    op = tensor.op
    while op.type in HANDED_ON:
        op = op.inputs[0].op
    return op


def _writes_of(op: tf.Operation) -> list[Write]:
    if op.type in HANDED_ON or op.type in _READS:
        return []
    by_reference = [argument.is_ref for argument in op.op_def.input_arg]
    found = []
    for position, tensor in enumerate(op.inputs):
        if tensor.dtype == tf.resource:
            written = op.type not in _CALLS or _writes_resource(
                op.node_def, position, _library(op.graph)
            )
        else:
            written = position < len(by_reference) and by_reference[position]
        if written:
            holder = source(tensor)
            is_captured = (
                holder.type == "Placeholder"
                and tensor.dtype == tf.resource
                and op.graph.building_function
            )
            if holder.type in VARIABLE_TYPES or is_captured:
                found.append(Write(op, holder))
    return found


def _library(graph: tf.Graph) -> Mapping[str, Any]:
    return {function.signature.name: function for function in graph.as_graph_def().library.function}


def _writes_resource(node: tf.NodeDef, position: int, library: Mapping[str, Any]) -> bool:
    """Says whether a node, or a function that it calls,
    writes the resource that is its input at `position`.
    """
    if node.op in _READS or node.op in HANDED_ON:
        return False
    if node.op not in _CALLS:
        return True
    inputs = [name for name in node.input if not name.startswith("^")]
    for function in _called(node, library):
        arguments = function.signature.input_arg
        argument = arguments[position - len(inputs) + len(arguments)].name
        if any(
            given == argument and _writes_resource(inner, place, library)
            for inner in function.node_def
            for place, given in enumerate(inner.input)
        ):
            return True
    return False


def _called(node: tf.NodeDef, library: Mapping[str, Any]) -> list[Any]:
    """Returns the functions that a node calls."""
    names = []
    for value in node.attr.values():
        names += [called.name for called in [value.func, *value.list.func]]
    return [library[name] for name in names if name]

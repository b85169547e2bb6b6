"""Finds in the graph which variables an op really writes."""

import collections
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Set

from tf1grad._compat import is_variable, tf

Write = collections.namedtuple("Write", ["op", "variable", "position"])  # position of the variable among op's inputs

VARIABLE_TYPES = ("Variable", "VariableV2", "VarHandleOp")
_HANDED_ON = ("Identity", "RefIdentity", "Switch", "RefSwitch", "Enter", "RefEnter", "Merge", "RefMerge")
_READS = ("ReadVariableOp", "ResourceGather", "ResourceGatherNd", "VarIsInitializedOp", "VariableShape",
          "IsVariableInitialized", "DestroyResourceOp")
_BRANCHES = {"If": ("then_branch", "else_branch"), "StatelessIf": ("then_branch", "else_branch"),
             "While": ("cond", "body"), "StatelessWhile": ("cond", "body"), "Case": ("branches",),
             "StatelessCase": ("branches",), "PartitionedCall": ("f",), "StatefulPartitionedCall": ("f",)}
_FIRST_ARGUMENT = {"If": 1, "StatelessIf": 1, "Case": 1, "StatelessCase": 1}


def graph_variables(graph: tf.Graph) -> Dict[str, tf.Variable]:
    """Returns the variables of the graph's collections by the name of their op, in the order of creation."""
    held: Dict[str, tf.Variable] = {}
    for key in graph.get_all_collection_keys():
        for value in graph.get_collection(key):
            if is_variable(value):
                held.setdefault(value.op.name, value)
    return collections.OrderedDict((op.name, held[op.name]) for op in graph.get_operations()
                                   if op.name in held and op.type in VARIABLE_TYPES)


def ancestors(ops: Iterable[tf.Operation], control: bool = True) -> Set[tf.Operation]:
    """Returns the set of `ops` and all ops that run before them; with `control=False` only their data sources."""
    found, waiting = set(), list(ops)
    while waiting:
        op = waiting.pop()
        if op not in found:
            found.add(op)
            waiting += [tensor.op for tensor in op.inputs] + (list(op.control_inputs) if control else [])
    return found


def writes(ops: Iterable[tf.Operation]) -> List[Write]:
    """Returns a list of `Write`s: the variables that the ops write, each as the op that holds it."""
    return [write for op in ops for write in _writes_of(op)]


def source(tensor: tf.Tensor) -> tf.Operation:
    """Returns the op that made a tensor, through identities and the entries and exits of conditionals and loops."""
    op = tensor.op
    while op.type in _HANDED_ON:
        op = op.inputs[0].op
    return op


def _writes_of(op: tf.Operation) -> List[Write]:
    if op.type in _HANDED_ON or op.type in _READS:
        return []
    by_reference = [argument.is_ref for argument in op.op_def.input_arg]
    found = []
    for position, tensor in enumerate(op.inputs):
        if tensor.dtype == tf.resource:
            written = _writes_resource(op, position)
        else:
            written = position < len(by_reference) and by_reference[position]
        if written:
            holder = source(tensor)
            is_captured = holder.type == "Placeholder" and tensor.dtype == tf.resource and op.graph.building_function
            if holder.type in VARIABLE_TYPES or is_captured:
                found.append(Write(op, holder, position))
    return found


def _writes_resource(op: tf.Operation, position: int) -> bool:
    if op.type not in _BRANCHES:
        return True
    library = {function.signature.name: function for function in op.graph.as_graph_def().library.function}
    return any(_function_writes(library, name, position - _FIRST_ARGUMENT.get(op.type, 0))
               for name in _called(op.node_def))


def _called(node: tf.NodeDef) -> Iterator[str]:
    """Yields the names of the functions that a node calls."""
    for attribute in _BRANCHES[node.op]:
        value = node.attr[attribute]
        for function in value.list.func if value.HasField("list") else [value.func]:
            yield function.name


def _function_writes(library: Mapping[str, Any], name: str, position: int) -> bool:
    argument = library[name].signature.input_arg[position].name
    for node in library[name].node_def:
        for place, given in enumerate(node.input):
            if given != argument or node.op in _READS or node.op in _HANDED_ON:
                continue
            if node.op not in _BRANCHES:
                return True
            if any(_function_writes(library, called, place - _FIRST_ARGUMENT.get(node.op, 0))
                   for called in _called(node)):
                return True
    return False

"""Finds in a graph's nodes its inputs, outputs, variables and ops, from the messages alone."""

from __future__ import annotations

import collections
import re
from typing import AbstractSet, Any, Callable, Dict, Iterable, Iterator, List, NamedTuple, Optional, Set, Tuple

from tf1grad.old_programs.models import graph_messages
from tf1grad.old_programs.models.checkpoint_files import Variable
from tf1grad.old_programs.models.graph_messages import Shape

PLACEHOLDERS = ("Placeholder", "PlaceholderV2", "PlaceholderWithDefault")
REQUIRED = ("Placeholder", "PlaceholderV2")
VARIABLES = ("Variable", "VariableV2", "VarHandleOp")
# Ops that give a program its batches: a converted model is fed in their place.
SOURCES = re.compile(r"IteratorGetNext(Sync)?$|QueueDequeue\w*$|ReaderRead\w*$")
PIPELINE = re.compile(r"QueueEnqueue|\w*Dataset|MakeIterator|ReaderRead")
PYTHON = ("PyFunc", "PyFuncStateless", "EagerPyFunc")  # functions of the program, which no file holds
RESHAPING = ("StridedSlice", "Reshape", "ExpandDims", "Squeeze", "Transpose", "Identity")
LOSSES = ("SoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogits")
GRADIENTS = re.compile(r"(^|/)gradients(_\d+)?/")
SHAPES = ("Shape", "Size", "Rank")
WEIGHTS = (*VARIABLES, "Identity", "ReadVariableOp", "Enter", "RefEnter", "Switch", "RefSwitch", "Cast", "Transpose")
# Ops that use values without being a part of the model.
BOOKKEEPING = re.compile(r"(Assign\w*|Save\w*|Restore\w*|MergeV2Checkpoints|ShardedFilename|NoOp|\w*Summary\w*|Assert|"
                         r"Print\w*|Const|Placeholder\w*|Variable\w*|VarHandleOp|VarIsInitializedOp|(Sparse|Resource|"
                         r"ResourceSparse)?Apply\w+|Queue\w+|\w+Queue(V2)?|Scatter\w+|ResourceScatter\w+|"
                         r"ReportUninitialized\w*|IsVariableInitialized|InitializeTable\w*|"
                         r"LookupTable(Import|Insert)\w*|\w*HashTable\w*|ControlTrigger|"
                         r"(Ref)?(NextIteration|Exit|Switch)|LoopCond|\w*Iterator\w*|\w*Reader\w*)$")
IN_LOOPS = re.compile("(Ref)?(NextIteration|Exit|Switch)$|LoopCond$")
# Tensors that TensorFlow's own functions make and leave unused.
UNUSED = re.compile(r"(^|/)zeros(_like)?(_\d+)?/Less$|ZeroState(_\d+)?/ExpandDims(_\d+)?$|/pred_id$|"
                    r"(^|/)(fw|bw|rnn)(_\d+)?/(Min|zeros)$|AssertGuard(_\d+)?/Merge$")
UPDATES = re.compile("(Ref|Resource|Sparse|ResourceSparse)?(Assign|Apply|Scatter)|Assert$")
OF_TRAINING = re.compile(r"(^|/)(gradients(_\d+)?|save(_\d+)?|report_uninitialized_\w+)/")


class Tensor(NamedTuple):
    """Describes an input or output: the name users give it, the tensor's, the dtype's, and the shape.

    dtype and shape are None where the file does not tell.
    """

    name: str
    tensor: str
    dtype: Optional[str]
    shape: Shape


def node_name(reference: str) -> str:
    """Returns the node that an input of a node names: "^a" and "a:1" name "a"."""
    return reference.lstrip("^").split(":")[0]


def full_name(tensor: str) -> str:
    """Returns the name of a tensor with its number: "a:0" for "a"."""
    return tensor if ":" in tensor else tensor + ":0"


def closure(starts: Iterable[str], following: Callable[[str], Iterable[str]]) -> Set[str]:
    """Returns `starts`, and everything that `following` gives for what is found."""
    waiting = list(starts)
    found: Set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += following(name)
    return found


def all_nodes(graph: Dict[str, Any]) -> Iterator[Dict[str, Any]]:
    """Yields the nodes of a graph and of its functions."""
    yield from graph["nodes"]
    for function in functions(graph):
        yield from function["nodes"]


def functions(graph: Dict[str, Any]) -> List[Dict[str, Any]]:
    """Returns the functions of a graph."""
    found: List[Dict[str, Any]] = graph.get("library", {"functions": []})["functions"]
    return found


def function_name(function: Dict[str, Any]) -> str:
    """Returns the name of a function of the library."""
    name: str = function.get("signature", {}).get("name", "")
    return name


def nodes_of_ops(graph: Dict[str, Any]) -> Dict[str, List[str]]:
    """Returns the names of the nodes of each op, without calls of the graph's own functions."""
    found: Dict[str, List[str]] = {}
    own = {function_name(function) for function in functions(graph)}
    for node in all_nodes(graph):
        if node["op"] not in own:
            found.setdefault(node["op"], []).append(node["name"])
    return found


def inputs(graph: Dict[str, Any], ends: Iterable[Tensor]) -> List[Tensor]:
    """Returns the placeholders of a graph, and the tensors of queues and iterators that its outputs `ends` need."""
    found = []
    for node in graph["nodes"]:
        if node["op"] in PLACEHOLDERS and not OF_TRAINING.search(node["name"]):
            dtype = graph_messages.dtype_name(graph_messages.attribute(node, "dtype").get("dtype"))
            found.append(Tensor(node["name"], node["name"] + ":0", dtype, _shape(node)))
    nodes = {node["name"]: node for node in graph["nodes"]}
    needed = needed_inputs(graph, [end.tensor for end in ends])
    return found + [_of_source(nodes[node_name(tensor)], tensor) for tensor in needed
                    if SOURCES.match(nodes[node_name(tensor)]["op"])]


def needed_inputs(graph: Dict[str, Any], tensors: Iterable[str]) -> List[str]:
    """Returns the placeholders, and the tensors of queues and iterators, that `tensors` need."""
    nodes = {node["name"]: node for node in graph["nodes"]}

    def is_input(tensor: str) -> bool:
        op = nodes[node_name(tensor)]["op"]
        return op in REQUIRED or bool(SOURCES.match(op))

    needed = closure(tensors, lambda tensor: () if is_input(tensor) else nodes[node_name(tensor)]["inputs"])
    found = {full_name(tensor.lstrip("^")) for tensor in needed if is_input(tensor)}
    places = {name: place for place, name in enumerate(nodes)}
    return sorted(found, key=lambda tensor: (places[node_name(tensor)], split_tensor(tensor)[1]))


def _of_source(node: Dict[str, Any], tensor: str) -> Tensor:
    """Returns the description of an output of a queue's or iterator's op."""
    index = split_tensor(tensor)[1]
    listed = graph_messages.attribute(node, "output_types" if "Iterator" in node["op"] else "component_types")
    dtypes = listed.get("list", {"dtypes": []})["dtypes"]
    dtype = graph_messages.dtype_name(dtypes[index]) if index < len(dtypes) else None
    return _output(node, tensor)._replace(dtype=dtype)


def _output(node: Dict[str, Any], tensor: str) -> Tensor:
    index = split_tensor(tensor)[1]
    return Tensor(node["name"] + (f"_{index}" if index else ""), tensor, None, output_shape(node, index))


def _shape(node: Dict[str, Any]) -> Shape:
    shape = graph_messages.shape_of(graph_messages.attribute(node, "shape").get("shape"))
    if shape == [] and node["op"] == "Placeholder" and not node["attributes"].get("_output_shapes"):
        return None  # graphs before 1.0 write an unknown shape as that of a scalar
    return shape


def outputs(graph: Dict[str, Any]) -> List[Tensor]:
    """Returns the first tensor of each node that no other node uses, those of training and saving left out.

    If the graph has placeholders, queues or iterators, its outputs depend on them. Those that need labels give way to
    what a loss compares with them, and to what is computed from this alone. Those that need a Python function are left
    out, unless all do.
    """
    of_python = _reached(graph, _of_ops(graph, *PYTHON))
    found = _unused(graph, of_python) or _unused(graph, frozenset())
    nodes = {node["name"]: node for node in graph["nodes"]}
    compared = _losses(graph) or _comparisons(graph, found)
    losses, predictions = [name for name, _ in compared], [tensor for _, tensor in compared]
    labels = set(needed_inputs(graph, losses)).difference(needed_inputs(graph, predictions))
    if labels:
        scopes = tuple(map(_scope, losses))
        ignored = of_python | _reached(graph, labels) | {name for name in nodes if name.startswith(scopes)}
        scores = closure(predictions, lambda tensor: [
            name for name in nodes[node_name(tensor)]["inputs"][:1] if nodes[node_name(tensor)]["op"] in RESHAPING])
        possible = _reached(graph, scores).union(found)
        found = [name for name in _unused(graph, ignored) if name in possible] + predictions
    return [_output(nodes[node_name(tensor)], tensor) for tensor in dict.fromkeys(map(full_name, found))]


def _losses(graph: Dict[str, Any]) -> List[Tuple[str, str]]:
    """Returns the name of each cross entropy's last node, and its logits."""
    nodes = {node["name"]: node for node in graph["nodes"]}
    names = [name for name, node in nodes.items() if node["op"] in LOSSES
             or node["op"] in ("Add", "AddV2") and f"{name}/Log1p" in nodes]  # of a sigmoid
    return [(name, logits) for name in names for logits in _logits(nodes, name)]


def _comparisons(graph: Dict[str, Any], ends: Iterable[str]) -> List[Tuple[str, str]]:
    """Returns each node of a training graph that compares a prediction with labels, and the prediction's tensor.

    Labels are the inputs that no layer needs. A layer takes a weight.
    """
    nodes = {node["name"]: node for node in graph["nodes"]}
    if not any(map(GRADIENTS.search, nodes)):
        return []
    needed = set(map(node_name, closure(ends, lambda tensor: nodes[node_name(tensor)]["inputs"])))
    others = {name for name, node in nodes.items() if node["op"] not in WEIGHTS}
    weights = _reached(graph, _of_ops(graph, *VARIABLES), others)
    layers = {name for name in needed & others if not weights.isdisjoint(map(node_name, nodes[name]["inputs"]))}
    features = set(needed_inputs(graph, layers))
    labels = set(needed_inputs(graph, ends)) - features
    compared = needed & _reached(graph, labels)
    shapes = _of_ops(graph, *SHAPES)
    model = _reached(graph, layers, shapes) & _reached(graph, features, shapes) - compared
    inside = _inside(graph)

    def before(tensor: str) -> Iterable[str]:
        return nodes[node_name(tensor)]["inputs"] if node_name(tensor) in inside else ()
    return [(name, tensor) for name in compared for tensor in closure(nodes[name]["inputs"], before)
            if node_name(tensor) in model - inside]


def _logits(nodes: Dict[str, Dict[str, Any]], loss: str) -> List[str]:
    """Returns the tensor that a cross entropy takes first, before it casts or reshapes it."""
    scope = _scope(loss)

    def before(tensor: str) -> Iterable[str]:
        return nodes[node_name(tensor)]["inputs"][:1] if tensor.startswith(scope) else ()
    return [tensor for tensor in closure(nodes[loss]["inputs"][:1], before) if not tensor.startswith(scope)]


def _scope(loss: str) -> str:
    """Returns the scope of the other nodes of a cross entropy: its last node's name, or "a_1/" for "a_1/a"."""
    return re.sub(r"(?<![^/])([^/]+?)(_\d+)?/\1$", r"\1\2", loss) + "/"


def _unused(graph: Dict[str, Any], ignored: AbstractSet[str]) -> List[str]:
    """Returns the nodes that no other node uses, as if the nodes `ignored` were not there."""
    model = [node for node in graph["nodes"] if not OF_TRAINING.search(node["name"])]
    kept = [node for node in model if not BOOKKEEPING.match(node["op"]) and node["name"] not in ignored]
    used = {node_name(name) for node in [*kept, *(node for node in model if IN_LOOPS.match(node["op"]))]
            for name in node["inputs"] if not name.startswith("^")}
    used |= {node_name(name) for node in model if PIPELINE.match(node["op"]) for name in node["inputs"]}
    training = {node["name"] for node in graph["nodes"] if OF_TRAINING.search(node["name"])}
    updating = {node_name(name) for node in graph["nodes"] if UPDATES.match(node["op"]) for name in node["inputs"]}
    left_out = updating | _reached(graph, training)
    left_out |= _inside(graph)
    ends = [node for node in kept if node["name"] not in used | left_out and not UNUSED.search(node["name"])]
    fed = _reached(graph, {node["name"] for node in model
                           if node["op"] in PLACEHOLDERS or SOURCES.match(node["op"])})
    return [node["name"] for node in ends if not fed or node["name"] in fed]


def _inside(graph: Dict[str, Any]) -> Set[str]:
    """Returns the nodes of loops and of the branches of conditionals."""
    exits = _of_ops(graph, "Exit", "RefExit")
    loops = _reached(graph, _of_ops(graph, "Enter", "RefEnter"), exits)
    branches = _reached(graph, _of_ops(graph, "Switch", "RefSwitch"), exits | _of_ops(graph, "Merge", "RefMerge"))
    return loops | branches


def _of_ops(graph: Dict[str, Any], *ops: str) -> Set[str]:
    return {node["name"] for node in graph["nodes"] if node["op"] in ops}


def _reached(graph: Dict[str, Any], starts: Set[str], ends: AbstractSet[str] = frozenset()) -> Set[str]:
    """Returns `starts` and the nodes that use them, without the nodes `ends` and those behind them.

    A start is a node, or one tensor of it.
    """
    users = collections.defaultdict(list)
    for node in graph["nodes"]:
        for name in node["inputs"] if node["name"] not in ends else ():
            users[node_name(name)].append(node["name"])
            users[full_name(name)].append(node["name"])
    return closure(starts - ends, users.__getitem__)


def output_shape(node: Dict[str, Any], index: int) -> Shape:
    """Returns the shape of an output that the node's attribute `_output_shapes` tells, or None."""
    shapes = graph_messages.attribute(node, "_output_shapes").get("list", {"shapes": []})["shapes"]
    return graph_messages.shape_of(shapes[index]) if index < len(shapes) else None


def variables(graph: Dict[str, Any]) -> List[Variable]:
    """Returns the variables of a graph, by name."""
    found = []
    for node in graph["nodes"]:
        if node["op"] in VARIABLES:
            shape = graph_messages.shape_of(graph_messages.attribute(node, "shape").get("shape"))
            dtype = graph_messages.dtype_name(graph_messages.attribute(node, "dtype").get("dtype"))
            found.append(Variable(node["name"], dtype, shape))
    return sorted(found, key=lambda variable: variable.name)


def producer(graph: Dict[str, Any]) -> Optional[int]:
    """Returns the version of graphs that the graph was written for; None if the file does not tell."""
    number: Optional[int] = graph.get("versions", {}).get("producer", graph.get("version"))
    return number


def called_functions(node: Dict[str, Any]) -> List[str]:
    """Returns the functions that the attributes of a node name."""
    found = []
    for value in node["attributes"].values():
        if value and value[0] in (0x52, 0x0a):  # a function, or a list; others need not be read
            read = graph_messages.read(value, "Attribute")
            found += [read["function"].get("name", "")] if "function" in read else []
            found += [each.get("name", "") for each in read.get("list", {"functions": []})["functions"]]
    return found


def signature_tensors(tensors: Dict[str, Any]) -> List[Tensor]:
    """Returns the inputs or outputs of a signature."""
    return [Tensor(name, info.get("name") or info.get("sparse", {}).get("values", ""),
                   graph_messages.dtype_name(info.get("dtype")), graph_messages.shape_of(info.get("shape")))
            for name, info in sorted(tensors.items())]


def split_tensor(name: str) -> Tuple[str, int]:
    """Returns the node and the output's number of a tensor's name such as "dense/add:0"."""
    node, colon, index = name.partition(":")
    return node, int(index) if colon and index.isdecimal() else 0

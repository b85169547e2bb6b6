"""Finds in the nodes of a GraphDef its inputs, outputs and variables,
without importing the graph.
"""

from __future__ import annotations

import collections
import re
from typing import AbstractSet, Any, Iterable, List, Mapping, NamedTuple, Optional, Sequence

from tf1grad._compat import tf
from tf1grad.programs._compat import op_definition
from tf1grad.recipes.sessions.reached import reached
from tf1grad.run.gone_ops.advice import MissingOp

PLACEHOLDERS = ("Placeholder", "PlaceholderV2", "PlaceholderWithDefault")
REQUIRED = ("Placeholder", "PlaceholderV2")
VARIABLES = ("Variable", "VariableV2", "VarHandleOp")
# Ops that give a program its batches: a converted model is fed in their place.
SOURCES = re.compile(r"IteratorGetNext(Sync)?$|QueueDequeue\w*$|ReaderRead\w*$|DeserializeSparse$")
# An iterator gives a sparse tensor as one value, which becomes these parts.
SPARSE_SOURCE = "DeserializeSparse"
SPARSE_PARTS = ("indices", "values", "shape")
PYTHON = ("PyFunc", "PyFuncStateless", "EagerPyFunc")  # functions that no file holds
RESHAPING = ("StridedSlice", "Reshape", "ExpandDims", "Squeeze", "Transpose", "Identity")
LOSSES = ("SoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogits")
# Ops whose other outputs are gradients, or are kept for them.
FIRST_ALONE = re.compile(r"FusedBatchNorm|\w*CrossEntropyWithLogits$|CTCLoss")
GRADIENTS = re.compile(r"(^|/)gradients(_\d+)?/")
SHAPES = ("Shape", "ShapeN", "Size", "Rank")
RANDOM = re.compile(r"Random|TruncatedNormal|Multinomial")
WEIGHTS = (
    *VARIABLES,
    "Identity",
    "ReadVariableOp",
    "Enter",
    "RefEnter",
    "Switch",
    "RefSwitch",
    "Cast",
    "Transpose",
)
# Ops that use values without being a part of the model.
BOOKKEEPING = re.compile(
    r"(Assign\w*|Save\w*|Restore\w*|MergeV2Checkpoints|ShardedFilename|NoOp|\w*Summary\w*|Assert|"
    r"Print\w*|Const|Placeholder\w*|Variable\w*|VarHandleOp|VarIsInitializedOp|(Sparse|Resource|"
    r"ResourceSparse)?Apply\w+|Queue\w+|\w+Queue(V2)?|Scatter\w+|ResourceScatter\w+|"
    r"ReportUninitialized\w*|IsVariableInitialized|InitializeTable\w*|"
    r"LookupTable(Import|Insert)\w*|\w*HashTable\w*|ControlTrigger|"
    r"(Ref)?(NextIteration|Exit|Switch)|LoopCond|\w*Iterator\w*|\w*Reader\w*)$"
)
# Those of them whose inputs are in use: ops of loops and of pipelines.
USERS = re.compile(
    r"((Ref)?(NextIteration|Exit|Switch)|LoopCond)$|QueueEnqueue|\w*Dataset|MakeIterator|ReaderRead"
)
# Tensors that TensorFlow's own functions make and leave unused, and the counting of metrics.
UNUSED = re.compile(
    r"(^|/)zeros(_like)?(_\d+)?/Less$|ZeroState(_\d+)?/ExpandDims(_\d+)?$|/pred_id$|"
    r"(^|/)(fw|bw|rnn)(_\d+)?/(Min|zeros)$|AssertGuard(_\d+)?/Merge$|"
    r"/update_op(_\d+)?$"
)
UPDATES = re.compile("(Ref|Resource|Sparse|ResourceSparse)?(Assign|Apply|Scatter)|Assert$")
OF_TRAINING = re.compile(r"(^|/)(gradients(_\d+)?|save(_\d+)?|report_uninitialized_\w+)/")
Node = Any  # a `NodeDef`
Shape = Optional[List[Optional[int]]]  # None for what is unknown


class Damaged(Exception):
    """Raised for a file that is not what it should be;
    the message says why, without naming the file.
    """


class Variable(NamedTuple):
    """Describes a variable: its name, the dtype's name, and its shape."""

    name: str
    dtype: str
    shape: Shape


class Tensor(NamedTuple):
    """Describes an input or output: the name users give it, the tensor's,
    the dtype's, and the shape.

    dtype and shape are None where the file does not tell.
    """

    name: str
    tensor: str
    dtype: str | None
    shape: Shape


class Signature(NamedTuple):
    """Describes a signature of a SavedModel or hub module."""

    name: str
    method: str
    inputs: list[Tensor]
    outputs: list[Tensor]


class GraphFacts(NamedTuple):
    """Describes one graph of a file, or a Keras model.

    nodes: their number, or that of layers.
    python: the nodes that call a Python function of the program that wrote the file, or the Lambda
        layers.
    """

    tags: list[str]
    tensorflow: str | None
    producer: int | None
    nodes: int
    functions: int
    signatures: list[Signature]
    inputs: list[Tensor]
    outputs: list[Tensor]
    missing: list[MissingOp]
    python: list[str]
    variables: list[Variable]


def node_name(reference: str) -> str:
    """Returns the node that an input of a node names: "^a" and "a:1" name "a"."""
    return reference.lstrip("^").split(":")[0]


def full_name(tensor: str) -> str:
    """Returns the name of a tensor with its number: "a:0" for "a"."""
    return tensor if ":" in tensor else tensor + ":0"


def split_tensor(name: str) -> tuple[str, int]:
    """Returns the node and the output's number of a tensor's name such as "dense/add:0"."""
    node, colon, index = name.partition(":")
    return node, int(index) if colon and index.isdecimal() else 0


def signature_tensors(tensors: Mapping[str, Any]) -> list[Tensor]:
    """Returns the inputs or outputs of a signature."""
    return [
        Tensor(
            name,
            info.name or info.coo_sparse.values_tensor_name,
            _dtype_name(info.dtype),
            _shape_of(info.tensor_shape) if info.HasField("tensor_shape") else None,
        )
        for name, info in sorted(tensors.items())
    ]


def _dtype_name(number: int) -> str:
    return tf.as_dtype(number).name if number else "unknown"


def _shape_of(shape: Any) -> Shape:
    if shape.unknown_rank:
        return None
    return [None if dimension.size < 0 else dimension.size for dimension in shape.dim]


def _attribute(node: Node, name: str) -> Any:
    """Returns the attribute of a node, or one without fields;
    a look-up by an index would add it.
    """
    return node.attr[name] if name in node.attr else tf.AttrValue()


class Graph:
    """Finds nodes of a graph by their names, and along their inputs."""

    def __init__(self, nodes: Iterable[Node]) -> None:
        self.nodes = {node.name: node for node in nodes}
        for name, node in self.nodes.items():
            for used in map(node_name, node.input):
                if used not in self.nodes:
                    raise Damaged(f"its node {name!r} uses {used!r}, which is missing")

    def op(self, tensor: str) -> str:
        """Returns the op of which a tensor is an output."""
        op: str = self.nodes[node_name(tensor)].op
        return op

    def variables(self) -> list[Variable]:
        """Returns the variables, by name."""
        return [
            Variable(name, _dtype_of(self.nodes[name]), _shape(self.nodes[name]))
            for name in sorted(self._of_ops(VARIABLES))
        ]

    def inputs(self, ends: Iterable[Tensor]) -> list[Tensor]:
        """Returns the placeholders, and the tensors of queues and iterators that
        the outputs `ends` need.
        """
        found = [
            Tensor(name, name + ":0", _dtype_of(node), _shape(node))
            for name, node in self.nodes.items()
            if node.op in PLACEHOLDERS and not OF_TRAINING.search(name)
        ]
        return found + [
            self._output(tensor)
            for tensor in self.needed_inputs([end.tensor for end in ends])
            if _is_batch(self.op(tensor))
        ]

    def needed_inputs(self, tensors: Iterable[str], given: Iterable[str] = ()) -> list[str]:
        """Returns the placeholders, and the tensors of queues and iterators,
        that `tensors` need where the tensors `given` have values.
        """
        known = set(given)

        def is_input(tensor: str) -> bool:
            return self.op(tensor) in REQUIRED or _is_batch(self.op(tensor))

        def is_end(tensor: str) -> bool:
            return full_name(tensor.lstrip("^")) in known or is_input(tensor)

        needed = reached(tensors, lambda tensor: () if is_end(tensor) else self._inputs(tensor))
        found = {full_name(tensor.lstrip("^")) for tensor in needed if is_input(tensor)} - known
        places = {name: place for place, name in enumerate(self.nodes)}
        return sorted(
            found, key=lambda tensor: (places[node_name(tensor)], split_tensor(tensor)[1])
        )

    def outputs(self) -> list[Tensor]:
        """Returns the tensors of each node that no other node uses,
        those of training and saving left out.

        If the graph has placeholders, queues or iterators, its outputs depend on them. Those that
        need labels give way to what a loss compares with them, and to what is computed from this
        alone. Those that need a Python function are left out, unless all do.
        """
        of_python = self._reached(self._of_ops(PYTHON))
        found = self._unused(of_python) or self._unused(frozenset())
        compared = self._losses()
        if compared:
            # What else is unused may be compared with labels too, such as those of validation.
            compared += self._comparisons(self._unused(of_python | self._of_labels(compared)))
        else:
            compared = self._comparisons(found)
        of_labels = self._of_labels(compared)
        if of_labels:
            predictions = [tensor for _, tensor in compared]
            scores = reached(
                predictions,
                lambda tensor: self._inputs(tensor)[:1] if self.op(tensor) in RESHAPING else (),
            )
            possible = self._reached(scores).union(found)
            unused = self._unused(of_python | of_labels)
            found = [name for name in unused if name in possible]
            found += map(full_name, predictions)
        tensors = [tensor for name in found for tensor in self._tensors(name)]
        return [self._output(tensor) for tensor in dict.fromkeys(tensors)]

    def _tensors(self, name: str) -> list[str]:
        """Returns the tensors of a node; of a tensor's name itself.

        Of an op that this TensorFlow does not have, and of one that gives its gradient too, it is
        the first.
        """
        if ":" in name:
            return [name]
        node = self.nodes[name]
        definition = None if FIRST_ALONE.match(node.op) else op_definition(node.op)
        arguments = definition.output_arg if definition else ()
        number = sum(_length(node, argument) for argument in arguments)
        return [f"{name}:{index}" for index in range(max(1, number))]

    def _inputs(self, tensor: str) -> list[str]:
        return list(self.nodes[node_name(tensor)].input)

    def _output(self, tensor: str) -> Tensor:
        """Returns the description of a tensor, as far as its node tells."""
        name, index = split_tensor(tensor)
        return Tensor(
            name + (f"_{index}" if index else ""),
            tensor,
            _dtype_of_output(self.nodes[name], index),
            self._shape_of_output(tensor),
        )

    def _shape_of_output(self, tensor: str) -> Shape:
        """Returns the shape of a tensor. That of an `Identity` is its input's; the shapes of
        other ops stand in few files.
        """
        name, index = split_tensor(tensor)
        seen: set[str] = set()
        while name not in seen:  # a damaged graph may have a circle
            seen.add(name)
            node = self.nodes[name]
            shapes = _attribute(node, "_output_shapes").list.shape
            if index < len(shapes):
                return _shape_of(shapes[index])
            if node.op in PLACEHOLDERS:
                return _shape(node)
            if node.op != "Identity" or not node.input:
                return None
            name, index = split_tensor(node.input[0].lstrip("^"))
        return None

    def _of_labels(self, compared: Sequence[tuple[str, str]]) -> set[str]:
        """Returns what depends on the labels of losses, and the nodes of these losses,
        if they have labels.
        """
        losses, predictions = [name for name, _ in compared], [tensor for _, tensor in compared]
        labels = set(self.needed_inputs(losses)).difference(self.needed_inputs(predictions))
        if not labels:
            return set()
        scopes = tuple(map(_scope, losses))
        return self._reached(labels) | {name for name in self.nodes if name.startswith(scopes)}

    def _losses(self) -> list[tuple[str, str]]:
        """Returns the name of each cross entropy's last node, and its logits."""
        # The derivative of a sigmoid.
        names = [
            name
            for name, node in self.nodes.items()
            if node.op in LOSSES or node.op in ("Add", "AddV2") and f"{name}/Log1p" in self.nodes
        ]
        return [(name, logits) for name in names for logits in self._logits(name)]

    def _logits(self, loss: str) -> list[str]:
        """Returns the tensor that a cross entropy takes first, before it casts or reshapes it."""
        scope = _scope(loss)
        found = reached(
            self._inputs(loss)[:1],
            lambda tensor: self._inputs(tensor)[:1] if tensor.startswith(scope) else (),
        )
        return [tensor for tensor in found if not tensor.startswith(scope)]

    def _comparisons(self, ends: Iterable[str]) -> list[tuple[str, str]]:
        """Returns each node of a training graph that compares a prediction with labels,
        and the prediction's tensor.

        Labels are the inputs that no layer needs. A layer takes a weight.
        """
        if not any(map(GRADIENTS.search, self.nodes)):
            return []
        needed = set(map(node_name, reached(ends, self._inputs)))
        others = {name for name, node in self.nodes.items() if node.op not in WEIGHTS}
        weights = self._reached(self._of_ops(VARIABLES), others)
        layers = {
            name
            for name in needed & others
            if not weights.isdisjoint(map(node_name, self._inputs(name)))
        }
        features = set(self.needed_inputs(layers))
        compared = needed & self._reached(set(self.needed_inputs(ends)) - features)
        shapes = self._of_ops(SHAPES)
        model = self._reached(layers, shapes) & self._reached(features, shapes) - compared
        inside = self._inside()
        return [
            (name, tensor)
            for name in compared
            for tensor in reached(
                self._inputs(name),
                lambda tensor: self._inputs(tensor) if node_name(tensor) in inside else (),
            )
            if node_name(tensor) in model - inside
        ]

    def _unused(self, ignored: AbstractSet[str]) -> list[str]:
        """Returns the nodes that no other node uses, as if the nodes `ignored` were not there."""
        training = {name for name in self.nodes if OF_TRAINING.search(name)}
        model = [node for name, node in self.nodes.items() if name not in training]
        kept = [
            node for node in model if not BOOKKEEPING.match(node.op) and node.name not in ignored
        ]
        users = kept + [node for node in model if USERS.match(node.op)]
        users += [node for node in self.nodes.values() if UPDATES.match(node.op)]
        used = {node_name(name) for node in users for name in node.input if name[0] != "^"}
        used |= self._reached(training) | self._inside() | self._steps_of_beams()
        inputs = {node.name for node in model if node.op in PLACEHOLDERS or _is_batch(node.op)}
        fed = self._reached(inputs)
        found = [
            node.name
            for node in kept
            if node.name not in used
            and not UNUSED.search(node.name)
            and (not fed or node.name in fed)
        ]
        # Zeros of a batch's size depend on its shape alone.
        changing = inputs | self._of_ops(VARIABLES)
        changing |= {node.name for node in model if RANDOM.search(node.op)}
        values = self._reached(changing, self._of_ops(SHAPES), along_control=False)
        return [name for name in found if name in values] or found

    def _steps_of_beams(self) -> set[str]:
        """Returns the tokens and parents of all beams of a search,
        which a `GatherTree` makes sequences of.
        """
        steps = {
            node_name(tensor)
            for name in self._of_ops(("GatherTree",))
            for tensor in self._inputs(name)[:2]
        }
        others = {name for name, node in self.nodes.items() if node.op not in RESHAPING}
        return self._reached(steps, others - steps)

    def _inside(self) -> set[str]:
        """Returns the nodes of loops and of the branches of conditionals."""
        exits = self._of_ops(("Exit", "RefExit"))
        branches = self._reached(
            self._of_ops(("Switch", "RefSwitch")), exits | self._of_ops(("Merge", "RefMerge"))
        )
        return branches | self._reached(self._of_ops(("Enter", "RefEnter")), exits)

    def _of_ops(self, ops: Iterable[str]) -> set[str]:
        return {name for name, node in self.nodes.items() if node.op in ops}

    def _reached(
        self,
        starts: set[str],
        ends: AbstractSet[str] = frozenset(),
        along_control: bool = True,
    ) -> set[str]:
        """Returns `starts` and the nodes that use them,
        without the nodes `ends` and those behind them.

        A start is a node, or one tensor of it. Control inputs count, unless `along_control` is
        False.
        """
        users = collections.defaultdict(list)
        for name, node in self.nodes.items():
            for reference in node.input if name not in ends else ():
                if along_control or not reference.startswith("^"):
                    users[node_name(reference)].append(name)
                    users[full_name(reference)].append(name)
        return reached(starts - ends, users.__getitem__)


def _length(node: Node, argument: Any) -> int:
    """Returns the number of tensors that an output of an op's definition stands for."""
    if argument.number_attr:
        return int(_attribute(node, argument.number_attr).i)
    if argument.type_list_attr:
        return len(_attribute(node, argument.type_list_attr).list.type)
    return 1


def _dtype_of_output(node: Node, index: int) -> str | None:
    """Returns the dtype of an output by the op's definition; None of an op that this TensorFlow
    does not have.
    """
    definition = op_definition(node.op)
    for argument in definition.output_arg if definition else ():
        length = _length(node, argument)
        if index >= length:
            index -= length
            continue
        types = _attribute(node, argument.type_list_attr).list.type
        number = argument.type or _attribute(node, argument.type_attr).type
        number = types[index] if argument.type_list_attr else number
        return _dtype_name(number) if number else None
    return None


def _is_batch(op: str) -> bool:
    return SOURCES.match(op) is not None


def _dtype_of(node: Node) -> str:
    return _dtype_name(_attribute(node, "dtype").type)


def _shape(node: Node) -> Shape:
    if "shape" not in node.attr:
        return None
    shape = _shape_of(node.attr["shape"].shape)
    if shape == [] and node.op == "Placeholder" and "_output_shapes" not in node.attr:
        return None  # graphs before 1.0 write an unknown shape as that of a scalar
    return shape


def _scope(loss: str) -> str:
    """Returns the scope of the other nodes of a cross entropy:
    its last node's name, or "a_1/" for "a_1/a".
    """
    return re.sub(r"(?<![^/])([^/]+?)(_\d+)?/\1$", r"\1\2", loss) + "/"

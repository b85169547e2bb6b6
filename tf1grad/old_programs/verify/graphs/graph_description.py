"""Describes TensorFlow's graphs as JSON values for a `Record`."""

from __future__ import annotations

import hashlib
import linecache
import re
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from tf1grad._compat import tf
from tf1grad.old_programs import _compat
from tf1grad.old_programs._samples import sample
from tf1grad.old_programs.process.ownership import is_file_of_user_code, is_installed_file
from tf1grad.old_programs.verify.record import Graph, Op, Record

# As text: the Saver's temporary folder is a constant with one, which each process draws.
UUID = re.compile(r"[0-9a-f]{32}")
MOST_VALUES = 8  # of a tensor in an attribute; of a larger one an even sample is kept


class SeenGraphs:
    """Remembers the graphs that sessions run, each with the ops that it had at its last run."""

    def __init__(self) -> None:
        # By the id of a graph: the graph, its runs, and its number of ops, which contain all earlier ones.
        self._seen: Dict[int, Tuple[tf.Graph, int, int]] = {}

    def note_run(self, graph: tf.Graph) -> None:
        """Notes that a session runs `graph` as it is now."""
        _, runs, _ = self._seen.get(id(graph), (graph, 0, 0))
        self._seen[id(graph)] = graph, runs + 1, len(graph.get_operations())

    def describe(self, record: Record) -> None:
        """Adds the graphs to a record; if no session ran, the default graph."""
        describer = Describer(record)
        for graph, runs, count in self._seen.values():
            describer.add(graph, runs, count)
        default = tf.get_default_graph()
        count = len(default.get_operations())
        if count and not self._seen:
            describer.add(default, 0, count)


class Describer:
    """Adds graphs to a record, each user's line and each op definition once."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._places: Dict[Tuple[str, int], int] = {}

    def add(self, graph: tf.Graph, runs: int, count: int) -> None:
        """Adds a graph that sessions ran so often, with the first `count` of its ops."""
        definition = graph.as_graph_def()
        ops = {op.name: op for op in graph.get_operations()}
        rows = []
        for node in definition.node[:count]:
            op = ops[node.name]
            self._define(node.op, op.op_def)
            shapes = [_shape(output.get_shape().as_proto()) for output in op.outputs]
            rows.append(_row(node, node.input, shapes, self._place(op)))
        functions = {}
        for function in definition.library.function:
            functions[function.signature.name] = self._function(function)
        self._record.graphs.append(Graph(runs, rows, functions))

    def _define(self, op_type: str, definition: Any) -> None:
        """Adds the attributes of an op type, with their defaults, unless they are known."""
        if definition is not None and op_type not in self._record.op_definitions:
            defaults: Dict[str, List[Any]] = {}
            for attribute in definition.attr:
                has_default = attribute.HasField("default_value")
                defaults[attribute.name] = [_value(attribute.default_value)] if has_default else []
            self._record.op_definitions[op_type] = defaults

    def _function(self, function: Any) -> List[Op]:
        signature = function.signature
        arguments = {
            argument.name: f"arg:{number}" for number, argument in enumerate(signature.input_arg)
        }

        def plain(name: str) -> str:
            return arguments.get(name.split(":")[0], name)

        for node in function.node_def:
            self._define(node.op, _compat.op_definition(node.op))
        joined = {node.name: node.input for node in function.node_def if node.op == "NoOp"}
        rows = [
            _row(node, [plain(name) for name in _separate(node.input, joined)], [], None)
            for node in function.node_def
            if node.name not in joined
        ]
        results = [plain(function.ret[argument.name]) for argument in signature.output_arg]
        types = [_type(argument.type) for argument in signature.input_arg if argument.type]
        name = "results of the function"
        rows.append(Op("Results", name, results, [], {"arguments": types}, [], "", None))
        return rows

    def _place(self, op: tf.Operation) -> Optional[int]:
        """Returns the index of the nearest line of user code; if possible, not of an installed package."""
        place = None
        for frame in _compat.frames_of_op(op):
            if is_file_of_user_code(frame[0]):
                place = place or frame
                if not is_installed_file(frame[0]):
                    place = frame
                    break
        if place is None:
            return None
        if place not in self._places:
            self._places[place] = len(self._record.places)
            self._record.places.append([*place, linecache.getline(*place).strip()])
        return self._places[place]


def _row(node: Any, inputs: Iterable[str], shapes: List[Any], place: Optional[int]) -> Op:
    data, controls = [], []
    for name in inputs:
        if name.startswith("^"):
            controls.append(name[1:])
        else:
            data.append(name)
    attributes = {name: _value(value) for name, value in node.attr.items()}
    return Op(node.op, node.name, data, sorted(controls), attributes, shapes, node.device, place)


def _value(attribute: Any) -> Any:
    kind = attribute.WhichOneof("value")
    if kind == "list":
        lists = {
            field.name: getattr(attribute.list, field.name)
            for field, _ in attribute.list.ListFields()
        }
        return [_PLAIN[name](value) for name, values in lists.items() for value in values]
    return _PLAIN[kind](getattr(attribute, kind)) if kind else None


def _plain(value: Any) -> Any:
    """Returns a number or text as JSON has it."""
    if isinstance(value, bytes):
        return UUID.sub("", value.decode("utf-8", "backslashreplace"))
    return (
        value
        if isinstance(value, (bool, int)) or isinstance(value, float) and np.isfinite(value)
        else str(value)
    )


def _type(value: int) -> str:
    try:
        return str(tf.as_dtype(value).name)
    except TypeError:  # a type of op definitions that Python does not know
        return str(value)


def _shape(shape: Any) -> Optional[List[Optional[int]]]:
    return (
        None
        if shape.unknown_rank
        else [None if dimension.size < 0 else dimension.size for dimension in shape.dim]
    )


def _separate(names: Iterable[str], joined: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yields inputs, with those of each `NoOp` in its place: newer versions join control inputs in functions."""
    for name in names:
        if name[1:] in joined:
            yield from _separate(joined[name[1:]], joined)
        else:
            yield name


def _function(value: Any) -> Dict[str, Any]:
    inner = {name: _value(attribute) for name, attribute in value.attr.items()}
    return {"function": value.name, **({"attributes": inner} if inner else {})}


def _tensor(proto: Any) -> Dict[str, Any]:
    """Returns a tensor's type, shape and digest, and some of its values; of numbers the fields of a `Sample`."""
    described = {"tensor": _type(proto.dtype), "shape": _shape(proto.tensor_shape)}
    try:
        values = np.asarray(tf.make_ndarray(proto))
        if values.dtype.kind != "O":
            fields = sample(values, MOST_VALUES)._asdict()
            numbers = [_plain(number) for number in fields["values"]]
            return {**fields, **described, "values": numbers}
        texts = [_plain(text) for text in values.ravel()]
        content = str(texts).encode()
    except (TypeError, ValueError):  # a variant or a resource
        texts, content = [], proto.SerializeToString(deterministic=True)
    digest = hashlib.sha1(content).hexdigest()
    return {**described, "digest": digest, "values": texts[:MOST_VALUES]}


_PLAIN: Mapping[str, Callable[[Any], Any]] = {
    "s": _plain,
    "i": int,
    "f": _plain,
    "b": bool,
    "type": _type,
    "shape": _shape,
    "tensor": _tensor,
    "func": _function,
    "placeholder": str,
}

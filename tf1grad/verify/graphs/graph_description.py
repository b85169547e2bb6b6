"""Describes TensorFlow's graphs as JSON values for a `Record`."""

from __future__ import annotations

import hashlib
import linecache
import re
from typing import Any, Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np

from tf1grad._compat import tf
from tf1grad.programs import _compat
from tf1grad.programs.process.ownership import is_installed_file, is_users_file
from tf1grad.verify.record import Op, Record

# As text: the Saver's temporary folder is a constant with one, which each process draws.
UUID = re.compile(r"[0-9a-f]{32}")
MOST_VALUES = 8  # of a tensor in an attribute


class SeenGraphs:
    """Remembers the graphs that sessions run, each with the ops that it had at
    its last run, for a record.
    """

    def __init__(self, record: Record) -> None:
        self._record = record
        # By the id of a graph: the graph, and its number of ops, which contain all earlier ones.
        self._seen: dict[int, tuple[tf.Graph, int]] = {}
        self._places: dict[tuple[str, int], int] = {}

    def note_run(self, graph: tf.Graph) -> None:
        """Notes that a session runs `graph` as it is now."""
        self._seen[id(graph)] = graph, len(graph.get_operations())

    def describe(self) -> None:
        """Adds the graphs to the record, each with the ops of its functions at its end."""
        for graph, count in self._seen.values():
            definition = graph.as_graph_def()
            ops = {op.name: op for op in graph.get_operations()}
            rows = []
            for node in definition.node[:count]:
                op = ops[node.name]
                shapes = [_shape(output.get_shape().as_proto()) for output in op.outputs]
                rows.append(_row(node, op.op_def, node.input, shapes, self._place(op)))
            functions = {each.signature.name: each for each in definition.library.function}
            number = 0
            # It grows: functions may call others, and are in the order of their calls.
            for index, row in enumerate(rows):
                for name in _called(row):
                    if name in functions:
                        number += 1
                        rows += _function_rows(functions.pop(name), number, row.place)
                # Without the hash at the end of a function's name.
                rows[index] = row._replace(type=row.type.rpartition("_")[0] or row.type)
            self._record.graphs.append(rows)

    def _place(self, op: tf.Operation) -> int | None:
        """Returns the index of the nearest line of user code;
        if possible, not of an installed package.
        """
        place = None
        for frame in _compat.frames_of_op(op):
            if is_users_file(frame[0]):
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


def _called(row: Op) -> list[str]:
    """Returns the names of functions that an op may call."""
    values = [value for value in row.attributes.values() if isinstance(value, dict)]
    called = [value["function"] for value in values if "function" in value]
    # The function in the place of an op that is gone has its name, which has no number.
    return [*called, row.type] if "_" in row.type else called


def _function_rows(function: Any, number: int, place: int | None) -> list[Op]:
    """Returns the ops of a function, and one that has its results;
    its name has a counter of the process.
    """
    signature = function.signature
    arguments = {
        argument.name: f"arg:{number}" for number, argument in enumerate(signature.input_arg)
    }
    prefix = f"function_{number}/"

    def plain(name: str) -> str:
        control = "^" if name.startswith("^") else ""
        return arguments.get(name.split(":")[0], control + prefix + name[len(control) :])

    joined = {node.name: node.input for node in function.node_def if node.op == "NoOp"}
    rows = []
    for node in function.node_def:
        if node.name not in joined:
            inputs = [plain(name) for name in _separate(node.input, joined)]
            row = _row(node, _compat.op_definition(node.op), inputs, [], place)
            rows.append(row._replace(name=prefix + node.name))
    results = [plain(function.ret[argument.name]) for argument in signature.output_arg]
    types = [_type(argument.type) for argument in signature.input_arg if argument.type]
    name = prefix + "results"
    rows.append(Op("Results", name, results, [], {"arguments": types}, [], "", place))
    return rows


def _separate(names: Iterable[str], joined: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yields inputs, with those of each `NoOp` in its place:
    newer versions join control inputs in functions.
    """
    for name in names:
        if name[1:] in joined:
            yield from _separate(joined[name[1:]], joined)
        else:
            yield name


def _row(
    node: tf.NodeDef, definition: Any, inputs: Iterable[str], shapes: list[Any], place: int | None
) -> Op:
    data, controls = [], []
    for name in inputs:
        if name.startswith("^"):
            controls.append(name[1:])
        else:
            data.append(name)
    # An attribute that only one version knows has its default in graphs of the other.
    defaults = {each.name: each.default_value for each in definition.attr} if definition else {}
    attributes = {
        name: _value(value) for name, value in node.attr.items() if value != defaults.get(name)
    }
    return Op(node.op, node.name, data, sorted(controls), attributes, shapes, node.device, place)


def _value(attribute: Any) -> Any:
    kind = attribute.WhichOneof("value")
    if kind != "list":
        return _DESCRIBED.get(kind, _plain)(getattr(attribute, kind)) if kind else None
    return [
        _DESCRIBED.get(field.name, _plain)(value)
        for field, values in attribute.list.ListFields()
        for value in values
    ]


def _plain(value: Any) -> Any:
    """Returns a number or text as JSON has it."""
    if isinstance(value, bytes):
        return UUID.sub("", value.decode("utf-8", "backslashreplace"))
    is_plain = isinstance(value, (bool, int, str))
    return value if is_plain or isinstance(value, float) and np.isfinite(value) else str(value)


def _type(value: int) -> str:
    try:
        return str(tf.as_dtype(value).name)
    except TypeError:  # a type of op definitions that Python does not know
        return str(value)


def _shape(shape: Any) -> list[int | None] | None:
    if shape.unknown_rank:
        return None
    return [None if dimension.size < 0 else dimension.size for dimension in shape.dim]


def _function(value: Any) -> dict[str, Any]:
    inner = {
        name: _value(attribute)
        for name, attribute in value.attr.items()
        if not name.startswith("_")
    }
    return {"function": value.name, "attributes": inner}


def _tensor(proto: Any) -> dict[str, Any]:
    """Returns a tensor's type, shape and digest, and its first values."""
    try:
        values = np.asarray(tf.make_ndarray(proto)).ravel()
    except (TypeError, ValueError):  # a variant or a resource
        values = np.array([str(proto)])
    if values.dtype.kind == "O":
        values = np.array([_plain(text) for text in values])
    return {
        "tensor": _type(proto.dtype),
        "shape": _shape(proto.tensor_shape),
        "digest": hashlib.sha1(values.tobytes()).hexdigest(),
        "values": [_plain(value) for value in values[:MOST_VALUES].tolist()],
    }


# By the name of the field of an attribute's value; others have numbers or texts.
_DESCRIBED: Mapping[str, Callable[[Any], Any]] = {
    "type": _type,
    "shape": _shape,
    "tensor": _tensor,
    "func": _function,
}

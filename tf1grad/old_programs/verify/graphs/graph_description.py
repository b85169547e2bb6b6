"""Describes TensorFlow's graphs as JSON values for a `GraphRecord`."""

from __future__ import annotations

import hashlib
import linecache
import re
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from tf1grad._compat import tf
from tf1grad.old_programs import _compat
from tf1grad.old_programs.process.ownership import is_file_of_user_code, is_installed_file
from tf1grad.old_programs.verify.graphs.graph_record import Function, Graph, GraphRecord, Op

# As text: the Saver's temporary folder is a constant with one, which each process draws.
UUID = re.compile(r"[0-9a-f]{32}")
MOST_VALUES = 8  # of a tensor in an attribute; of a larger one an even sample is kept


class Describer:
    """Adds graphs to a record, each user's line and each op definition once."""

    def __init__(self, record: GraphRecord) -> None:
        self._record = record
        self._places: Dict[Tuple[str, int], int] = {}
        self._ranks: Dict[str, int] = {}

    def add(self, graph: tf.Graph, runs: int, count: int) -> None:
        """Adds a graph that sessions ran so often, with the first `count` of its ops."""
        definition = graph.as_graph_def()
        ops = {op.name: op for op in graph.get_operations()}
        known = self._record.op_definitions
        rows = []
        for node in definition.node[:count]:
            op = ops[node.name]
            if node.op not in known:
                known[node.op] = _defaults(op.op_def)
            shapes = [_shape(output.get_shape().as_proto()) for output in op.outputs]
            rows.append(_row(node, list(node.input), shapes, self._place(op)))
        functions = {function.signature.name: self._function(function) for function in definition.library.function}
        self._record.graphs.append(Graph(runs, rows, functions))

    def _function(self, function: Any) -> Function:
        arguments = {argument.name: f"arg:{number}" for number, argument in enumerate(function.signature.input_arg)}

        def plain(name: str) -> str:
            return arguments.get(name.split(":")[0], name)

        known = self._record.op_definitions
        for node in function.node_def:
            if node.op not in known:
                found = _compat.op_definition(node.op)
                if found is not None:
                    known[node.op] = _defaults(found)
        joined = {node.name: list(node.input) for node in function.node_def if node.op == "NoOp"}
        rows = [_row(node, [plain(name) for name in _separate(node.input, joined)], [], None)
                for node in function.node_def if node.name not in joined]
        results = [plain(function.ret[argument.name]) for argument in function.signature.output_arg]
        types = [tf.as_dtype(argument.type).name for argument in function.signature.input_arg if argument.type]
        return Function(types, results, rows)

    def _place(self, op: tf.Operation) -> Optional[int]:
        """Returns the index of the nearest line of user code; if possible, not of an installed package."""
        place = None
        for frame in _compat.frames_of_op(op):
            rank = self._rank(frame[0])
            if rank == 2 or rank and place is None:
                place = frame
            if rank == 2:
                break
        if place is None:
            return None
        if place not in self._places:
            self._places[place] = len(self._record.places)
            self._record.places.append([*place, linecache.getline(*place).strip()])
        return self._places[place]

    def _rank(self, file: str) -> int:
        """Returns 2 for the user's own file, 1 for an installed package that counts as user code, 0 for others."""
        if file not in self._ranks:
            self._ranks[file] = is_file_of_user_code(file) * (2 - is_installed_file(file))
        return self._ranks[file]


def _row(node: Any, inputs: List[str], shapes: List[Any], place: Optional[int]) -> Op:
    attributes = {name: _value(value) for name, value in node.attr.items()}
    return Op(node.op, node.name, [name for name in inputs if name[0] != "^"],
              sorted(name[1:] for name in inputs if name[0] == "^"), attributes, shapes, node.device, place)


def _defaults(definition: Any) -> Dict[str, List[Any]]:
    return {attribute.name: [_value(attribute.default_value)] if attribute.HasField("default_value") else []
            for attribute in definition.attr}


def _value(attribute: Any) -> Any:
    kind = attribute.WhichOneof("value")
    if kind == "list":
        lists = {field.name: getattr(attribute.list, field.name) for field, _ in attribute.list.ListFields()}
        return [_PLAIN[name](value) for name, values in lists.items() for value in values]
    return _PLAIN[kind](getattr(attribute, kind)) if kind else None


def _number(value: float) -> Any:
    return value if np.isfinite(value) else str(value)


def _text(value: Any) -> str:
    return str(value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else value)


def _type(value: int) -> str:
    try:
        return str(tf.as_dtype(value).name)
    except TypeError:  # a type of op definitions that Python does not know
        return str(value)


def _shape(shape: Any) -> Optional[List[Optional[int]]]:
    return None if shape.unknown_rank else [None if dimension.size < 0 else dimension.size for dimension in shape.dim]


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
    found: Dict[str, Any] = {"tensor": _type(proto.dtype), "shape": _shape(proto.tensor_shape)}
    try:
        array = np.asarray(tf.make_ndarray(proto))
    except (TypeError, ValueError):  # a variant or a resource
        return dict(found, digest=hashlib.sha1(proto.SerializeToString(deterministic=True)).hexdigest()[:16], values=[])
    content = UUID.sub("", repr(array.tolist())).encode("utf-8") if array.dtype.kind == "O" else array.tobytes()
    flat = array.ravel()
    chosen = flat[np.arange(MOST_VALUES) * flat.size // MOST_VALUES] if flat.size > MOST_VALUES else flat
    return dict(found, digest=hashlib.sha1(content).hexdigest()[:16], values=[_element(each) for each in chosen])


def _element(value: Any) -> Any:
    if isinstance(value, bytes):
        return UUID.sub("", _text(value))
    plain = value.item() if isinstance(value, np.generic) else value
    return _number(plain) if isinstance(plain, float) else plain if isinstance(plain, (bool, int)) else str(plain)


_PLAIN: Mapping[str, Callable[[Any], Any]] = {
    "s": _text, "i": int, "f": _number, "b": bool, "type": _type, "shape": _shape, "tensor": _tensor,
    "func": _function, "placeholder": str}

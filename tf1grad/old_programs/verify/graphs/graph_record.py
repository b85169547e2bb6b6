"""Holds the graphs that the sessions of a script ran, op by op, and reads and writes them as a file.

The file is JSON, compressed with gzip:

- `format`: the text in `FORMAT`.
- `facts`: versions, the script, its arguments, `ended` ("recorder" where a step ended the script) and `error`.
- `places`: the user's lines, each `[file, line, text]`.
- `op_definitions`: maps each op type to its attributes, and each attribute to `[]` or `[default]`.
- `tensors`: the values that `verify` itself fetches in a step, by tensor name; empty in recorded files.
- `graphs`: in the order of their first runs, each with `runs` (how many), `ops` and `functions` (by name). An op is a
  list in the order of the fields of `Op`. A function has `arguments` (types), `results` (input names) and `ops`.

Attributes are JSON values: types by name, shapes as lists or null, functions as `{"function": name}`, tensors as
`{"tensor": dtype, "shape": ..., "digest": ..., "values": ...}` with at most eight values.
"""

from __future__ import annotations

import gzip
import json
import zlib
from typing import Any, Dict, List, Mapping, NamedTuple, Optional

FORMAT = "graphs of tf1grad verify, 1"
MAGIC = b"\x1f\x8b"

Attributes = Dict[str, Any]


class Op(NamedTuple):
    """Describes one op."""

    type: str  # the op's type, or the name of the function that it calls
    name: str
    inputs: List[str]  # names of tensors, ":0" left out; arguments of a function are "arg:0", "arg:1" and so on
    control_inputs: List[str]  # the names of the ops that it waits for, in ascending order
    attributes: Attributes  # its attributes, and those whose names begin with "_"
    shapes: List[Any]  # static, of each output: a list with None for unknown dimensions; None for an unknown rank
    device: str  # the device that the script asked for
    place: Optional[int]  # of the user's line that made it, in `GraphRecord.places`


class Function(NamedTuple):
    """Describes a function of a graph's library."""

    arguments: List[str]
    results: List[str]
    ops: List[Op]


class Graph(NamedTuple):
    """Describes a graph."""

    runs: int
    ops: List[Op]
    functions: Dict[str, Function]


class StepTensor(NamedTuple):
    """Holds a sample of a tensor that a step computes, with the fields of `step_numbers.Sample`."""

    shape: List[int]
    digest: str
    norm: float
    largest: float
    remainder: Optional[float]  # of a sum: its largest element, relative to the mean sum of its terms' sizes
    values: List[float]


class GraphRecord:
    """The graphs of one run of a script."""

    def __init__(self, facts: Optional[Mapping[str, Any]] = None) -> None:
        self.facts: Dict[str, Any] = dict(facts or {})
        self.graphs: List[Graph] = []
        self.places: List[List[Any]] = []
        self.op_definitions: Dict[str, Dict[str, List[Any]]] = {}
        self.tensors: Dict[str, StepTensor] = {}

    def save(self, path: str) -> None:
        """Writes the record to the file `path`."""
        content = {"format": FORMAT, "facts": self.facts, "places": self.places,
                   "op_definitions": self.op_definitions, "tensors": self.tensors, "graphs": self.graphs}
        with gzip.open(path, "wb", compresslevel=4) as file:
            file.write(json.dumps(content, separators=(",", ":")).encode("utf-8"))

    @classmethod
    def load(cls, path: str) -> GraphRecord:
        """Returns the record that `save` wrote to `path`."""
        try:
            with gzip.open(path, "rb") as file:
                content = json.loads(file.read().decode("utf-8"))
            return cls._unpacked(content)
        except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{path} is damaged, or not a file that --record-graph of this version of tf1grad wrote "
                             f"({type(error).__name__}: {error}).") from error

    @classmethod
    def _unpacked(cls, content: Mapping[str, Any]) -> GraphRecord:
        if content["format"] != FORMAT:
            raise ValueError(f"its format is {content['format']!r}, not {FORMAT!r}")
        record = cls(content["facts"])
        record.places, record.op_definitions = content["places"], content["op_definitions"]
        record.tensors = {name: StepTensor(*kept) for name, kept in content["tensors"].items()}
        record.graphs = [Graph(runs, _ops(ops), {name: Function(arguments, results, _ops(inner)) for
                                                 name, (arguments, results, inner) in functions.items()})
                         for runs, ops, functions in content["graphs"]]
        return record


def _ops(rows: List[Any]) -> List[Op]:
    return [Op(*row) for row in rows]

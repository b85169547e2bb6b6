"""Holds the graphs that the sessions of a script ran, op by op, and reads and writes them as a file for users.

The file is JSON, compressed with gzip:

- `format`: the text in `FORMAT`.
- `facts`: versions, the script, its arguments, and `ended` ("recorder" where a step ended the script).
- `places`: the user's lines, each `[file, line, text]`.
- `op_definitions`: maps each op type to its attributes, and each attribute to `[]` or `[default]`.
- `graphs`: in the order of their first runs, each with `runs` (how many), `ops` and `functions` (by name, the ops of
  each; the last one is of type `Results`, and has the types of the arguments). An op is a list of the fields of `Op`.

Attributes are JSON values: types by name, shapes as lists or null, functions as `{"function": name}`, tensors as
`{"tensor": dtype, "shape": ..., "digest": ..., "values": ...}` with at most eight values.
"""

from __future__ import annotations

import gzip
import json
import zlib
from typing import Any, Dict, List, Mapping, NamedTuple, Optional

from tf1grad.old_programs._samples import Sample

FORMAT = "graphs of tf1grad verify, 2"
MAGIC = b"\x1f\x8b"

Attributes = Dict[str, Any]


class Op(NamedTuple):
    """Describes one op."""

    type: str  # the op's type, or the name of the function that it calls
    name: str
    inputs: List[
        str
    ]  # names of tensors, ":0" left out; arguments of a function are "arg:0", "arg:1" and so on
    control_inputs: List[str]  # the names of the ops that it waits for, in ascending order
    attributes: Attributes  # its attributes, and those whose names begin with "_"
    shapes: List[
        Any
    ]  # static, of each output: a list with None for unknown dimensions; None for an unknown rank
    device: str  # the device that the script asked for
    place: Optional[int]  # of the user's line that made it, in `GraphRecord.places`


class Graph(NamedTuple):
    """Describes a graph."""

    runs: int
    ops: List[Op]
    functions: Dict[str, List[Op]]


class StepTensor(NamedTuple):
    """Holds a tensor that a step computes."""

    sample: Sample
    remainder: Optional[
        float
    ]  # of a sum: its largest element, relative to the mean sum of its terms' sizes


class GraphRecord:
    """The graphs of one run of a script, and the `tensors` that `verify` fetched in its last step, by name."""

    def __init__(self, facts: Optional[Mapping[str, Any]] = None) -> None:
        self.facts: Dict[str, Any] = dict(facts or {})
        self.graphs: List[Graph] = []
        self.places: List[List[Any]] = []
        self.op_definitions: Dict[str, Dict[str, List[Any]]] = {}
        self.tensors: Dict[str, StepTensor] = {}

    def save(self, path: str) -> None:
        """Writes the graphs to the file `path`."""
        content = {
            "format": FORMAT,
            "facts": self.facts,
            "places": self.places,
            "op_definitions": self.op_definitions,
            "graphs": self.graphs,
        }
        with gzip.open(path, "wt", compresslevel=4, encoding="utf-8") as file:
            json.dump(content, file, separators=(",", ":"))

    @classmethod
    def load(cls, path: str) -> GraphRecord:
        """Returns the record that `save` wrote to `path`."""
        record = cls()
        try:
            with gzip.open(path, "rt", encoding="utf-8") as file:
                content = json.load(file)
            if content.pop("format") != FORMAT:
                raise ValueError("its format is another one")
            vars(record).update(content)
            record.graphs = [
                Graph(runs, _ops(ops), {name: _ops(inner) for name, inner in functions.items()})
                for runs, ops, functions in content["graphs"]
            ]
        except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError) as error:
            raise ValueError(
                f"{path} is damaged, or not a file that --record-graph of this version of tf1grad wrote "
                f"({type(error).__name__}: {error})."
            ) from error
        return record


def _ops(rows: List[Any]) -> List[Op]:
    return [Op(*row) for row in rows]

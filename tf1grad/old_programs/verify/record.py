"""Holds what was recorded of one run of a script, and reads and writes it as a file.

A run records its training steps, the numbers that it fetches, or the graphs that its sessions ran. The file is JSON:

- `format`: the text in `FORMAT`.
- `facts`: versions, the script, its arguments, and `ended` ("recorder" where a step ended the script).
- `initial`: the variables before the first step, and `steps`, each a list of the fields of `Step`.
- `places`: the user's lines, each `[file, line, text]`.
- `graphs`: in the order of their first runs. Each is a list of ops, in which those of functions are the last: the
  last op of each function is of type `Results`, and has the types of its arguments. An op is a list of the fields of
  `Op`.
- `tensors`: what `verify` fetched of one step to find the op at which two runs part.

Attributes with other values than their defaults are JSON values: types by name, shapes as lists or null, functions as
`{"function": name, "attributes": ...}`, tensors as `{"tensor": dtype, "shape": ..., "digest": ..., "values": ...}` with
the first values. The values of a `Sample` are 64-bit floats in base64.
"""

from __future__ import annotations

import array
import base64
import json
import os
import pathlib
from typing import Any, Dict, Iterable, Mapping, NamedTuple, Sequence

import numpy as np

from tf1grad.old_programs._errors import UsageError
from tf1grad.old_programs._samples import Sample, sample

FORMAT = "record of tf1grad verify, 4"

# By the names of variables.
Arrays = Mapping[str, np.ndarray]
Samples = Dict[str, Sample]
Attributes = Dict[str, Any]


class Step(NamedTuple):
    """The numbers of one step.

    Its kind is "apply" (the values are those after it), "evaluation" (the values are the evaluated point) or "fetch"
    (the values are what one run of a session returned).
    """

    kind: str
    losses: list[float]  # in the order in which the script took their gradients
    gradients: Samples
    values: Samples


class Op(NamedTuple):
    """Describes one op."""

    type: str  # the op's type, or the name of the function that it calls
    name: str
    # Names of tensors, ":0" left out; arguments of a function are "arg:0", "arg:1" and so on.
    inputs: list[str]
    control_inputs: list[str]  # the names of the ops that it waits for, in ascending order
    attributes: Attributes
    # Static, of each output: a list with None for unknown dimensions; None for an unknown rank.
    shapes: list[Any]
    device: str  # the device that the script asked for
    place: int | None  # of the user's line that made it, in `Record.places`


class Record:
    """The record of one run of a script."""

    def __init__(self, facts: Mapping[str, Any] | None = None) -> None:
        self.facts: dict[str, Any] = dict(facts or {})
        self.initial: Samples = {}
        self.steps: list[Step] = []
        self.places: list[list[Any]] = []
        self.graphs: list[list[Op]] = []
        self.tensors: Samples = {}

    def add_initial(self, arrays: Arrays) -> None:
        """Stores the values of variables before the first step, a dict of arrays."""
        self.initial = _sampled(arrays)

    def add_step(
        self, losses: Iterable[Any], gradients: Arrays, values: Arrays, kind: str = "apply"
    ) -> None:
        """Stores one step: `losses` are numbers, `gradients` and `values` dicts of arrays."""
        numbers = [float(loss) for loss in losses]
        self.steps.append(Step(kind, numbers, _sampled(gradients), _sampled(values)))

    def save(self, path: str) -> None:
        """Writes the record to the file `path`, which never holds half of it."""
        content: dict[str, Any] = {"format": FORMAT, **vars(self)}
        pathlib.Path(path + ".part").write_text(
            json.dumps(content, default=_in_base64), encoding="utf-8"
        )
        os.replace(path + ".part", path)

    @classmethod
    def load(cls, path: str) -> Record:
        """Returns the record that `save` wrote to `path`."""
        record = cls()
        try:
            with open(path, encoding="utf-8") as file:
                content = json.load(file)
            if content.pop("format") != FORMAT:
                raise ValueError("its format is another one")
            vars(record).update(content)
            record.initial = _samples(content["initial"])
            record.steps = [
                Step(kind, losses, _samples(gradients), _samples(values))
                for kind, losses, gradients, values in content["steps"]
            ]
            record.graphs = [[Op(*row) for row in rows] for rows in content["graphs"]]
            record.tensors = _samples(content["tensors"])
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise UsageError(
                f"{path} is damaged, or not a file that --record-graph of this version of tf1grad wrote "
                f"({type(error).__name__}: {error})."
            ) from error
        return record


def is_record(path: str) -> bool:
    """Says whether `path` is a file that begins as a record does."""
    if not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        return file.read(1) == b"{"


def _sampled(arrays: Arrays) -> Samples:
    return {name: sample(value) for name, value in arrays.items()}


def _in_base64(values: Any) -> str:
    return base64.b64encode(values.tobytes()).decode("ascii")


def _samples(rows: Mapping[str, Sequence[Any]]) -> Samples:
    return {
        name: Sample(tuple(shape), digest, norm, largest, array.array("d", base64.b64decode(text)))
        for name, (shape, digest, norm, largest, text) in rows.items()
    }

"""Holds what was recorded of one run of a script, and reads and writes it as a file.

A run records its training steps, the numbers that it fetches, or the graphs that its sessions ran.
The file is JSON:

- `format`: the text in `FORMAT`.
- `facts`: the fields of `Facts`.
- `kinds`: what each variable is, by its name: `TRAINED` or one of the others.
- `initial`: the variables before the first step, and `steps`, each a list of the fields of `Step`.
- `runs`: the runs of sessions that fetched numbers or raised an error, each a list of the fields of
  `Fetched`.
- `places`: the user's lines, each `[file, line, text]`.
- `graphs`: in the order of their first runs. Each is a list of ops, in which those of functions are
  the last: the last op of each function is of type `Results`, and has the types of its arguments.
  An op is a list of the fields of `Op`.
- `tensors`: what `verify` fetched of one step to find the op at which two runs part.

Attributes with other values than their defaults are JSON values: types by name, shapes as lists or
null, functions as `{"function": name, "attributes": ...}`, tensors as `{"tensor": dtype, "shape":
..., "digest": ..., "values": ...}` with the first values. The values of a `Sample` are a type code
of Python's `array` and the bytes in base64.
"""

from __future__ import annotations

import array
import base64
import dataclasses
import json
import os
import pathlib
from typing import Any, Dict, Iterable, Mapping, NamedTuple, Sequence

import numpy as np

from tf1grad.programs._errors import UsageError
from tf1grad.programs._samples import LIMIT, Sample, sample

FORMAT = "record of tf1grad verify, 7"
WHOLE = 2**25  # elements of a record; arrays that come later are sampled
FEW = 2**14  # elements of such a sample

# What a variable is, in words.
TRAINED = "variable"
OF_OPTIMIZER = "optimizer's variable"  # slots and others
AVERAGE = "moving average"
UNTRAINED = "untrained variable"

# By the names of variables.
Arrays = Mapping[str, np.ndarray]
Samples = Dict[str, Sample]
Attributes = Dict[str, Any]


@dataclasses.dataclass
class Facts:
    """What is known of a run beside its numbers."""

    executable: str = ""
    python: str = ""
    numpy: str = ""
    tensorflow: str = ""
    has_ended: bool = False  # by the recorder, at a step, and not by the script
    # The step before which values were perturbed by one ulp, and how many values.
    moved: tuple[int, int] | None = None
    seeded: int | None = None  # the seed that graphs without a seed were given
    # The number of steps after which the system chooses the order of writes, and the reason.
    unordered: tuple[int, str] | None = None
    restored: list[str] = dataclasses.field(default_factory=list)  # paths of checkpoints
    saved: list[str] = dataclasses.field(default_factory=list)
    # The folders of these: those without a checkpoint before the run saved its first one there, and
    # the others.
    new_folders: list[str] = dataclasses.field(default_factory=list)
    old_folders: list[str] = dataclasses.field(default_factory=list)
    session_runs: int = 0  # with those that fetch no number
    number_runs: int = 0  # the runs that fetched numbers or raised an error, recorded or not


class Step(NamedTuple):
    """The numbers of one step.

    Its kind is "apply" (the values are those after it) or "evaluation" (the values are the
    evaluated point).
    """

    kind: str
    losses: list[float]  # in the order in which the script took their gradients
    gradients: Samples
    values: Samples


class Fetched(NamedTuple):
    """The numbers that one run of a session returned, in the order of its fetches,
    or the error that it raised.
    """

    names: list[str]
    values: list[Sample]
    error: str = ""  # the name of its class
    # Positions of values that TensorFlow may read before or after a write of the run.
    unordered: Sequence[int] = ()
    number: int = 0  # of the run among all of the program, also those that fetch nothing, from 1


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


_WRITTEN = ("kinds", "initial", "steps", "runs", "places", "graphs", "tensors")


class Record:
    """The record of one run of a script."""

    def __init__(self, facts: Facts | None = None) -> None:
        self.facts = facts or Facts()
        self.kinds: dict[str, str] = {}
        self.initial: Samples = {}
        self.steps: list[Step] = []
        self.runs: list[Fetched] = []
        self.places: list[list[Any]] = []
        self.graphs: list[list[Op]] = []
        self.tensors: Samples = {}
        self._kept = 0  # elements

    def add_initial(self, arrays: Arrays) -> None:
        """Stores the values of variables before the first step, a dict of arrays,
        except for those that have one.
        """
        new = {name: array for name, array in arrays.items() if name not in self.initial}
        self.initial.update(self._sampled(new))

    def add_step(
        self, losses: Iterable[float], gradients: Arrays, values: Arrays, kind: str = "apply"
    ) -> None:
        """Stores one step: `losses` are numbers, `gradients` and `values` dicts of arrays."""
        numbers = [float(loss) for loss in losses]
        self.steps.append(Step(kind, numbers, self._sampled(gradients), self._sampled(values)))

    @property
    def has_room(self) -> bool:
        """Says whether arrays are still kept whole."""
        return self._kept < WHOLE

    def sampled(self, value: object) -> Sample:
        """Returns the sample of a value: of few elements where the record has many already."""
        kept = sample(value, LIMIT if self.has_room else FEW)
        self._kept += len(kept.values)
        return kept

    def _sampled(self, arrays: Arrays) -> Samples:
        return {name: self.sampled(value) for name, value in arrays.items()}

    def save(self, path: str) -> None:
        """Writes the record to the file `path`, which never holds half of it."""
        content: dict[str, Any] = {"format": FORMAT, "facts": dataclasses.asdict(self.facts)}
        content.update((name, getattr(self, name)) for name in _WRITTEN)
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
            record.facts = Facts(**content["facts"])
            record.kinds, record.places = content["kinds"], content["places"]
            record.initial = _samples(content["initial"])
            record.steps = [
                Step(kind, losses, _samples(gradients), _samples(values))
                for kind, losses, gradients, values in content["steps"]
            ]
            record.runs = [
                Fetched(names, [_sample(row) for row in values], *more)
                for names, values, *more in content["runs"]
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


def _in_base64(values: array.array[Any]) -> list[str]:
    return [values.typecode, base64.b64encode(values.tobytes()).decode("ascii")]


def _samples(rows: Mapping[str, Sequence[Any]]) -> Samples:
    return {name: _sample(row) for name, row in rows.items()}


def _sample(row: Sequence[Any]) -> Sample:
    shape, dtype, digest, norm, largest, (code, text) = row
    values = array.array(code, base64.b64decode(text))
    return Sample(tuple(shape), dtype, digest, norm, largest, values)

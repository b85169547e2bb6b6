"""Compares recorded graphs op by op, and sorts the differences by cause."""

from __future__ import annotations

import itertools
from typing import Any, Iterator, Mapping, NamedTuple, Sequence

from tf1grad.verify.graphs import op_pairs
from tf1grad.verify.graphs.known_differences import DEFAULT, is_added, reason_of
from tf1grad.verify.record import Op, Record


class Effect(NamedTuple):
    """Says whether a difference can change numbers, also in words."""

    may_change: bool
    words: str


# The causes of differences, in the order in which they are told.
CAUSES = {
    "only in one": Effect(True, "yes, if a run needs it"),
    "type": Effect(True, "yes"),
    "inputs": Effect(True, "yes"),
    "seed": Effect(True, "yes"),
    "attributes": Effect(True, "yes"),
    "control inputs": Effect(True, "yes, by the order of writes"),
    "device": Effect(True, "yes, by another kernel"),
    "order": Effect(False, "no, it shows in op seeds"),
    "shape": Effect(False, "no, only through Python"),
    "name": Effect(False, "no, only in checkpoints"),
}
SEEDS = frozenset(["seed", "seed2"])
# Attributes that are for the placement or the speed of ops, and names that follow from those of ops
# or from counters of the process; so are those that begin with "_", except those of XLA, which
# rounds otherwise.
NOT_COMPARED = frozenset(
    [
        "container",
        "debug_name",
        "is_files",
        "legacy_autotune",
        "metadata",
        "shared_name",
        "swap_memory",
        "token",
        "use_cudnn_on_gpu",
        "use_inter_op_parallelism",
        "validate_shape",
    ]
)
HANDING_OVER = frozenset(["Enter", "Switch"])
ONLY_CHECKS = frozenset(["Assert", "NoOp"])


class OpDifference(NamedTuple):
    """Describes one difference between two ops."""

    position: float  # where it is in this graph; with a fraction if only the other graph has the op
    cause: str  # one of `CAUSES`
    this: Op | None  # the ops; None for the graph that does not have it
    other: Op | None
    what: str  # the attribute, the input or the output
    values: tuple[Any, Any]  # what the two have
    reason: str | None = None  # why it must stay, if it is in the table of known differences

    @property
    def op(self) -> Op:
        """Returns this graph's op, or the other's if only that exists."""
        found = self.this or self.other
        assert found is not None
        return found

    def keys(self) -> list[tuple[str, str, str]]:
        """Returns its cause, with the name of each of its ops, without numbers:
        two orders may agree at some ops.
        """
        if self.cause == "order":
            return [("order", "", "")]
        return [
            (self.cause, self.what, op_pairs.without_numbers(op.name))
            for op in (self.this, self.other)
            if op
        ]

    @property
    def may_change_numbers(self) -> bool:
        """Says whether the difference can change a value,
        also without another difference that the comparison shows.
        """
        if not CAUSES[self.cause].may_change:
            return False
        if self.cause == "attributes":
            return self.what != "shape" or "Placeholder" not in self.op.type
        return self.cause != "only in one" or self.op.type not in ONLY_CHECKS


class GraphComparison:
    """Compares the ops of two graphs.

    Differences in the table are `known`; those at ops where the reference differs from itself are
    `unstable`.
    """

    def __init__(self, this: Sequence[Op], other: Sequence[Op]) -> None:
        self.this, self.other = this, other
        self._by_name = {op.name: op for op in this}
        self._added = {op.name for op in (*this, *other) if is_added(op)}
        found = [
            each._replace(reason=self._reason(each))
            for each in sorted(_differences(this, other), key=_position)
        ]
        self.differences = [each for each in found if each.reason is None]
        self.known = [each for each in found if each.reason is not None]
        self.unstable: list[OpDifference] = []

    def _reason(self, difference: OpDifference) -> str | None:
        names = [difference.op.name]
        if difference.cause == "inputs":
            names = [str(difference.values[0])]
        elif difference.cause == "control inputs":
            names = [name for side in difference.values for name in side]
        source = list(itertools.islice(self._types_before(difference.op), 2))
        return reason_of(
            difference.cause,
            difference.op,
            difference.what,
            names,
            difference.values,
            source,
            self._added,
        )

    def _types_before(self, op: Op) -> Iterator[str]:
        """Yields the type of the op that makes the first input, and so on.

        Ops that hand a value to a loop or a branch are left out.
        """
        while op.inputs and op.inputs[0].partition(":")[0] in self._by_name:
            op = self._by_name[op.inputs[0].partition(":")[0]]
            if op.type not in HANDING_OVER:
                yield op.type

    @property
    def first(self) -> OpDifference | None:
        """Returns the first difference that can change a value; the first of all if none can;
        None if there is none.
        """
        may_change = (each for each in self.differences if each.may_change_numbers)
        return next(may_change, self.differences[0] if self.differences else None)

    @property
    def before_first(self) -> int:
        """Returns the number of differences before the first one that can change a value."""
        return self.differences.index(self.first) if self.first else 0

    @property
    def may_change_numbers(self) -> bool:
        """Says whether a difference can change a value."""
        return any(each.may_change_numbers for each in self.differences)

    def set_apart(self, repeated: GraphComparison) -> None:
        """Moves differences to `unstable` where a comparison of the reference with itself
        has one of the same cause.
        """
        keys = {key for each in repeated.differences for key in each.keys()}
        self.unstable = [each for each in self.differences if not keys.isdisjoint(each.keys())]
        self.differences = [each for each in self.differences if keys.isdisjoint(each.keys())]


def _position(difference: OpDifference) -> tuple[float, int]:
    return difference.position, list(CAUSES).index(difference.cause)


def _differences(ones: Sequence[Op], others: Sequence[Op]) -> Iterator[OpDifference]:
    pairs, moved = op_pairs.pair_ops(ones, others)
    others_of = dict(pairs)
    for number, op in enumerate(ones):
        if number not in others_of:
            yield OpDifference(number, "only in one", op, None, "", (op.type, None))
    ones_of = {other: one for one, other in pairs}
    before = -1
    for number, op in enumerate(others):
        before = ones_of.get(number, before)
        if number not in ones_of:
            yield OpDifference(before + 0.5, "only in one", None, op, "", (None, op.type))
    names = {ones[one].name: others[other].name for one, other in pairs}
    for pair in pairs:
        one, other = ones[pair[0]], others[pair[1]]
        if pair in moved:
            yield OpDifference(pair[0], "order", one, other, "", pair)
        for cause, what, values in _compare_pair(one, other, names):
            yield OpDifference(pair[0], cause, one, other, what, values)


def _compare_pair(
    one: Op, other: Op, names: Mapping[str, str]
) -> Iterator[tuple[str, str, tuple[Any, Any]]]:
    """Yields cause, detail and values of each difference between two ops."""
    if one.name != other.name:
        yield "name", "", (one.name, other.name)
    if one.type != other.type:
        yield "type", "", (one.type, other.type)
    else:
        for name in dict.fromkeys([*one.attributes, *other.attributes]):
            values = one.attributes.get(name, DEFAULT), other.attributes.get(name, DEFAULT)
            is_noted = name.startswith("_") and not name.startswith("_Xla")
            is_compared = not is_noted and name not in NOT_COMPARED
            if is_compared and _plain(values[0]) != _plain(values[1]):
                yield "seed" if name in SEEDS else "attributes", name, values
    for number, inputs in enumerate(itertools.zip_longest(one.inputs, other.inputs)):
        if inputs[0] is None or _renamed(inputs[0], names) != inputs[1]:
            yield "inputs", f"input {number}", inputs
    controls = {names.get(name, name) for name in one.control_inputs}
    other_controls = set(other.control_inputs)
    if controls != other_controls:
        only_one = sorted(controls - other_controls), sorted(other_controls - controls)
        yield "control inputs", "", only_one
    for number, shapes in enumerate(zip(one.shapes, other.shapes)):
        if shapes[0] != shapes[1]:
            yield "shape", f"output {number}", shapes
    if one.device != other.device:
        yield "device", "", (one.device, other.device)


def _plain(value: object) -> Any:
    """Returns an attribute's value; of a function,
    the ops of which are compared, its attributes.
    """
    return value["attributes"] if isinstance(value, dict) and "function" in value else value


def _renamed(name: str, names: Mapping[str, str]) -> str:
    """Returns the other graph's name of an input of this graph's; its own if no op is its pair."""
    op, colon, output = name.partition(":")
    return names.get(op, op) + colon + output


def compare_records(this: Record, other: Record) -> list[GraphComparison]:
    """Returns the comparison of each graph of two programs,
    in the order in which sessions ran them.
    """
    pairs = itertools.zip_longest(this.graphs, other.graphs, fillvalue=())
    return [GraphComparison(one, another) for one, another in pairs]

"""Compares recorded graphs op by op, and sorts the differences by cause."""

from __future__ import annotations

import itertools
import re
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from tf1grad.old_programs.verify.graphs import op_pairs
from tf1grad.old_programs.verify.graphs.known_differences import reason_of
from tf1grad.old_programs.verify.record import Graph, Op, Record

# The causes of differences, in the order in which they are told, and whether they can change numbers.
CAUSES = {
    "only in one": "yes, if a run needs it",
    "type": "yes",
    "inputs": "yes",
    "seed": "yes",
    "attributes": "yes",
    "control inputs": "yes, by the order of writes",
    "device": "yes, by another kernel",
    "order": "no, it shows in op seeds",
    "shape": "no, only through Python",
    "name": "no, only in checkpoints",
}
SEEDS = frozenset(["seed", "seed2"])
# Attributes that are for the placement, the names or the speed of ops.
ATTRIBUTES_WITHOUT_EFFECT = frozenset(
    [
        "_class",
        "container",
        "shared_name",
        "parallel_iterations",
        "metadata",
        "swap_memory",
        "use_cudnn_on_gpu",
        "use_inter_op_parallelism",
        "debug_name",
        "validate_shape",
        "is_files",
        "legacy_autotune",
    ]
)
# Notes of newer Python code for itself: shapes, that a user asked for control inputs, what functions only read.
NOTES = frozenset(
    ["_output_shapes", "_has_manual_control_dependencies", "_read_only_resource_inputs"]
)
ONLY_CHECKS = frozenset(["Assert", "NoOp"])
_COUNTER = re.compile(r"_?-?\d+$")  # of Python's, in the names of functions, tokens and gradients
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")

# By op type and attribute: the default value, if there is one.
Definitions = Mapping[str, Mapping[str, Sequence[Any]]]


class Difference(NamedTuple):
    """Describes one difference between two ops."""

    position: float  # where it is in this graph; with a fraction if only the other graph has the op
    cause: str  # one of `CAUSES`
    this: Optional[Op]  # the ops; None for the graph that does not have it
    other: Optional[Op]
    what: str  # the attribute, or the number of the input or output
    values: Tuple[Any, Any]  # what the two have
    function: str = ""  # the name of the function that contains the ops; "" for the graph itself
    # The user's line of this graph's op, or of the op that calls the function, in `Record.places`.
    place: Optional[int] = None
    # Why it must stay; None unless it is in the table of known differences.
    reason: Optional[str] = None

    @property
    def op(self) -> Op:
        """Returns this graph's op, or the other's if only that exists."""
        found = self.this or self.other
        assert found is not None
        return found

    def keys(self) -> List[Tuple[str, str, str]]:
        """Returns its cause, with the name of each of its ops, without numbers: two orders may agree at some ops."""
        if self.cause == "order":
            return [("order", "", "")]
        return [
            (self.cause, self.what, op_pairs.without_numbers(op.name))
            for op in (self.this, self.other)
            if op
        ]

    @property
    def may_change_numbers(self) -> bool:
        """Says whether the difference can change a value, also without another difference that the comparison shows."""
        if CAUSES[self.cause].startswith("no"):
            return False
        if self.cause == "attributes":
            return self.what not in ATTRIBUTES_WITHOUT_EFFECT and not (
                self.what == "shape" and "Placeholder" in self.op.type
            )
        return not (self.cause == "only in one" and self.op.type in ONLY_CHECKS)


class GraphComparison:
    """Compares two graphs, either of which may be missing.

    Differences in the table are `known`; those at ops where the reference differs from itself are `unstable`.
    """

    def __init__(
        self, this: Optional[Graph], other: Optional[Graph], definitions: Definitions
    ) -> None:
        self.this, self.other = this, other
        found: List[Difference] = []
        if this and other:
            found = _Comparer(this, other, definitions).compare(this.ops, other.ops)
        self.differences = [each for each in found if each.reason is None]
        self.known = [each for each in found if each.reason is not None]
        self.unstable: List[Difference] = []

    @property
    def is_same(self) -> bool:
        """Returns True if both exist and no difference is left that is neither known nor unstable."""
        return self.this is not None and self.other is not None and not self.differences

    @property
    def may_change_numbers(self) -> bool:
        """Says whether a difference can change a value."""
        if self.this is None or self.other is None:
            return True
        return any(each.may_change_numbers for each in self.differences)

    def set_apart(self, repeated: GraphComparison) -> None:
        """Moves differences to `unstable` where a comparison of the reference with itself has one of the same cause."""
        ops = {key for each in repeated.differences for key in each.keys()}
        self.unstable = [each for each in self.differences if not ops.isdisjoint(each.keys())]
        self.differences = [each for each in self.differences if ops.isdisjoint(each.keys())]


def compare_records(this: Record, other: Record) -> List[GraphComparison]:
    """Returns the comparison of each graph of two programs, in the order in which sessions ran them."""
    # An attribute that only one version knows has its default in graphs of the other.
    definitions = {
        name: {**other.op_definitions.get(name, {}), **this.op_definitions.get(name, {})}
        for name in {*this.op_definitions, *other.op_definitions}
    }
    return [
        GraphComparison(one, another, definitions)
        for one, another in itertools.zip_longest(this.graphs, other.graphs)
    ]


class _Comparer:
    """Compares lists of ops: those of two graphs, and those of their functions."""

    def __init__(self, this: Graph, other: Graph, definitions: Definitions) -> None:
        self._functions, self._other_functions = this.functions, other.functions
        self._definitions = definitions
        self._inside: Dict[Tuple[str, str], List[Difference]] = {}

    def compare(self, ones: Sequence[Op], others: Sequence[Op]) -> List[Difference]:
        """Returns the differences with that pairing of ops which leaves fewer, in order."""
        found = list(self._differences(ones, others, op_pairs.by_name(ones, others)))
        if any(each.cause in ("only in one", "name") for each in found):
            found = min(
                found,
                list(self._differences(ones, others, op_pairs.by_order(ones, others))),
                key=len,
            )
        return sorted(found, key=lambda each: (each.position, _rank(each)))

    def _differences(
        self, ones: Sequence[Op], others: Sequence[Op], pairs: op_pairs.Pairs
    ) -> Iterator[Difference]:
        others_of = dict(pairs.pairs)
        ones_of = {other: one for one, other in pairs.pairs}
        for number, op in enumerate(ones):
            if number not in others_of:
                yield _difference(number, "only in one", op, None, "", (op.type, None))
        before = -1
        for number, op in enumerate(others):
            before = ones_of.get(number, before)
            if number not in ones_of:
                yield _difference(before + 0.5, "only in one", None, op, "", (None, op.type))
        names = {ones[one].name: others[other].name for one, other in pairs.pairs}
        for pair in pairs.pairs:
            one, other = ones[pair[0]], others[pair[1]]
            if pair in pairs.moved:
                yield _difference(pair[0], "order", one, other, "", pair)
            for cause, what, values in self._compare_pair(one, other, names):
                yield _difference(pair[0], cause, one, other, what, values)
            for called in self._called(one, other):
                for each in self._compare_functions(*called):
                    place = one.place if each.place is None else each.place
                    yield each._replace(position=pair[0], place=place)

    def _compare_functions(self, one: str, other: str) -> List[Difference]:
        """Returns the differences between two functions; none where they are not in the libraries of the graphs."""
        if (one, other) not in self._inside and self._are_functions(one, other):
            found = self.compare(self._functions[one], self._other_functions[other])
            self._inside[one, other] = [
                each._replace(function=each.function or one) for each in found
            ]
        return self._inside.get((one, other), [])

    def _are_functions(self, one: str, other: str) -> bool:
        return one in self._functions and other in self._other_functions

    def _called(self, one: Op, other: Op) -> Iterator[Tuple[Any, Any]]:
        """Yields the pairs of functions that two ops call."""
        yield one.type, other.type
        if one.type == other.type:
            for name, value in one.attributes.items():
                yield from zip(_functions(value), _functions(other.attributes.get(name)))

    def _compare_pair(
        self, one: Op, other: Op, names: Mapping[str, str]
    ) -> Iterator[Tuple[str, str, Tuple[Any, Any]]]:
        """Yields cause, detail and values of each difference between two ops, without those of functions."""
        if one.name != other.name:
            yield "name", "", (one.name, other.name)
        if one.type == other.type:
            for name in dict.fromkeys([*one.attributes, *other.attributes]):
                values = self._attribute(one, name), self._attribute(other, name)
                if name in NOTES or values[0] == values[1]:
                    continue
                if self._plain(name, values[0], names) != self._plain(name, values[1], {}):
                    is_seed = name in SEEDS and SEEDS <= set(one.attributes)
                    yield "seed" if is_seed else "attributes", name, values
        elif not self._are_functions(one.type, other.type):
            yield "type", "", (one.type, other.type)
        for number, inputs in enumerate(itertools.zip_longest(one.inputs, other.inputs)):
            if inputs[0] is None or _renamed(inputs[0], names) != inputs[1]:
                yield "inputs", str(number), inputs
        controls = {_renamed(name, names) for name in one.control_inputs}
        other_controls = set(other.control_inputs)
        if controls != other_controls:
            only_one = sorted(controls - other_controls), sorted(other_controls - controls)
            yield "control inputs", "", only_one
        for number, shapes in enumerate(zip(one.shapes, other.shapes)):
            if shapes[0] != shapes[1]:
                yield "shape", str(number), shapes
        if one.device != other.device:
            yield "device", "", (one.device, other.device)

    def _attribute(self, op: Op, name: str) -> Any:
        """Returns an attribute's value: that of the op, or the default in the definition of the op."""
        default = self._definitions.get(op.type, {}).get(name)
        return op.attributes.get(name, default[0] if default else "absent")

    def _plain(self, name: str, value: Any, names: Mapping[str, str]) -> Any:
        """Returns an attribute's value with other `names` of ops, and without names with counters of the process."""
        if isinstance(value, list):
            values = [self._plain(name, each, names) for each in value]
            return sorted(values) if name == "_class" else values
        if isinstance(value, dict) and "digest" in value:
            return value["tensor"], value["shape"], value["digest"]
        if isinstance(value, dict) and "function" in value:
            function = value["function"]
            inner = value.get("attributes", {})
            is_compared = function in self._functions or function in self._other_functions
            public = {key: each for key, each in inner.items() if not key.startswith("_")}
            return public, "" if is_compared else function
        if not isinstance(value, str):
            return value
        if name == "_class":
            op = value[len("loc:@") :]
            return names.get(op, op)
        if name == "shared_name":
            return _UUID.sub("", value)
        if name in ("_gradient_op_type", "token"):
            return _COUNTER.sub("", value)
        return value


def _rank(difference: Difference) -> int:
    return list(CAUSES).index(difference.cause)


def _renamed(name: str, names: Mapping[str, str]) -> str:
    """Returns the other graph's name of an input of this graph's; it has a question mark if no op is its pair."""
    op, colon, output = name.partition(":")
    return name if op == "arg" else names.get(op, "?" + op) + colon + output


def _functions(value: Any) -> List[str]:
    """Returns the functions' names in the value of an attribute."""
    if isinstance(value, list):
        return [name for each in value for name in _functions(each)]
    return [value["function"]] if isinstance(value, dict) and "function" in value else []


def _difference(
    position: float,
    cause: str,
    this: Optional[Op],
    other: Optional[Op],
    what: str,
    values: Tuple[Any, Any],
) -> Difference:
    found = Difference(position, cause, this, other, what, values, place=this and this.place)
    names = [found.op.name]
    if cause == "inputs":
        names = [str(values[0])]
    elif cause == "control inputs":
        names = [name.lstrip("?") for side in values for name in side]
    return found._replace(reason=reason_of(cause, found.op.type, what, names))


def cause_groups(differences: Sequence[Difference]) -> Dict[str, List[Difference]]:
    """Returns the differences by cause, in the order of `CAUSES`; those in attributes by the attribute as well."""
    groups: Dict[str, List[Difference]] = {}
    for each in sorted(differences, key=_rank):
        name = f"attribute {each.what}" if each.cause == "attributes" else each.cause
        groups.setdefault(name, []).append(each)
    return groups

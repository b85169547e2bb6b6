"""Compares recorded graphs op by op, and sorts the differences by cause."""

from __future__ import annotations

import difflib
import itertools
import re
from typing import Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Set, Tuple

from tf1grad.old_programs.verify.graphs import op_pairs
from tf1grad.old_programs.verify.graphs.graph_record import Function, Graph, GraphRecord, Op
from tf1grad.old_programs.verify.graphs.known_differences import reason_of

CAUSES = ("only in one", "type", "inputs", "seed", "attributes", "control inputs", "device", "order", "shape", "name")

SEEDS = frozenset(["seed", "seed2"])
# Attributes that are for the placement, the names or the speed of ops.
WITHOUT_EFFECT = frozenset(["_class", "container", "shared_name", "parallel_iterations", "metadata", "swap_memory",
                            "use_cudnn_on_gpu", "use_inter_op_parallelism", "debug_name", "validate_shape",
                            "is_files", "legacy_autotune"])
# Notes of newer Python code for itself: shapes, that a user asked for control inputs, what functions only read.
NOTES = frozenset(["_output_shapes", "_has_manual_control_dependencies", "_read_only_resource_inputs"])
ONLY_CHECKS = frozenset(["Assert", "NoOp"])
_MISSING = object()
_COUNTER = re.compile(r"_?-?\d+$")  # of Python's, in the names of functions, tokens and gradients
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")

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
    caller: Optional[Op] = None  # the op of the graph that calls this function
    reason: Optional[str] = None  # why it must stay; None unless it is in the table of known differences

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
        return [(self.cause, self.what, op_pairs.without_numbers(op.name)) for op in (self.this, self.other) if op]

    @property
    def may_change_numbers(self) -> bool:
        """Says whether the difference can change a value, also without another difference that the comparison shows."""
        if self.cause in ("shape", "order", "name"):
            return False
        if self.cause == "attributes":
            return self.what not in WITHOUT_EFFECT and not (self.what == "shape" and "Placeholder" in self.op.type)
        return not (self.cause == "only in one" and self.op.type in ONLY_CHECKS)


class GraphComparison:
    """Compares two graphs, either of which may be missing.

    Differences in the table are `known`; those at ops where the reference differs from itself are `unstable`.
    """

    def __init__(self, this: Optional[Graph], other: Optional[Graph], definitions: Definitions,
                 other_definitions: Definitions) -> None:
        self.this, self.other = this, other
        self.differences: List[Difference] = []
        self.known: List[Difference] = []
        self.unstable: List[Difference] = []
        if this is not None and other is not None:
            for each in _Comparer(this, other, definitions, other_definitions).differences():
                (self.differences if each.reason is None else self.known).append(each)

    @property
    def is_same(self) -> bool:
        """Returns True if both exist and no difference is left that is neither known nor unstable."""
        return self.this is not None and self.other is not None and not self.differences

    def end_with(self, graph: Optional[Graph]) -> None:
        """Leaves out the last ops of one of the two graphs that only it has: the other program died before them."""
        missing = {each.op.name for each in self.differences if each.cause == "only in one" and not each.function}
        last = set()
        for op in reversed(graph.ops if graph else []):
            if op.name not in missing:
                break
            last.add(op.name)
        self.differences = [each for each in self.differences
                            if each.function or each.cause != "only in one" or each.op.name not in last]

    def set_apart(self, repeated: GraphComparison) -> None:
        """Moves differences to `unstable` where a comparison of the reference with itself has one of the same cause."""
        ops = {key for each in repeated.differences for key in each.keys()}
        self.unstable = [each for each in self.differences if not ops.isdisjoint(each.keys())]
        self.differences = [each for each in self.differences if ops.isdisjoint(each.keys())]

    @property
    def first(self) -> Optional[Difference]:
        """Returns the difference where they part; None if they do not."""
        return self.differences[0] if self.differences else None


def compare_records(this: GraphRecord, other: GraphRecord) -> List[GraphComparison]:
    """Returns the comparison of each graph of two programs, in the order in which sessions ran them.

    Of a program that failed, what it built until then is compared.
    """
    found = [GraphComparison(*pair, this.op_definitions, other.op_definitions)
             for pair in _pair_graphs(this.graphs, other.graphs)]
    for graph in found:
        if "failure" in other.facts:
            graph.end_with(graph.this)
        if "failure" in this.facts:
            graph.end_with(graph.other)
    return [graph for graph in found if graph.this and graph.other
            or "failure" not in (other if graph.this else this).facts]


def _pair_graphs(ones: Sequence[Graph], others: Sequence[Graph]) -> Iterator[Tuple[Optional[Graph], Optional[Graph]]]:
    """Yields pairs of graphs in order; if one program has more of them, those with the same first ops."""
    if len(ones) == len(others):
        yield from zip(ones, others)
        return
    keys, other_keys = ([tuple(op.name for op in graph.ops[:20]) for graph in graphs] for graphs in (ones, others))
    for _, start, end, other_start, other_end in difflib.SequenceMatcher(None, keys, other_keys, False).get_opcodes():
        for number in range(max(end - start, other_end - other_start)):
            yield (ones[start + number] if start + number < end else None,
                   others[other_start + number] if other_start + number < other_end else None)


class _Comparer:
    def __init__(self, this: Graph, other: Graph, definitions: Definitions, other_definitions: Definitions) -> None:
        self._this, self._other = this, other
        self._definitions, self._other_definitions = definitions, other_definitions
        self._compared: Set[Tuple[str, str]] = set()  # functions

    def differences(self) -> List[Difference]:
        return _sorted(self._compare_ops(self._this.ops, self._other.ops))

    def _compare_ops(self, ones: Sequence[Op], others: Sequence[Op]) -> List[Difference]:
        """Returns the differences with that pairing of ops which leaves fewer."""
        compared = set(self._compared)
        found = list(_Ops(self, ones, others, op_pairs.by_name).differences())
        if any(each.cause == "only in one" or each.cause == "name" for each in found):
            self._compared, compared = compared, self._compared
            again = list(_Ops(self, ones, others, op_pairs.by_order).differences())
            if len(again) < len(found):
                return again
            self._compared = compared
        return found

    def differing_attributes(self, one: Op, other: Op) -> Iterator[Tuple[str, Any, Any]]:
        """Yields the name and values of each attribute that differs, or names functions, whose bodies may differ."""
        for name in dict.fromkeys([*one.attributes, *other.attributes]):
            values = (self._attribute(one, name, self._definitions, self._other_definitions),
                      self._attribute(other, name, self._other_definitions, self._definitions))
            if name not in NOTES and (values[0] != values[1] or _functions(*values)):
                yield (name, *values)

    @staticmethod
    def _attribute(op: Op, name: str, own: Definitions, others: Definitions) -> Any:
        """Returns an attribute's value: that of the op, or the default in either version's definition of the op."""
        if name in op.attributes:
            return op.attributes[name]
        for definitions in (own, others):
            default = definitions.get(op.type, {}).get(name)
            if default:
                return default[0]
        return _MISSING

    def are_functions(self, one: Any, other: Any) -> bool:
        """Says whether two names are those of functions in the libraries of the graphs."""
        return one in self._this.functions and other in self._other.functions

    def is_function(self, name: str) -> bool:
        """Says whether one of the libraries has a function of this name; its body is compared, not its name."""
        return name in self._this.functions or name in self._other.functions

    def function_differences(self, one: str, other: str) -> List[Difference]:
        """Returns the differences between two functions, the first time that they are asked for."""
        if (one, other) in self._compared:
            return []
        self._compared.add((one, other))
        function, other_function = self._this.functions[one], self._other.functions[other]
        found = self._compare_ops(function.ops, other_function.ops)
        found = [each._replace(function=each.function or one) for each in _sorted(found)]
        return found or list(_signature_differences(function, other_function, one))


def _sorted(differences: List[Difference]) -> List[Difference]:
    return sorted(differences, key=lambda each: (each.position, CAUSES.index(each.cause)))


def _signature_differences(one: Function, other: Function, name: str) -> Iterator[Difference]:
    for what in ("arguments", "results"):
        values = getattr(one, what), getattr(other, what)
        if values[0] != values[1]:
            op = Op("function", name, [], [], {}, [], "", None)
            yield Difference(0, "inputs", op, op, what, values, name)


class _Ops:
    """Compares two lists of ops with one pairing."""

    def __init__(self, comparer: _Comparer, ones: Sequence[Op], others: Sequence[Op], pair: op_pairs.Pairing) -> None:
        self._comparer, self._ones, self._others = comparer, ones, others
        self._pairs = pair(ones, others)
        self._names = {ones[one].name: others[other].name for one, other in self._pairs.pairs}

    def differences(self) -> Iterator[Difference]:
        have, others_have = {one for one, _ in self._pairs.pairs}, {other: one for one, other in self._pairs.pairs}
        for number, op in enumerate(self._ones):
            if number not in have:
                yield _difference(number, "only in one", op, None, "", (op.type, None))
        before = -1
        for number, op in enumerate(self._others):
            if number in others_have:
                before = others_have[number]
            else:
                yield _difference(before + 0.5, "only in one", None, op, "", (None, op.type))
        for pair in self._pairs.pairs:
            yield from self._compare_pair(pair)

    def _compare_pair(self, pair: op_pairs.Pair) -> Iterator[Difference]:
        number = pair[0]
        one, other = self._ones[number], self._others[pair[1]]
        if pair in self._pairs.moved:
            yield _difference(number, "order", one, other, "", pair)
        if one == other and all(self._names.get(_op_name(name), name) == _op_name(name)
                                for name in one.inputs + one.control_inputs) and not _mentions_others(one):
            return
        if one.name != other.name:
            yield _difference(number, "name", one, other, "", (one.name, other.name))
        if self._comparer.are_functions(one.type, other.type):
            yield from self._inside(number, one, self._comparer.function_differences(one.type, other.type))
        elif one.type != other.type:
            yield _difference(number, "type", one, other, "", (one.type, other.type))
        if one.type == other.type:
            yield from self._compare_attributes(number, one, other)
        yield from self._compare_inputs(number, one, other)
        for output, (shape, other_shape) in enumerate(zip(one.shapes, other.shapes)):
            if shape != other_shape:
                yield _difference(number, "shape", one, other, str(output), (shape, other_shape))
        if one.device != other.device:
            yield _difference(number, "device", one, other, "", (one.device, other.device))

    def _compare_inputs(self, number: int, one: Op, other: Op) -> Iterator[Difference]:
        if [self._renamed(name) for name in one.inputs] != other.inputs:
            for input_number, names in enumerate(itertools.zip_longest(one.inputs, other.inputs)):
                if names[0] is None or self._renamed(names[0]) != names[1]:
                    yield _difference(number, "inputs", one, other, str(input_number), names)
        controls, other_controls = {self._renamed(name) for name in one.control_inputs}, set(other.control_inputs)
        if controls != other_controls:
            yield _difference(number, "control inputs", one, other, "",
                              (sorted(controls - other_controls), sorted(other_controls - controls)))

    def _renamed(self, name: str) -> str:
        """Returns the other graph's name of an input of this graph's; it has a question mark if no op is its pair."""
        op, colon, output = name.partition(":")
        return name if op == "arg" else self._names.get(op, "?" + op) + colon + output

    def _compare_attributes(self, number: int, one: Op, other: Op) -> Iterator[Difference]:
        for name, value, other_value in self._comparer.differing_attributes(one, other):
            for function, other_function in _functions(value, other_value):
                if self._comparer.are_functions(function, other_function):
                    inside = self._comparer.function_differences(function, other_function)
                    yield from self._inside(number, one, inside)
            if self._plain(name, value, self._renamed_op) != self._plain(name, other_value, lambda op: op):
                cause = "seed" if name in SEEDS and SEEDS <= set(one.attributes) else "attributes"
                yield _difference(number, cause, one, other, name, (_shown(value), _shown(other_value)))

    def _renamed_op(self, name: str) -> str:
        return self._names.get(name, name)

    def _plain(self, name: str, value: Any, rename: Callable[[str], str]) -> Any:
        """Returns an attribute's value without names that contain counters of the process."""
        if isinstance(value, list):
            values = [self._plain(name, each, rename) for each in value]
            return sorted(values) if name == "_class" else values
        if isinstance(value, dict) and "function" in value:
            inner = {key: each for key, each in value.get("attributes", {}).items() if key[0] != "_"}
            return inner, "" if self._comparer.is_function(value["function"]) else value["function"]
        if isinstance(value, str) and name == "_class":
            return "loc:@" + rename(value[len("loc:@"):])
        if isinstance(value, str) and name == "shared_name":
            return _UUID.sub("", value)
        return _COUNTER.sub("", value) if isinstance(value, str) and name in ("_gradient_op_type", "token") else value

    @staticmethod
    def _inside(number: int, caller: Op, differences: Sequence[Difference]) -> Iterator[Difference]:
        for each in differences:
            yield each._replace(position=number, caller=each.caller if each.caller and each.caller.place else caller)


def _op_name(name: str) -> str:
    return name.partition(":")[0]


def _mentions_others(op: Op) -> bool:
    """Says whether attributes name other ops or functions, which may differ although the attributes are equal."""
    return any(name == "_class" or isinstance(value, dict) and "function" in value
               or isinstance(value, list) and value and isinstance(value[0], dict)
               for name, value in op.attributes.items())


def _functions(one: Any, other: Any) -> List[Tuple[Any, Any]]:
    """Returns pairs of the functions' names in two values of an attribute."""
    if isinstance(one, list) and isinstance(other, list):
        return [pair for values in zip(one, other) for pair in _functions(*values)]
    if isinstance(one, dict) and isinstance(other, dict) and "function" in one and "function" in other:
        return [(one["function"], other["function"])]
    return []


def _shown(value: Any) -> Any:
    return "absent" if value is _MISSING else value


def _difference(position: float, cause: str, this: Optional[Op], other: Optional[Op], what: str,
                values: Tuple[Any, Any]) -> Difference:
    op = this or other
    assert op is not None
    names = [op.name]
    if cause == "inputs":
        names = [str(values[0])]
    elif cause == "control inputs":
        names = [name.lstrip("?") for side in values for name in side]
    return Difference(position, cause, this, other, what, values, reason=reason_of(cause, op.type, what, names))


def cause_groups(differences: Sequence[Difference]) -> Dict[str, List[Difference]]:
    """Returns the differences by cause, in the order of `CAUSES`; those in attributes by the attribute as well."""
    groups: Dict[str, List[Difference]] = {}
    for cause in CAUSES:
        for each in differences:
            if each.cause == cause:
                groups.setdefault(f"attribute {each.what}" if cause == "attributes" else cause, []).append(each)
    return groups

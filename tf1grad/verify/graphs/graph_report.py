"""Reports the comparison of two programs' graphs, as a dict for JSON or as text for people."""

from __future__ import annotations

from typing import Any, Iterator, Mapping, Sequence

from tf1grad.programs.process.messages import counted
from tf1grad.verify.differences import DIFFERS, NOISY, SAME, WITHOUT_EFFECT
from tf1grad.verify.graphs.graph_comparison import (
    CAUSES,
    GraphComparison,
    OpDifference,
    compare_records,
)
from tf1grad.verify.record import Record
from tf1grad.verify.report_lines import (
    interpreter_lines,
    interpreters,
    seed_notes,
    short_place,
)

_ROW = "  {cause:<14}  {ops:>5}  {effect:<27}  {example}"
_ENDED = "One of the programs trained, and the other ended before."
_HEADINGS = _ROW.format(
    cause="cause",
    ops="ops",
    effect="can change numbers",
    example="first example (this | other)",
)


class GraphReport:
    """The comparison of two programs' graphs.

    `again` is the other one, built with another order of Python's sets.
    """

    def __init__(self, this: Record, other: Record, again: Record | None = None) -> None:
        self.this, self.other = this, other
        self.graphs = compare_records(this, other)
        repeated = compare_records(other, again) if again else []
        if len(repeated) == len(self.graphs):
            for graph, same in zip(self.graphs, repeated):
                graph.set_apart(same)
        # The first difference of each graph that differs.
        self.parted = [graph.first for graph in self.graphs if graph.first]
        self.is_same = not self.parted
        self.may_change_numbers = any(graph.may_change_numbers for graph in self.graphs)
        self.known = sum(len(graph.known) for graph in self.graphs)

    @property
    def ends_alike(self) -> bool:
        """Returns False if one program reached the training step and the other ended before."""
        return self.this.facts.has_ended == self.other.facts.has_ended

    @property
    def outcome(self) -> str:
        """Returns SAME, DIFFERS, WITHOUT_EFFECT or NOISY."""
        if self.may_change_numbers or not self.ends_alike:
            return DIFFERS
        if not self.is_same:
            return WITHOUT_EFFECT
        return NOISY if any(graph.unstable for graph in self.graphs) else SAME

    def as_dict(self, script: str) -> dict[str, Any]:
        """Returns the report, for `json.dumps`."""
        return {
            "script": script,
            "agree": self.outcome == SAME,
            "outcome": self.outcome,
            "verdict": self.verdict(),
            "may change numbers": self.may_change_numbers,
            "interpreters": interpreters(self.this, self.other),
            "graphs": [self._graph(graph) for graph in self.graphs],
            "notes": self.notes(),
        }

    def _graph(self, graph: GraphComparison) -> dict[str, Any]:
        return {
            "ops": {"this": len(graph.this), "other": len(graph.other)},
            "identical": not graph.differences and not graph.known,
            "first": self._first(graph.first, graph.before_first) if graph.first else None,
            "causes": _groups(graph.differences),
            "known": _groups(graph.known),
            "unstable": _groups(graph.unstable),
        }

    def _first(self, difference: OpDifference, before: int) -> dict[str, Any]:
        """Returns the first difference of two graphs, with the user's lines that made the ops."""
        lines = []
        for record, op in (
            (self.this, difference.this),
            (self.other, difference.other),
        ):
            if op and op.place is not None:
                lines.append(short_place(record.places[op.place]))
        return {
            "op": difference.op.name,
            "before without effect": before,
            "type": difference.op.type,
            "lines": list(dict.fromkeys(lines)),
            "cause": difference.cause,
            "example": _example(difference),
        }

    def verdict(self) -> str:
        """Returns the verdict in a sentence or two."""
        if self.parted:
            return f"{self._where()}{'' if self.ends_alike else ' ' + _ENDED}"
        if not self.ends_alike:
            known = f", except for known differences: {self.known}" if self.known else ""
            return f"Identical{known}. {_ENDED}"
        unstable = [each.op.name for graph in self.graphs for each in graph.unstable]
        if unstable:
            ops = counted(len(set(unstable)), "op")
            return (
                f"Too noisy to tell: identical except for {ops} at which the program also "
                f"differs from itself, first {unstable[0]}, when one interpreter builds it twice. The order of "
                "Python's sets or random numbers without a seed decide there."
            )
        if self.known:
            return f"Identical, except for known differences: {self.known}."
        return "Identical."

    def _where(self) -> str:
        """Returns where graphs that differ part, and whether this can change numbers."""
        firsts = [each.op.name for each in self.parted if each.may_change_numbers]
        if not firsts:
            op = self.parted[0].op.name
            return f"The graphs part at the op {op}. The differences cannot change a number."
        first_graph = next(graph for graph in self.graphs if graph.first)
        if first_graph.before_first or not first_graph.may_change_numbers:
            return (
                f"The first difference that can change numbers is at the op {firsts[0]}. Others, which cannot, are "
                "before it."
            )
        return f"The graphs part at the op {firsts[0]}. The difference can change numbers."

    def notes(self) -> list[str]:
        """Returns sentences that limit or explain the result."""
        found = seed_notes([self.this, self.other])
        if not self.this.facts.has_ended and not self.other.facts.has_ended:
            found.append(
                "The script ended before the step at which verify stops; all graphs that it built to its end "
                "are compared."
            )
        return found

    def as_text(self, script: str) -> str:
        """Returns the report for people."""
        lines = [f"{script}: the graphs under two interpreters"]
        lines += interpreter_lines([self.this, self.other])
        for number, graph in enumerate(self.graphs, 1):
            lines += ["", *_graph_lines(number, self._graph(graph))]
        lines += ["", *("Note: " + note for note in self.notes()), self.verdict()]
        return "\n".join(lines)


def _graph_lines(number: int, graph: Mapping[str, Any]) -> Iterator[str]:
    """Yields the lines of the text on a graph, of which `graph` is the part of the JSON report."""
    sizes = dict.fromkeys(counted(count, "op") for count in graph["ops"].values())
    result = "identical" if graph["identical"] else "different"
    if not graph["causes"] and (graph["known"] or graph["unstable"]):
        result = "identical, except for the following"
    yield f"graph {number}, {' | '.join(sizes)}: {result}"
    first = graph["first"]
    if first:
        in_what = " in what can change numbers" if first["before without effect"] else ""
        yield f"  the first op where they part{in_what}:"
        yield f"    {first['op']} ({first['type']})"
        for line in first["lines"]:
            yield "    " + line
        yield f"    {first['cause']}: {first['example']}"
        yield _HEADINGS
    for group in graph["causes"]:
        yield _ROW.format(**group)
    for group in graph["known"]:
        yield f"  known: {group['cause']}, ops: {group['ops']}. {group['reason']}"
    for group in graph["unstable"]:
        ops = counted(group["ops"], "op")
        yield f"  differs from itself as well: {group['cause']}, {ops}: {group['example']}"


def _groups(differences: Sequence[OpDifference]) -> list[dict[str, Any]]:
    """Returns what is to be said of differences, by their causes;
    of those in attributes by the attribute as well.
    """
    by_cause: dict[str, list[OpDifference]] = {}
    for cause in CAUSES:
        for each in differences:
            if each.cause == cause:
                name = f"attribute {each.what}" if cause == "attributes" else cause
                by_cause.setdefault(name, []).append(each)
    groups = []
    for name, found in by_cause.items():
        may_change, effect = CAUSES[found[0].cause]
        if may_change and not any(each.may_change_numbers for each in found):
            effect = "no"
        groups.append(
            {
                "cause": name,
                "ops": len({each.op.name for each in found}),
                "effect": effect,
                "example": _example(found[0]),
                "reason": found[0].reason,
            }
        )
    return groups


def _example(difference: OpDifference) -> str:
    """Returns what the two ops have, in short."""
    if difference.cause == "only in one":
        where = "this" if difference.this else "other"
        return f"{difference.op.type} {difference.op.name}, only in {where}"
    one, other = difference.values
    what = difference.what or difference.cause
    return f"{difference.op.name} {what}: {_short(one)} | {_short(other)}"


def _short(value: object) -> str:
    """Returns a value of an attribute, an input or a shape in short."""
    if isinstance(value, dict) and "tensor" in value:
        return f"{value['tensor']} {_short(value['shape'])} {_short(value['values'])}"
    if isinstance(value, list):
        words = [_short(each) for each in value[:6]]
        if len(value) > 6:
            words.append("...")
        return "[" + ", ".join(words) + "]"
    if isinstance(value, float):
        return f"{value:.9g}"
    text = "?" if value is None else str(value)
    return text if len(text) <= 80 else text[:77] + "..."

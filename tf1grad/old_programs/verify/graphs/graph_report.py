"""Reports the comparison of two programs' graphs, as a dict for JSON or as text for people."""

from __future__ import annotations

import os
from typing import Any, Dict, Iterator, List, Optional, Sequence

import numpy as np

from tf1grad.old_programs.verify.differences import DIFFERS, NOISY, SAME, WITHOUT_EFFECT
from tf1grad.old_programs.verify.graphs.graph_comparison import (
    CAUSES,
    Difference,
    GraphComparison,
    cause_groups,
    compare_records,
)
from tf1grad.old_programs.verify.graphs.graph_record import GraphRecord, Op


class GraphReport:
    """The comparison of two programs' graphs.

    `again` is the reference, built with another order of Python's sets. The reference is the program that TensorFlow
    1.15 built, or else the other one.
    """

    def __init__(
        self, this: GraphRecord, other: GraphRecord, again: Optional[GraphRecord] = None
    ) -> None:
        self.this, self.other = this, other
        are_old = [
            str(record.facts.get("tensorflow")).startswith("1.15.") for record in (this, other)
        ]
        self.reference = this if are_old == [True, False] else other
        self.graphs = compare_records(this, other)
        repeated = compare_records(self.reference, again) if again else []
        for graph, same in zip(self.graphs, repeated if len(repeated) == len(self.graphs) else []):
            graph.set_apart(same)

    @property
    def failures(self) -> List[str]:
        """Returns what is to be said of programs that failed."""
        return [
            record.facts["failure"]
            for record in (self.this, self.other)
            if "failure" in record.facts
        ]

    @property
    def parted(self) -> Optional[int]:
        """Returns the number of the first graph that differs, from 0; None if there is none."""
        return next((number for number, graph in enumerate(self.graphs) if not graph.is_same), None)

    @property
    def ends_alike(self) -> bool:
        """Returns False if one program reached the training step and the other ended before, without an error."""
        return bool(self.failures or self.this.facts.get("ended") == self.other.facts.get("ended"))

    @property
    def outcome(self) -> str:
        """Returns SAME, DIFFERS, WITHOUT_EFFECT or NOISY."""
        if self.parted is not None or not self.ends_alike:
            return DIFFERS if self.may_change_numbers or not self.ends_alike else WITHOUT_EFFECT
        return NOISY if any(graph.unstable for graph in self.graphs) else SAME

    @property
    def may_change_numbers(self) -> bool:
        """Says whether a difference can change a value."""
        return any(
            graph.this is None or graph.other is None or _may_change_numbers(graph.differences)
            for graph in self.graphs
        )

    def as_dict(self, script: str) -> Dict[str, Any]:
        """Returns the report, for `json.dumps`."""
        return {
            "script": script,
            "agree": self.outcome == SAME and not self.failures,
            "outcome": self.outcome,
            "verdict": self.verdict(),
            "may change numbers": self.may_change_numbers,
            "interpreters": {"this": self.this.facts, "other": self.other.facts},
            "graphs": [self._graph(graph) for graph in self.graphs],
            "notes": self.notes(),
        }

    def _graph(self, graph: GraphComparison) -> Dict[str, Any]:
        return {
            "ops": {
                "this": graph.this and len(graph.this.ops),
                "other": graph.other and len(graph.other.ops),
            },
            "identical": graph.is_same and not graph.known,
            "unstable": [self._difference(each) for each in graph.unstable],
            "first": graph.first and self._difference(graph.first),
            "causes": [
                dict(
                    self._group(cause, found), **{"may change numbers": _may_change_numbers(found)}
                )
                for cause, found in cause_groups(graph.differences).items()
            ],
            "known": [
                dict(self._group(cause, found), reason=found[0].reason)
                for cause, found in cause_groups(graph.known).items()
            ],
        }

    def _group(self, cause: str, found: Sequence[Difference]) -> Dict[str, Any]:
        return {"cause": cause, "ops": _count_ops(found), "example": self._difference(found[0])}

    def _difference(self, difference: Difference) -> Dict[str, Any]:
        return {
            "cause": difference.cause,
            "what": difference.what,
            "function": difference.function,
            "this": self._side(difference, self.this, difference.this, 0),
            "other": self._side(difference, self.other, difference.other, 1),
        }

    @staticmethod
    def _side(
        difference: Difference, record: GraphRecord, op: Optional[Op], side: int
    ) -> Optional[Dict[str, Any]]:
        if op is None:
            return None
        place = (
            difference.caller.place
            if op.place is None and difference.caller and side == 0
            else op.place
        )
        return {
            "type": op.type,
            "name": op.name,
            "value": difference.values[side],
            "line": None if place is None else record.places[place],
        }

    def verdict(self) -> str:
        """Returns the verdict in a sentence or two."""
        parted = self.parted
        if parted is not None:
            first = self.graphs[parted].first
            where = f"at the op {first.op.name}" if first else "in the number of graphs"
            effect = (
                "The difference can change numbers."
                if self.may_change_numbers
                else "The differences cannot change a number."
            )
            return f"The graphs part {where}. {effect}"
        if self.failures:
            return (
                "Identical until a program failed."
                if self.graphs
                else "Nothing is left to compare with."
            )
        if not self.ends_alike:
            return "Identical, but one of the programs trained and the other ended before."
        unstable = [each.op.name for graph in self.graphs for each in graph.unstable]
        if unstable:
            return (
                f"Too noisy to tell: identical except for {len(set(unstable))} ops at which the program also "
                f"differs from itself, first {unstable[0]}, when one interpreter builds it twice. The order of "
                "Python's sets or random numbers without a seed decide there."
            )
        known = sum(len(graph.known) for graph in self.graphs)
        return f"Identical, except for known differences: {known}." if known else "Identical."

    def notes(self) -> List[str]:
        """Returns sentences that limit or explain the result."""
        found = []
        seeds = {
            record.facts["seeded"] for record in (self.this, self.other) if "seeded" in record.facts
        }
        if seeds:
            found.append(
                f"The script leaves random ops without a seed; their graphs were given the seed {min(seeds)}."
            )
        if (
            all(record.facts.get("ended") != "recorder" for record in (self.this, self.other))
            and not self.failures
        ):
            found.append(
                "The script ended before the step at which verify stops; all graphs that it built to its end "
                "are compared."
            )
        return found

    def as_text(self, script: str) -> str:
        """Returns the report for people."""
        lines = [f"{script}: the graphs under two interpreters"]
        lines += [
            f"  {name:<6} Python {facts.get('python')}, TensorFlow {facts.get('tensorflow')}  "
            f"{facts.get('executable')}"
            for name, facts in (("this", self.this.facts), ("other", self.other.facts))
        ]
        for number, graph in enumerate(self.graphs, 1):
            lines += ["", *self._graph_lines(number, graph)]
        lines += (
            [""] + ["Note: " + note for note in self.notes()] + self.failures + [self.verdict()]
        )
        return "\n".join(lines)

    def _graph_lines(self, number: int, graph: GraphComparison) -> Iterator[str]:
        sizes = [
            f"{len(side.ops):,} ops" if side else "does not exist"
            for side in (graph.this, graph.other)
        ]
        counts = sizes[0] if sizes[0] == sizes[1] else " | ".join(sizes)
        yield f"graph {number}, {counts}: " + (
            "different"
            if not graph.is_same
            else "identical"
            if not (graph.known or graph.unstable)
            else "identical, except for the following"
        )
        if graph.first:
            yield "  the first op where they part:"
            yield from ("    " + line for line in self._difference_lines(graph.first))
        rows = [
            (cause, str(_count_ops(found)), _effect(found), _example(found[0]))
            for cause, found in cause_groups(graph.differences).items()
        ]
        if rows:
            rows.insert(0, ("cause", "ops", "can change numbers", "first example (this | other)"))
        widths = [max(len(row[column]) for row in rows) for column in range(3)] if rows else []
        for cause, count, effect, example in rows:
            yield f"  {cause:<{widths[0]}}  {count:>{widths[1]}}  {effect:<{widths[2]}}  {example}"
        for cause, found in cause_groups(graph.known).items():
            yield f"  known: {cause}, ops: {_count_ops(found)}. {found[0].reason}"
        for cause, found in cause_groups(graph.unstable).items():
            yield f"  differs from itself as well: {cause}, {_count_ops(found)} ops: {_example(found[0])}"

    def _difference_lines(self, difference: Difference) -> Iterator[str]:
        function = f", in the function {difference.function}" if difference.function else ""
        yield f"{difference.op.name} ({difference.op.type}){function}"
        found = self._difference(difference)
        lines = [found[side]["line"] for side in ("this", "other") if found[side]]
        yield from dict.fromkeys(short_place(line) for line in lines if line)
        yield f"{difference.cause}: {_example(difference)}"


def _may_change_numbers(differences: Sequence[Difference]) -> bool:
    return any(each.may_change_numbers for each in differences)


def _effect(differences: Sequence[Difference]) -> str:
    """Says whether differences of one cause can change numbers."""
    words = CAUSES[differences[0].cause]
    return words if _may_change_numbers(differences) or words.startswith("no") else "no"


def _count_ops(differences: Sequence[Difference]) -> int:
    return len({(each.function, each.op.name, each.this is None) for each in differences})


def _example(difference: Difference) -> str:
    """Returns what the two ops have, in short."""
    values = [_short(value) for value in difference.values]
    distance = _distance(*difference.values)
    if difference.cause == "only in one":
        return f"{difference.op.type} {difference.op.name}, only in {'this' if difference.this else 'other'}"
    named = {"inputs": "input %s: ", "seed": "%s ", "attributes": "%s: ", "shape": "output %s: "}
    prefix = named.get(difference.cause, "%s") % difference.what
    where = "" if difference.cause == "name" else f"{difference.op.name} "
    return f"{where}{prefix}{values[0]} | {values[1]}{distance}"


def _distance(one: Any, other: Any) -> str:
    """Returns a phrase on how far two constants differ, "" where they are not arrays of numbers of one shape."""
    if not all(
        isinstance(value, dict) and value.get("shape") == one["shape"] for value in (one, other)
    ):
        return ""
    try:
        ours, theirs = (np.asarray(value["values"], np.float64) for value in (one, other))
    except ValueError:  # texts
        return ""
    gap = np.abs(ours - theirs)
    if not gap.any() or not np.isfinite(gap).all():
        return ""
    where = gap.argmax()
    relative = gap[where] / max(np.abs(ours).max(), np.abs(theirs).max())
    return f" (at most {relative:.1e} apart, relative to the largest element: {ours[where]} | {theirs[where]})"


def _short(value: Any) -> str:
    if isinstance(value, dict) and "tensor" in value:
        shape = ", ".join(map(str, value["shape"] or []))
        values = ", ".join(map(str, value["values"][:4])) + (
            ", ..." if len(value["values"]) > 4 else ""
        )
        return f"{value['tensor']} [{shape}] {values}"
    if isinstance(value, list):
        return (
            "["
            + ", ".join("?" if each is None else _short(each) for each in value[:6])
            + (", ...]" if len(value) > 6 else "]")
        )
    text = "?" if value is None else str(value)
    return text if len(text) <= 80 else text[:77] + "..."


def short_place(line: Sequence[Any]) -> str:
    """Returns the file, number and text of a line; the file is relative to the current folder if it is in there."""
    relative = os.path.relpath(line[0])
    return f"{line[0] if relative.startswith(os.pardir) else relative}:{line[1]}: {line[2]}"

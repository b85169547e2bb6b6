"""Decides for each program of an upgrade whether it gets names of installed packages, or
TensorFlow 1.15 as a whole.
"""

from __future__ import annotations

import ast
import os
from typing import Iterable, Iterator, NamedTuple

from tf1grad.programs.names import provisions, tensorflow_rows
from tf1grad.programs.source import entry_points
from tf1grad.programs.source.program import Program
from tf1grad.programs.source.programs import Programs
from tf1grad.upgrade.edits import remedies
from tf1grad.upgrade.edits.remedies import NameUse
from tf1grad.upgrade.rules import engine

SHOWN = 5  # paths in a line


class ProcessDecision(NamedTuple):
    """The decision on files that share a process:
    `reasons` has the names of 1.15 alone, with their first places.
    """

    paths: list[str]  # of the files that no other one of them imports
    is_on_1_15: bool
    reasons: dict[str, str]


def needs_1_15(program: Program) -> bool:
    """Returns True for a file with the line, or with a name that only TensorFlow 1.15 has."""
    return entry_points.has_line(program) or any(_of_1_15_alone(program))


def kinds_of(programs: Programs) -> list[ProcessDecision]:
    """Returns the decisions: files that share a process have the same TensorFlow."""
    kinds: list[ProcessDecision] = []
    for group in programs.processes:
        reasons: dict[str, str] = {}
        for program in group:
            for use in _of_1_15_alone(program):
                reasons.setdefault(use.name, _place(use))
        imported = {other for program in group for _, other in programs.modules.imports(program)}
        started = [program for program in group if program not in imported] or group
        paths = [program.source.path for program in started]
        kinds.append(ProcessDecision(paths, group[0].is_on_1_15, reasons))
    return kinds


def _place(use: NameUse) -> str:
    """Returns the place of a use: the name of its file, the cell in a notebook, and the line."""
    source, line = use.program.source, use.node.lineno
    name = os.path.basename(source.path)
    cell, line = source.place(line)
    return f"{name}:{line}" if cell is None else f"{name}:cell {cell}:{line}"


def _of_1_15_alone(program: Program) -> Iterator[NameUse]:
    """Yields the uses of names that only TensorFlow 1.15 has;
    an import of a module counts where its names are used.
    """
    methods = {call.method for call in program.calls}
    for use in engine.name_uses(program):
        if use.is_import and provisions.is_module(use.name) and not _is_star(use.node):
            continue
        found = remedies.replacement_of(use)
        is_whole = use.name == "tensorflow.contrib" and not use.is_import
        # Text does not tell whose method it is: one of another class keeps 1.15 too, which is safe.
        changed = tensorflow_rows.CHANGED.get(use.name.partition(".")[2], ())
        if (
            is_whole
            or found is not None
            and found.kind == "original"
            or not methods.isdisjoint(changed)
        ):
            yield use


def _is_star(node: ast.AST) -> bool:
    return any(isinstance(inner, ast.alias) and inner.name == "*" for inner in ast.walk(node))


def describe_kinds(kinds: Iterable[ProcessDecision]) -> Iterator[str]:
    """Yields the lines that tell the user of which kind each program is, and for which names."""
    independent = [path for kind in kinds if not kind.is_on_1_15 for path in kind.paths]
    if independent:
        yield f"{_listed(independent)}: uses installed packages only"
    for kind in kinds:
        if kind.is_on_1_15:
            needed = "for these names" if kind.reasons else "and needs no name of it alone"
            yield f"{_listed(kind.paths)}: has TensorFlow 1.15 by `{provisions.LINE}`, {needed}"
            yield from _reasons(kind.reasons)


def _listed(paths: list[str]) -> str:
    others = len(paths) - SHOWN
    return ", ".join(paths[:SHOWN]) + (f" and {others} more" if others > 0 else "")


def _reasons(reasons: dict[str, str]) -> Iterator[str]:
    by_advice: dict[str, list[str]] = {}
    for name, place in reasons.items():
        by_advice.setdefault(provisions.without_1_15(name), []).append(
            f"tf{name[len(provisions.ROOT) :]} ({place})"
        )
    for advice, names in by_advice.items():
        yield f"  {', '.join(names)}. To do without: {advice}."

"""Follows the imports of a program to its files that were not given, and so were not upgraded."""

from __future__ import annotations

import os
from typing import Iterator, Sequence

import tf1grad
from tf1grad.programs.source import entry_points, files, python2_programs
from tf1grad.programs.source.local_modules import LocalModules
from tf1grad.programs.source.program import KnownNames, Program
from tf1grad.programs.source.programs import Programs
from tf1grad.upgrade import rules
from tf1grad.upgrade.rules import Finding
from tf1grad.upgrade.rules.other_libraries import old_messages

_OWN = os.path.join(os.path.dirname(os.path.realpath(tf1grad.__file__)), "")


def findings(programs: Sequence[Program]) -> Iterator[Finding]:
    """Yields a finding for each imported file that needs an upgrade,
    and is not among the programs.
    """
    modules = LocalModules(programs)
    seen: set[str] = set()
    todo = list(programs)
    for program in todo:  # it grows
        for node, path in modules.others(program):
            if path in seen or path.startswith(_OWN):
                continue
            seen.add(path)
            try:
                other = Program(files.read(path))
            except (files.SourceError, RecursionError):
                continue
            todo.append(other)
            why = _why(other)
            if why:
                message = f"It imports {_shown(path)}, which {why} and was not given."
                remedy = "Give all files of a program together."
                place = program.source.path
                yield rules.file_finding("TFG004", place, message, remedy, node.lineno)


def _shown(path: str) -> str:
    """Returns a path from the current folder; the whole one if that is on another drive."""
    try:
        return os.path.relpath(path)
    except ValueError:
        return path


def _why(program: Program) -> str | None:
    """Returns what shows that a file needs an upgrade, or None."""
    Programs([program], KnownNames())
    if any(old_messages.findings(program)):
        return "has messages that protobuf 4 refuses"
    if python2_programs.is_python_2(program):
        return "is Python 2"
    return "has names of TensorFlow 1" if entry_points.uses_tf1_names(program) else None

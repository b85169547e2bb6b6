"""Reads what a program declares that it needs; nothing of the program is imported or executed."""

from __future__ import annotations

import os
from typing import Callable, Iterable, Iterator, NamedTuple, Tuple

from packaging.requirements import Requirement

from tf1grad.programs.names import packages
from tf1grad.run.packages import (
    conda_files,
    declaring_files,
    declaring_tables,
    requirement_lines,
    setup_files,
)
from tf1grad.run.packages.declaring_files import CONDA, DeclaringFile
from tf1grad.run.packages.requirement_lines import RequirementLine

# A line, and whether it names a package of conda.
_Read = Tuple[RequirementLine, bool]


class Note(NamedTuple):
    """Describes what is not read as it is written:
    where it is and why, and the package, if it is one, as one word.
    """

    written: str
    why: str
    package: str
    is_left_out: bool

    def __str__(self) -> str:
        return f"{'left out: ' * self.is_left_out}{self.written}: {self.why}"


class Declared(NamedTuple):
    """Holds what a program declares: the requirements, one for each package,
    and what is known of these.

    `constraints` hold for packages that others need. `hashes` are by the normalized name, and so
    are `of_conda`: an environment.yml names these, and conda's may be others than those of the
    index. `notes` are about everything that is not read as it is written.
    """

    requirements: list[Requirement]
    constraints: list[Requirement]
    hashes: dict[str, list[str]]
    of_conda: set[str]
    notes: list[Note]


def read(texts: Iterable[DeclaringFile]) -> Declared:
    """Returns what the texts of `declaring_files` declare.

    Within a file all lines on a package count, and constraints too. Of two files that name it, the
    first that bounds it counts. Raises `sources.Failed` where something that reads a file has to be
    fetched, and is not.
    """
    requirements: dict[str, Requirement] = {}
    every = Declared([], [], {}, set(), [])
    for group in _groups(texts):
        found = _Group(group).read()
        for name, asked in found.joined().items():
            if name not in requirements and name in found.of_conda:
                every.of_conda.add(name)
            if name not in requirements or not requirements[name].specifier:
                requirements[name] = asked
                every.hashes[name] = found.hashes.get(name, [])
        every.constraints.extend(found.constraints)
        every.notes.extend(found.notes)
    return every._replace(requirements=list(requirements.values()))


def _groups(texts: Iterable[DeclaringFile]) -> list[list[DeclaringFile]]:
    """Returns each file with those that it includes, which follow it."""
    groups: list[list[DeclaringFile]] = []
    for text in texts:
        if text.is_included and groups:
            groups[-1].append(text)
        else:
            groups.append([text])
    return groups


class _Group:
    """Reads one file, and those that it includes."""

    def __init__(self, texts: list[DeclaringFile]) -> None:
        self._first = texts[0]
        self._texts = {text.place: text for text in texts}
        self._seen: set[tuple[str, bool]] = set()
        self._asked: list[Requirement] = []
        self.constraints: list[Requirement] = []
        self.hashes: dict[str, list[str]] = {}
        self.of_conda: set[str] = set()
        self.notes: list[Note] = []

    def read(self) -> _Group:
        self._read_text(self._first, is_constraint=False)
        return self

    def joined(self) -> dict[str, Requirement]:
        """Returns what is asked of each package: the bounds and the extras of all lines,
        and of the constraints.
        """
        found: dict[str, Requirement] = {}
        for each in self._asked:
            first = found.setdefault(packages.normalized(each.name), each)
            first.specifier &= each.specifier
            first.extras |= each.extras
        for each in self.constraints:
            name = packages.normalized(each.name)
            if name in found:
                found[name].specifier &= each.specifier
        return found

    def _read_text(self, text: DeclaringFile, is_constraint: bool) -> None:
        if (text.place, is_constraint) in self._seen:
            return
        self._seen.add((text.place, is_constraint))
        if text.problem:
            self._note(RequirementLine("", problem=text.problem), text.place)
            return
        for line, is_of_conda in _lines(text):
            read = line if line.problem else requirement_lines.read(line.text)
            self._take(read, text, is_constraint, is_of_conda)

    def _take(
        self, line: RequirementLine, text: DeclaringFile, is_constraint: bool, is_of_conda: bool
    ) -> None:
        named = line.includes or line.constrains
        if named:
            self._include(named, line, text, is_constraint or bool(line.constrains))
            return
        if line.problem:
            self._note(line, text.place)
        found = line.requirement
        if found is None or (found.marker and not found.marker.evaluate({"extra": ""})):
            return
        found.name = packages.package_of(found.name).name
        name = packages.normalized(found.name)
        if line.hashes:
            self.hashes.setdefault(name, []).extend(line.hashes)
        if is_constraint:
            self.constraints.append(found)
            return
        self._asked.append(found)
        if is_of_conda:
            self.of_conda.add(name)
        else:
            self.of_conda.discard(name)

    def _include(
        self, named: str, line: RequirementLine, text: DeclaringFile, is_constraint: bool
    ) -> None:
        other = self._texts.get(declaring_files.included_place(text.place, named))
        if other is None or other.problem:
            problem = other.problem if other else requirement_lines.NO_PACKAGE
            self._note(line._replace(problem=problem), text.place)
        else:
            self._read_text(other, is_constraint)

    def _note(self, line: RequirementLine, place: str) -> None:
        written = f"{line.text} ({place})" if line.text else place
        self.notes.append(Note(written, line.problem, line.what, line.requirement is None))


def _lines(text: DeclaringFile) -> Iterator[_Read]:
    name = os.path.basename(text.place)
    if name in CONDA:
        yield from conda_files.read(text.text)
    elif name in _READERS and not text.is_included:
        yield from ((line, False) for line in _READERS[name](text.text))
    elif name.endswith(".py"):
        yield from ((line, False) for line in declaring_tables.read_script(text.text))
    else:
        for each in requirement_lines.logical_lines(text.text):
            yield RequirementLine(each), False


_READERS: dict[str, Callable[[str], Iterator[RequirementLine]]] = {
    "setup.py": setup_files.read,
    "setup.cfg": declaring_tables.read_configuration,
    "pyproject.toml": declaring_tables.read_project,
    "Pipfile": declaring_tables.read_pipfile,
    "Pipfile.lock": declaring_tables.read_pipfile_lock,
}

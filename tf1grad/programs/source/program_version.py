"""Decides whether a program is Python 2: the one decision of `run`, `check` and `upgrade`.

Python 2 belongs to the program. A file that shows neither version has that of the files which it
imports, and without a sign there that of the files beside it. Where those show both, the program is
being ported: each file has what it shows itself, and one that shows nothing is Python 3.
"""

from __future__ import annotations

import ast
import functools
import os
import sys
from importlib.machinery import PathFinder
from typing import Callable, Iterable, Iterator, NamedTuple, Sequence, TypeVar

from tf1grad.programs.process import ownership
from tf1grad.programs.source import python2_marks, python2_syntax, python3_signs
from tf1grad.programs.source.files import imported_by
from tf1grad.programs.source.scopes import nodes_of

File = TypeVar("File")
MOST_FILES = 100  # beside a file, that are read
_SUFFIX, _PACKAGE = ".py", "__init__.py"


class Sign(NamedTuple):
    """Says what a file shows: a mark of Python 2, or signs of Python 3.

    A weak mark counts against no sign of Python 3. `is_only_3` stands for syntax, or a module, of
    Python 3 alone.
    """

    mark: str | None
    is_weak: bool
    is_3: bool
    is_only_3: bool


NOTHING = Sign(None, False, False, False)


def read_sign(tree: ast.Module, path: str) -> Sign:
    """Returns what the file at a path shows, which Python 3 can parse."""
    own = ModulesIn(os.path.dirname(os.path.abspath(path)))
    mark, is_weak = python2_marks.mark_and_weakness(tree, own)
    if mark is not None:
        return Sign(mark, is_weak, False, False)
    is_only_3 = python3_signs.has_only_sign(tree, own)
    return Sign(None, False, is_only_3 or python3_signs.has_sign(tree, own), is_only_3)


class ModulesIn:
    """Contains the names of the modules in a folder."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def __contains__(self, name: object) -> bool:
        return any(_files_of(self._folder, str(name)))


def sign_of_error(error: SyntaxError) -> Sign:
    """Returns what a file shows that Python 3 refuses with an error,
    and fissix reads as Python 2.
    """
    return Sign(f"line {error.lineno}: {error.msg}", False, False, False)


def mark_of(
    started: File,
    sign: Callable[[File], Sign],
    imported: Callable[[File], Iterable[File]],
    beside: Callable[[File], Iterable[File]],
) -> str | None:
    """Returns why a program that starts with a file is Python 2, as "line 3: xrange" or with a
    file; None if it is not.

    `imported` yields the files that a file imports, and `beside` those that belong to its program
    otherwise.
    """
    own = sign(started)
    if own.mark is not None or own.is_3:
        return own.mark
    for group in (_reached(started, imported), beside(started)):
        signs = [(file, sign(file)) for file in group if file != started]
        marked = [each for each in signs if each[1].mark is not None]
        strong = [each for each in marked if not each[1].is_weak]
        if any(each.is_only_3 for _, each in signs):
            return None
        if marked and not strong and any(each.is_3 for _, each in signs):
            return None
        for file, each in [*strong, *marked][:1]:
            return f"{name_of(file)}, {each.mark}"
    return None


def name_of(file: object) -> str:
    """Returns the name of a file, given as its path or as a `Program`."""
    return os.path.basename(getattr(getattr(file, "source", None), "path", str(file)))


def _reached(started: File, imported: Callable[[File], Iterable[File]]) -> list[File]:
    found = [started]
    for each in found:  # it grows
        found += [other for other in dict.fromkeys(imported(each)) if other not in found]
    return found


def mark_of_file(path: str) -> str | None:
    """Returns why the file at a path, or the program that it starts or belongs to,
    is Python 2; None if it is not.

    A file of an installed package is decided by itself. It is Python 2 as well if it imports a
    module beside it in its package as if that were on the path, where it is not.
    """
    own = _read(path)
    if ownership.package_of(path) is not None:
        return own.sign.mark or own.neighbour
    return mark_of(
        path, lambda file: _read(file).sign, lambda file: _read(file).imported, _beside
    ) or (None if own.sign.is_only_3 else own.neighbour)


def is_only_3(path: str) -> bool:
    """Says whether the file at a path, or a file of its installed package,
    has a sign that it never ran in Python 2.
    """
    package = ownership.package_of(path)
    return _read(path).sign.is_only_3 or package is not None and _is_package_of_3(package)


@functools.lru_cache(maxsize=None)
def _is_package_of_3(package: str) -> bool:
    """Says whether one of the files in the top folder of an installed package has such a sign."""
    files = _files_in(package) if os.path.isdir(package) else [package]
    return any(_read(file).sign.is_only_3 for file in files)


class _Read(NamedTuple):
    """Describes a file: `neighbour` is an import of a module beside it that only
    Python 2 finds, or None.
    """

    sign: Sign
    imported: Sequence[str]
    neighbour: str | None = None


@functools.lru_cache(maxsize=None)
def _read(path: str) -> _Read:
    try:
        with open(path, "rb") as file:
            return _read_text(file.read(), path)
    except OSError:
        return _Read(NOTHING, ())


def _read_text(source: bytes, path: str) -> _Read:
    if b"\0" in source:  # no version reads it, and fissix would
        return _Read(NOTHING, ())
    try:
        tree = python2_syntax.parse_with_old_names(source, path)
    except SyntaxError as error:
        # Its imports do not matter, since it shows its version itself.
        return _Read(
            sign_of_error(error) if python2_syntax.is_python_2(source, path) else NOTHING, ()
        )
    is_package = ownership.package_of(path) is not None
    # A package is decided file by file, whatever they import.
    imported = () if is_package else tuple(_imported(tree, path))
    return _Read(read_sign(tree, path), imported, _neighbour(tree, path, is_package))


def _neighbour(tree: ast.Module, path: str, is_package: bool) -> str | None:
    """Returns the first import in a package that names a module beside the file,
    where no other is found.
    """
    here = os.path.dirname(os.path.abspath(path))
    if not os.path.isfile(os.path.join(here, _PACKAGE)):
        return None
    # Importing a package executes no functions: one that serves its setup.py may name a file beside
    # it.
    guarded = python3_signs.ids_within(tree, (ast.Try, ast.FunctionDef) if is_package else ast.Try)
    for node in nodes_of(tree):
        for name in python3_signs.find_imported(node) if id(node) not in guarded else ():
            first = name.split(".")[0]
            is_beside = any(_files_of(here, first))
            if is_beside and first not in sys.modules and PathFinder.find_spec(first) is None:
                return f"line {getattr(node, 'lineno', 0)}: import {name}, which is beside it"
    return None


def _imported(tree: ast.Module, path: str) -> Iterator[str]:
    """Yields the user's files that a file imports, as Python 2 finds them:
    beside it, else on the path.
    """
    here = os.path.dirname(os.path.abspath(path))
    names = [each for node in nodes_of(tree) for each in imported_by(node)]
    for name, level in names:
        folder = here
        for _ in range(level - 1):
            folder = os.path.dirname(folder)
        for place in [folder] if level else [folder, *map(os.path.abspath, sys.path)]:
            files = list(_files_of(place, name))
            if files:
                yield from filter(_is_programs, files)
                break


def _files_of(folder: str, module: str) -> Iterator[str]:
    """Yields the files that an import of a dotted name executes in a folder."""
    parts = module.split(".")
    for end in range(1, len(parts) + 1):
        place = os.path.join(folder, *parts[:end])
        for file in (os.path.join(place, _PACKAGE), place + _SUFFIX):
            if os.path.isfile(file):
                yield file
                break


def _is_programs(file: str) -> bool:
    return ownership.package_of(file) is None and ownership.is_users_file(file)


def _beside(path: str) -> list[str]:
    """Returns the files in the folder of a file."""
    return _files_in(os.path.dirname(os.path.abspath(path)))


def _files_in(folder: str) -> list[str]:
    names = sorted(name for name in os.listdir(folder) if name.endswith(_SUFFIX))
    return [os.path.join(folder, name) for name in names[:MOST_FILES]]

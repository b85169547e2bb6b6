"""Reads the text of an installed package for signs of its time:
TensorFlow 2, and names that other libraries dropped.

A package is read without being parsed, and only its first files up to `LIMIT` bytes, those of outer
folders first, so that a package of any size takes a moment.
"""

from __future__ import annotations

import os
import pathlib
import re
from typing import Callable, Iterator, NamedTuple, Pattern, Sequence

from tf1grad.programs.names import other_libraries, version_names

LIMIT = 1_500_000
_SKIPPED = ("test", "tests", "testing", "examples", "docs", "__pycache__")
_PLAIN_IMPORT = re.compile(rb"^import tensorflow(?: as (\w+))?[ \t]*(?:#.*)?\r?$", re.M)
_IMPORTS = re.compile(rb"^[ \t]*(?:from|import)[ \t]+(?:tensorflow|keras)\b", re.M)
_FOR_1 = re.compile(
    rb"\bcompat\.v1\b|compat import v1\b|^(?:from|import) tensorflow\.contrib\b", re.M
)
_NEWER = re.compile(rb"\b(?:tf|tensorflow)\.__version__\W.*['\"]2\.[1-9]")
_ALIASES = {"np": "numpy", "plt": "matplotlib.pyplot", "sp": "scipy"}
_GUARD = re.compile(rb"\b(?:try|except\b.*|else|if\b.*):\s*$")


class Signs(NamedTuple):
    """Holds the result of reading a package."""

    uses_tensorflow: bool  # True if a file imports TensorFlow or Keras
    # True if most names are of version 2, or it compares its TensorFlow with 2.1 or newer.
    is_version_2: bool


def read_signs(path: str) -> Signs:
    """Returns the `Signs` of the package or module at `path`, a folder or a file."""
    users = [data for data in _texts(path) if _IMPORTS.search(data)]
    new = sum(_takes(data, version_names.is_new) for data in users)
    old = sum(bool(_FOR_1.search(data)) or _takes(data, version_names.is_old) for data in users)
    return Signs(bool(users), new > old or any(map(_NEWER.search, users)))


def has(path: str, patterns: Sequence[Pattern[bytes]]) -> list[bool]:
    """Says of each pattern whether a file of a package or module has it;
    the files are read once.
    """
    found = [False] * len(patterns)
    for text in _texts(path):
        found = [has or bool(each.search(text)) for has, each in zip(found, patterns)]
    return found


def find_dropped_names(path: str) -> list[str]:
    """Returns the names of Python and other libraries in a package that have a
    row in `names/`, sorted.
    """
    return sorted(set().union(*map(_dropped_in, _texts(path))))


def _texts(path: str) -> Iterator[bytes]:
    """Yields the contents of the source files of a package, up to `LIMIT` bytes in all."""
    size = 0
    for file in [path] if os.path.isfile(path) else _files(path):
        if size >= LIMIT:
            return
        try:
            with open(file, "rb") as opened:
                data = opened.read(LIMIT - size)
        except OSError:
            continue
        size += len(data)
        yield data


def _files(folder: str) -> list[str]:
    """Returns the source files below `folder`, those of outer folders first."""
    found: list[str] = []
    for path, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if "." not in name and name not in _SKIPPED]
        found += [os.path.join(path, name) for name in names if name.endswith(".py")]
    return sorted(found, key=lambda file: (file.count(os.sep), file))


def _takes(data: bytes, is_one: Callable[[str], bool]) -> bool:
    """Says whether a file takes a name for which `is_one` is true from a plain `import
    tensorflow`, without a guard.
    """
    for alias in set(_PLAIN_IMPORT.findall(data)):
        uses = re.finditer(rb"(?<![\w.])" + (alias or b"tensorflow") + rb"\.([\w.]+)", data)
        if any(
            is_one("tensorflow." + use.group(1).decode()) and not _is_guarded(data, use.start())
            for use in uses
        ):
            return True
    return False


_LOST = {row.old for row in other_libraries.select_rows("name")}
_GONE_MODULES = {
    row.old for row in other_libraries.select_rows("module") if row.since != "Python 3.0"
}
_FROM = re.compile(rb"^[ \t]*from ([\w.]+) import (\([^)]*\)|.*)", re.M)
_IMPORT = re.compile(rb"^[ \t]*import ([\w.]+)", re.M)
_DOTTED = re.compile(rb"(?<![\w.'\"])\w+(?:\.\w+)+")


def _dropped_in(data: bytes) -> set[str]:
    """Returns the dropped names that a file uses and does not guard by a `try` or an `if`."""
    modules = [(match.group(1).decode(), match.start()) for match in _IMPORT.finditer(data)]
    imported = {module for module, _ in modules}
    names = []
    for match in _DOTTED.finditer(data):
        root, *rest = match.group().decode().split(".")
        module = _ALIASES.get(root, root)
        for name in rest:
            if module in imported:
                names.append((f"{module}.{name}", match.start()))
            module += "." + name
    for match in _FROM.finditer(data):
        module = match.group(1).decode()
        modules.append((module, match.start()))
        for name in re.findall(r"\w+", match.group(2).decode("ascii", "ignore")):
            names.append((f"{module}.{name}", match.start()))
    used = [(module, place) for module, place in modules if module in _GONE_MODULES]
    used += [(name, place) for name, place in names if name in _LOST]
    return {name for name, place in used if not _is_guarded(data, place)}


def _is_guarded(data: bytes, position: int) -> bool:
    """Says whether the line before that of `position` begins a `try`,
    an `except` or a condition.
    """
    before, _, _ = data[:position].rpartition(b"\n")
    return bool(_GUARD.search(before.rpartition(b"\n")[2].rstrip()))


def text_in_file(*path: str) -> str:
    """Returns the text of a file; "" without one."""
    try:
        return pathlib.Path(*path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""

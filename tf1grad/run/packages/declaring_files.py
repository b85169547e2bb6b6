"""Finds the files in which a program declares what it needs.
Each start of `run` uses it: it imports little.
"""

from __future__ import annotations

import codecs
import contextlib
import os
import pathlib
import re
from typing import Iterable, Iterator, NamedTuple

CONDA = ("environment.yml", "environment.yaml")
NAMES = (
    "requirements.txt",
    "setup.py",
    "setup.cfg",
    "pyproject.toml",
    *CONDA,
    "Pipfile.lock",
    "Pipfile",
)
# What another file is named with: in requirements, below `pip:` of an environment.yml, in what a
# cell installs.
INCLUDES = re.compile(
    r"""^[ \t]*(?:-[ \t]+)?["']?(?:-r|--requirement|-c|--constraint)(?:[ \t]*=[ \t]*|[ \t]*)["']?([^\s"'#]+)""",
    re.M,
)
# A script's own metadata (PEP 723).
_SCRIPT = re.compile(r"^# /// script[ \t]*\n((?:#(?: .*)?\n)+?)# ///[ \t]*$", re.M)
_NOTEBOOK = ".ipynb"
_INSTALLS = re.compile(
    r"^\s*[!%]\s*(?:\S*python[\d.]*\s+-m\s+|\{sys\.executable\}\s+-m\s+)?pip3?\s+install\s+(.*)$",
    re.M,
)
# Options of `pip install` that take a value, and belong to what is installed.
_WITH_VALUE = (
    "-r",
    "--requirement",
    "-c",
    "--constraint",
    "-e",
    "--editable",
    "-i",
    "--index-url",
    "--extra-index-url",
    "-f",
    "--find-links",
)
_OTHER_WITH_VALUE = (
    "-t",
    "--target",
    "--prefix",
    "--root",
    "--trusted-host",
    "--timeout",
    "--proxy",
    "--cert",
    "--log",
)
_END_OF_COMMAND = re.compile(r"[;&|]+|\d?[<>].*")

MOST_BYTES = 10**6  # of a file that declares packages
_BYTE_ORDERS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_MISSING = "the file does not exist"
_UNREADABLE = "there is no permission to read it"
_OUTSIDE = "it is outside of {}"
_TOO_LARGE = "the file has {:.1f} MB"


class DeclaringFile(NamedTuple):
    """Holds the text of a file in which a program declares packages.

    `place` is its path from the folder that declares. `is_included` says that another one names it.
    `problem` says why it was not read, or is "".
    """

    place: str
    text: str
    is_included: bool = False
    problem: str = ""


def find_declaring_files(path: str) -> list[DeclaringFile]:
    """Returns the texts in which the program at `path`, a file or a folder, declares packages.

    They are in its folder, or in the nearest one around it: up to that of its git repository, or
    without one the folder above. A notebook also declares what its cells install, and a script what
    its metadata require.
    """
    folder = folder_of(path)
    top = _top(folder)
    own: list[DeclaringFile] = []
    if os.path.isfile(path):
        own = _with_included(folder, _of_file(path), top)
    for around in _folders_around(folder, top):
        found = [text for name in NAMES for text in _of_name(around, name, top)]
        if found:
            return own + found
    return own


def title_of(texts: Iterable[DeclaringFile]) -> str:
    """Returns the names of the files of texts, without those that another one includes."""
    return ", ".join(each.place for each in texts if not each.is_included)


def folder_of(path: str) -> str:
    """Returns the absolute path of the folder that `path` names, or that the file is in."""
    path = os.path.abspath(path)
    return path if os.path.isdir(path) else os.path.dirname(path)


def repository_of(folder: str) -> str | None:
    """Returns the folder of the git repository that `folder` is in, or None."""
    folder = os.path.abspath(folder)
    while not os.path.exists(os.path.join(folder, ".git")):
        if folder == os.path.dirname(folder):
            return None
        folder = os.path.dirname(folder)
    return folder


def _top(folder: str) -> str:
    """Returns the last folder that is looked at:
    that of the git repository, or without one the folder above.
    """
    return repository_of(folder) or os.path.dirname(folder)


def _folders_around(folder: str, top: str) -> Iterator[str]:
    yield folder
    while folder != top:
        folder = os.path.dirname(folder)
        yield folder


def _of_name(folder: str, name: str, top: str) -> list[DeclaringFile]:
    """Returns the text of a file, if there is one, and of those that it includes."""
    if not os.path.isfile(os.path.join(folder, name)):
        return []
    return _with_included(folder, _text(folder, name, top, is_included=False), top)


def _with_included(folder: str, first: DeclaringFile | None, top: str) -> list[DeclaringFile]:
    """Returns a text and the requirements that it includes, at every depth, each once."""
    found: dict[str, DeclaringFile] = {}
    todo = [first] if first else []
    while todo:
        text = todo.pop(0)
        found[text.place] = text
        if has_includes(text.place):
            for other in INCLUDES.findall(text.text):
                place = included_place(text.place, other)
                if place not in found and not any(each.place == place for each in todo):
                    todo.append(_text(folder, place, top, is_included=True))
    return list(found.values())


def has_includes(place: str) -> bool:
    """Says whether a file may include others: requirements and an environment.yml,
    but no program and no TOML.
    """
    name = os.path.basename(place)
    return name in ("requirements.txt", *CONDA) or not (name in NAMES or name.endswith(".py"))


def included_place(place: str, named: str) -> str:
    """Returns the place of a file that the one at `place` includes by this name."""
    return os.path.normpath(os.path.join(os.path.dirname(place), named))


def _text(folder: str, place: str, top: str, *, is_included: bool) -> DeclaringFile:
    path = os.path.join(folder, place)
    allowed = tuple(os.path.join(os.path.realpath(each), "") for each in (folder, top))
    problem, text = "", ""
    if not os.path.realpath(path).startswith(allowed):
        problem = _OUTSIDE.format(top)
    elif not os.path.isfile(path):
        problem = _MISSING
    elif not os.access(path, os.R_OK):
        problem = _UNREADABLE
    elif os.path.getsize(path) > MOST_BYTES:
        problem = _TOO_LARGE.format(os.path.getsize(path) / 1e6)
    else:
        text = decode_text(pathlib.Path(path).read_bytes())
    return DeclaringFile(place, text, is_included, problem)


def decode_text(data: bytes) -> str:
    """Returns the text of a file as pip decodes it:
    by its byte order mark, a coding line, else as UTF-8.
    """
    for mark, encoding in _BYTE_ORDERS.items():
        if data.startswith(mark):
            return data.decode(encoding, errors="replace")
    if b"\0" in data[:2]:  # UTF-16 without a mark
        return data.decode("utf-16-be" if data[:1] == b"\0" else "utf-16-le", errors="replace")
    for line in data.split(b"\n")[:2]:
        named = re.match(rb"[ \t]*#.*?coding[:=][ \t]*([-\w.]+)", line)
        if named:
            with contextlib.suppress(LookupError, UnicodeError):
                return data.decode(named.group(1).decode())
    return data.decode("utf-8", errors="replace")


def _of_file(path: str) -> DeclaringFile | None:
    """Returns what a notebook or a script declares itself, or None."""
    name = os.path.basename(path)
    if os.path.getsize(path) > MOST_BYTES * 100 or name in NAMES:
        return None
    if path.endswith(_NOTEBOOK):
        return DeclaringFile(name, _installs_of_notebook(pathlib.Path(path).read_bytes()))
    found = _SCRIPT.search(decode_text(pathlib.Path(path).read_bytes()).replace("\r\n", "\n"))
    if not found:
        return None
    lines = found.group(1).splitlines()
    return DeclaringFile(name, "\n".join(line[2:] for line in lines))


def _installs_of_notebook(data: bytes) -> str:
    """Returns what the cells of a notebook install with pip, as lines of requirements."""
    import json

    try:
        cells = json.loads(decode_text(data))["cells"]
        sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    except (ValueError, KeyError, TypeError, RecursionError):  # it is not a notebook
        return ""
    commands = [command for source in sources for command in _INSTALLS.findall(source)]
    return "\n".join(line for command in commands for line in _installed_by(command))


def _installed_by(command: str) -> Iterator[str]:
    """Yields the words behind `pip install` as lines of requirements."""
    import shlex

    lexer = shlex.shlex(command, posix=True, punctuation_chars=";&|")
    lexer.whitespace_split = True
    try:
        words = list(lexer)
    except ValueError:  # a quotation mark is missing
        words = command.split()
    waiting = iter(words)
    for word in waiting:
        if word in _WITH_VALUE:
            yield f"{word} {next(waiting, '')}"
        elif word in _OTHER_WITH_VALUE:
            next(waiting, "")
        elif _END_OF_COMMAND.fullmatch(word):
            return
        elif not word.startswith("-"):
            yield word

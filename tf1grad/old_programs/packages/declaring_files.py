"""Finds the files in which a program declares what it needs. Each start of `run` uses it: it imports little."""

from __future__ import annotations

import os
import pathlib
import re
from typing import Iterator, Tuple

CONDA = ("environment.yml", "environment.yaml")
NAMES = ("requirements.txt", "setup.py", "setup.cfg", "pyproject.toml", *CONDA, "Pipfile")
INCLUDED = re.compile(r"\s*(?:-r|--requirement)[ =]\s*([\w./-]+)\s*$", re.M)
_NOTEBOOK = ".ipynb"
_INSTALLS = re.compile(r"^\s*[!%]\s*pip3?\s+install\s+(.*)$", re.M)

# The name of a file and its text.
Text = Tuple[str, str]


def of_program(path: str) -> list[Text]:
    """Returns the texts in which the program at `path`, a file or a folder, declares packages.

    They are in its folder, or in the nearest one around it: up to that of its git repository, or without one the
    folder above. A notebook also declares what its cells install.
    """
    own = [_of_notebook(path)] if path.endswith(_NOTEBOOK) and os.path.isfile(path) else []
    for around in _folders_around(folder_of(path)):
        found = [text for name in NAMES for text in _with_included(around, name)]
        if found:
            return own + found
    return own


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


def _folders_around(folder: str) -> Iterator[str]:
    last = repository_of(folder) or os.path.dirname(folder)
    yield folder
    while folder != last:
        folder = os.path.dirname(folder)
        yield folder


def _with_included(folder: str, name: str) -> Iterator[Text]:
    """Yields the text of a file, if there is one, and of the requirements below its folder that it includes."""
    todo = [os.path.join(folder, name)]
    seen = set()
    while todo:
        path = todo.pop(0)
        if path in seen or not os.path.isfile(path):
            continue
        seen.add(path)
        text = pathlib.Path(path).read_text(encoding="utf-8", errors="replace")
        yield os.path.relpath(path, folder), text
        for other in INCLUDED.findall(text) if name == "requirements.txt" else ():
            included = os.path.normpath(os.path.join(os.path.dirname(path), other))
            if included.startswith(os.path.join(folder, "")):
                todo.append(included)


def _of_notebook(path: str) -> Text:
    """Returns what the cells of a notebook install with pip, as lines of requirements."""
    import json

    with open(path, encoding="utf-8", errors="replace") as file:
        try:
            cells = json.load(file).get("cells", [])
        except ValueError:
            cells = []
    lines = []
    for cell in cells:
        for words in _INSTALLS.findall("".join(cell.get("source", []))):
            named = words.replace("'", "").replace('"', "").split()
            lines += [word for word in named if not word.startswith("-")]
    return os.path.basename(path), "\n".join(lines)

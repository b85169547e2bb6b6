"""Searches a program's own tree for a module, before a package of the index is taken for it."""

from __future__ import annotations

import os
from typing import Iterator

from tf1grad.run.packages import declaring_files

MOST_FOLDERS = 20_000  # about a second
_NOT_OWN = ("node_modules", "site-packages", "__pycache__")
_OF_ENVIRONMENTS = ("pyvenv.cfg", "conda-meta")
_ENDS = (".py", ".pyx", ".so", ".pyd", ".ipynb")


def place_of(module: str, folder: str) -> str | None:
    """Returns the file or folder that is named as a module in the tree of the
    program in `folder`, or None.

    The tree is its git repository; without one it is the folder with all below, the folder around
    it, and what lies beside it. Hidden folders, environments and what is behind the first
    `MOST_FOLDERS` are left out. A name with hyphens, which no import finds, counts as one with
    underscores, unless another path has the name itself.
    """
    with_hyphens = None
    for path in paths(folder):
        if _is_module(path, module):
            if os.path.basename(path).partition(".")[0] == module:
                return path
            with_hyphens = with_hyphens or path
    return with_hyphens


def paths(folder: str) -> Iterator[str]:
    """Yields files and folders of the tree, the program's own folder first."""
    folder = os.path.abspath(folder)
    repository = declaring_files.repository_of(folder)
    above = os.path.dirname(folder)
    yield from (repository or above, above)
    for path in (folder, above):
        with_names = os.listdir(path) if os.path.isdir(path) else []
        yield from (os.path.join(path, name) for name in sorted(with_names))
    for number, (path, folders, names) in enumerate(os.walk(repository or folder)):
        if number > MOST_FOLDERS:
            return
        if any(each in folders or each in names for each in _OF_ENVIRONMENTS):
            folders.clear()
            continue
        folders[:] = sorted(each for each in folders if each[0] != "." and each not in _NOT_OWN)
        yield from (os.path.join(path, name) for name in (*folders, *names))


def _is_module(path: str, module: str) -> bool:
    name = os.path.basename(path)
    if name.partition(".")[0].replace("-", "_") != module:
        return False
    if os.path.isdir(path):
        return any(each.endswith(_ENDS) for each in os.listdir(path))
    return name.endswith(_ENDS)

"""Lets a program of Python 2 have modules with names that the standard library took in
Python 3, such as `queue.py`.

The program's import finds its own file, under another name. All others, such as `import Queue`,
find the standard library's.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from importlib.machinery import SourceFileLoader
from types import ModuleType

from tf1grad.programs.names.python_rows import PYTHON_3_MODULES
from tf1grad.programs.process import finder, patches

PREFIX = "tf1grad_own_"
_SINCE_2_7 = (
    "asyncio",
    "concurrent",
    "dataclasses",
    "enum",
    "graphlib",
    "pathlib",
    "secrets",
    "selectors",
    "statistics",
    "typing",
)
_OF_PYTHON_2 = ("urllib", "xml")
NAMES = {name.split(".")[0] for name in PYTHON_3_MODULES}.union(_SINCE_2_7) - set(_OF_PYTHON_2)


def keep_standard_library(folder: str) -> None:
    """Imports the standard library's modules that files in a program's folder would hide."""
    others = [place for place in sys.path if os.path.abspath(place) != os.path.abspath(folder)]
    for name in sorted(NAMES):
        if name not in sys.modules and _file_of(name, folder):
            with contextlib.suppress(ImportError), patches.temporarily(sys, "path", others):
                importlib.import_module(name)


def alias_of(name: str, folder: str) -> str:
    """Returns the name under which a module in a folder is imported:
    its own, or one that this room serves.
    """
    first = name.partition(".")[0]
    file = _file_of(first, folder) if first in NAMES and first == name else None
    if file is None:
        return name

    def execute(module: ModuleType) -> None:
        module.__file__ = file
        SourceFileLoader(module.__name__, file).exec_module(module)

    reason = "a module of the program has a name that the standard library took in Python 3"
    finder.serve([PREFIX + name], finder.Loader(execute), first=True, reason=reason)
    return PREFIX + name


def _file_of(name: str, folder: str) -> str | None:
    file = os.path.join(folder, name + ".py")
    return file if os.path.isfile(file) else None

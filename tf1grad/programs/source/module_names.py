"""Reads from the files of packages which names their modules have, without importing them.

So an answer depends on the files alone: an import can fail, and it can add names to the modules of
other packages.
"""

from __future__ import annotations

import ast
import functools
import importlib.machinery
import os
import pathlib
import sys
from typing import FrozenSet, NamedTuple, Sequence, Tuple

from tf1grad.programs.source import python2_syntax

Asked = FrozenSet[Tuple[str, str]]  # (module, name), to end circles of imports
# The packages whose files are in another folder; setuptools provides what Python 3.12 dropped.
FOLDERS = {"tensorflow": "tensorflow_core", "distutils": os.path.join("setuptools", "_distutils")}
INTERNAL = "__internal__"  # a package of Keras 2; other names with two underscores are those of every module


class Bindings(NamedTuple):
    """Holds what the statements of a module bind;
    `is_readable` is False where they are not valid Python.
    """

    # name -> the dotted name that it is imported from, None if made here.
    names: dict[str, str | None]
    stars: list[str]  # the modules of `from module import *`
    is_readable: bool = True


class ModuleNames:
    """Answers `has(name)` for the packages in the folders `path`, those of `sys.path` by default.

    Threads may not share it.
    """

    def __init__(self, path: Sequence[str] | None = None) -> None:
        self._path = sys.path if path is None else path
        # Each answer is computed once.
        self.file_of = functools.lru_cache(maxsize=None)(self._file_of)
        self.bindings_of = functools.lru_cache(maxsize=None)(self._bindings_of)

    def has(self, name: str) -> bool | None:
        """Says whether a dotted name exists; None without its package,
        and where a module makes its names as it runs.

        Attributes of functions, classes and values are not looked at: they exist.
        """
        module, *parts = name.split(".")
        return self._has(module, parts, frozenset())

    def _has(self, module: str, parts: list[str], asked: Asked) -> bool | None:
        file = self.file_of(module)
        if file is None:
            return None
        if not parts or (parts[0].startswith("__") and parts[0] != INTERNAL):
            return True
        if (module, parts[0]) in asked:
            return False
        asked |= {(module, parts[0])}
        names, stars, _ = self.bindings_of(module)
        submodule = f"{module}.{parts[0]}"
        answers: list[bool | None] = []
        if parts[0] in names:
            answers.append(self._follow(names[parts[0]], parts[1:], asked))
        if self.file_of(submodule) is not None:
            answers.append(self._has(submodule, parts[1:], asked))
        if not answers:
            # `import *` takes no names that users know from a compiled module.
            written = [star for star in stars if (self.file_of(star) or ".py").endswith(".py")]
            answers = [self._has(star, parts, asked) for star in written]
            if self._makes_names(module):
                answers.append(None)
        if True in answers:
            return True
        return None if None in answers else False

    def _follow(self, origin: str | None, parts: list[str], asked: Asked) -> bool | None:
        """Answers for `parts` of what a statement binds; an import is taken to succeed."""
        if origin is None or not parts:
            return True
        if self.file_of(origin) is not None:
            return self._has(origin, parts, asked)
        module, _, name = origin.rpartition(".")
        return self._has(module, [name, *parts], asked) if module else None

    def _makes_names(self, module: str) -> bool:
        """Says whether a module may have names that its statements do not show, or are not here."""
        file = self.file_of(module) or ""
        is_here = file.endswith(".py") and os.path.exists(file)
        if not is_here or file.endswith("_pb2.py"):
            return True
        names, _, is_readable = self.bindings_of(module)
        return not is_readable or "__getattr__" in names

    def _file_of(self, module: str) -> str | None:
        """Returns the path of a module's file, `__init__.py` for a package, or None."""
        parent, _, name = module.rpartition(".")
        if parent:
            file = self.file_of(parent)
            return _file_in(os.path.dirname(file), name) if file and _is_package(file) else None
        names = (FOLDERS.get(module, module), module)
        places = (_file_in(folder, name) for name in names for folder in self._path)
        return next(filter(None, places), None)

    def _bindings_of(self, module: str) -> Bindings:
        """Returns what the statements of a module bind,
        wherever they stand outside of functions and classes.
        """
        file = self.file_of(module)
        if file is None or not file.endswith(".py") or not os.path.exists(file):
            return Bindings({}, [])
        try:
            tree = python2_syntax.parse_python3(pathlib.Path(file).read_bytes(), file)
        except (SyntaxError, ValueError, RecursionError, MemoryError):  # such as null bytes
            return Bindings({}, [], is_readable=False)
        bindings = Bindings({}, [])
        package = module if _is_package(file) else module.rpartition(".")[0]
        _bind(tree, package, bindings)
        return bindings


def _is_package(file: str) -> bool:
    return os.path.basename(file) == "__init__.py"


def _file_in(folder: str, name: str) -> str | None:
    """Returns the file of the module `name` in a folder;
    `find_spec` would need the package around it imported.
    """
    place = os.path.join(folder, name)
    package = os.path.join(place, "__init__.py")
    for file in [package, *(place + ending for ending in importlib.machinery.all_suffixes())]:
        if os.path.isfile(file):
            return file
    return package if os.path.isdir(place) else None


def _bind(tree: ast.AST, package: str, bindings: Bindings) -> None:
    """Adds what the nodes of a tree bind, in their order;
    a tree may be deeper than functions may call each other.
    """
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            bindings.names[node.name] = None
        elif isinstance(node, ast.Import):
            for alias in node.names:
                bound = alias.asname or alias.name.split(".")[0]
                bindings.names[bound] = alias.name if alias.asname else bound
        elif isinstance(node, ast.ImportFrom):
            _bind_from(node, package, bindings)
        elif isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Store):
                bindings.names.setdefault(node.id, None)
            elif isinstance(node.ctx, ast.Del):
                bindings.names.pop(node.id, None)
        elif not isinstance(node, (ast.comprehension, ast.BinOp)):
            # Names of a comprehension stay inside.
            waiting += reversed(list(ast.iter_child_nodes(node)))


def _bind_from(statement: ast.ImportFrom, package: str, bindings: Bindings) -> None:
    module = statement.module or ""
    if statement.level:
        parents = package.split(".")
        parents = parents[: len(parents) - statement.level + 1]
        module = ".".join([*parents, module]).rstrip(".")
    for alias in statement.names:
        if alias.name == "*":
            bindings.stars.append(module)
        else:
            bindings.names[alias.asname or alias.name] = f"{module}.{alias.name}"

"""Reads from the files of packages which names their modules have, without importing them.

So an answer depends on the files alone: an import can fail, and it can add names to the modules of other packages.
"""

import ast
import importlib.machinery
import os
from typing import Dict, FrozenSet, List, NamedTuple, Optional, Sequence, Tuple

from tf1grad.old_programs.source.scopes import dotted

Asked = FrozenSet[Tuple[str, str]]  # (module, name), to end circles of imports
# The packages whose files are in another folder.
FOLDERS = {"tensorflow": "tensorflow_core"}


class Bindings(NamedTuple):
    """Holds what the statements of a module bind."""

    # name -> the dotted name that it is imported from, None if made here.
    names: Dict[str, Optional[str]]
    stars: List[str]  # the modules of `from module import *`


class ModuleNames:
    """Answers `has(name)` for the packages in the folders `path`, those of `sys.path` by default.

    Threads may not share it.
    """

    def __init__(self, path: Optional[Sequence[str]] = None) -> None:
        self._path = None if path is None else list(path)
        self._files: Dict[str, Optional[str]] = {}
        self._bindings: Dict[str, Bindings] = {}

    def has(self, name: str) -> Optional[bool]:
        """Says whether a dotted name exists; None without its package, and where a module makes its names as it runs.

        Attributes of functions, classes and values are not looked at: they exist.
        """
        module, *parts = name.split(".")
        return self._has(module, parts, frozenset())

    def file_of(self, module: str) -> Optional[str]:
        """Returns the path of a module's file, `__init__.py` for a package, or None."""
        if module not in self._files:
            self._files[module] = self._find(module)
        return self._files[module]

    def bindings_of(self, module: str) -> Bindings:
        """Returns what the statements of a module bind, wherever they stand outside of functions and classes."""
        if module not in self._bindings:
            self._bindings[module] = self._read(module)
        return self._bindings[module]

    def _has(self, module: str, parts: List[str], asked: Asked) -> Optional[bool]:
        file = self.file_of(module)
        if file is None:
            return None
        if not parts or parts[0].startswith("__"):
            return True
        if (module, parts[0]) in asked:
            return False
        asked |= {(module, parts[0])}
        bound = self.bindings_of(module)
        if parts[0] in bound.names:
            origin = bound.names[parts[0]]
            return True if origin is None else self._follow(origin, parts[1:], asked)
        submodule = f"{module}.{parts[0]}"
        if self.file_of(submodule) is not None:
            return self._has(submodule, parts[1:], asked)
        answers = [
            self._has(star, parts, asked) for star in bound.stars if not self._is_compiled(star)
        ]
        if True in answers:
            return True
        return None if None in answers or _makes_names(file, bound) else False

    def _follow(self, origin: str, parts: List[str], asked: Asked) -> Optional[bool]:
        """Answers for `parts` of what an import statement binds; the import itself is taken to succeed."""
        if not parts:
            return True
        if self.file_of(origin) is not None:
            return self._has(origin, parts, asked)
        module, _, name = origin.rpartition(".")
        return self._has(module, [name, *parts], asked) if module else None

    def _is_compiled(self, module: str) -> bool:
        """Says whether a module is compiled: `import *` takes no names from it that users know."""
        file = self.file_of(module)
        return file is not None and not file.endswith(".py")

    def _find(self, module: str) -> Optional[str]:
        parent, _, _ = module.rpartition(".")
        if parent:
            file = self.file_of(parent)
            if file is None or not _is_package(file):
                return None
            return _file_in(module, [os.path.dirname(file)])
        return _file_in(FOLDERS.get(module, module), self._path) or _file_in(module, self._path)

    def _read(self, module: str) -> Bindings:
        bindings = Bindings({}, [])
        file = self.file_of(module)
        if file is None or not file.endswith(".py") or not os.path.exists(file):
            return bindings
        with open(file, "rb") as opened:
            tree = ast.parse(opened.read())
        package = module if _is_package(file) else module.rpartition(".")[0]
        _bind(tree.body, package, bindings)
        return bindings


def _is_package(file: str) -> bool:
    return os.path.basename(file) == "__init__.py"


def _file_in(module: str, folders: Optional[List[str]]) -> Optional[str]:
    found = importlib.machinery.PathFinder.find_spec(module, folders)
    if found is None:
        return None
    if found.origin is None or found.origin == "namespace":  # a folder without __init__.py
        return os.path.join(list(found.submodule_search_locations or ())[0], "__init__.py")
    return found.origin


def _makes_names(file: str, bound: Bindings) -> bool:
    """Says whether a module may have names that its statements do not show."""
    return not file.endswith(".py") or file.endswith("_pb2.py") or "__getattr__" in bound.names


def _bind(statements: Sequence[ast.AST], package: str, bindings: Bindings) -> None:
    for statement in statements:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            bindings.names[statement.name] = None
        elif isinstance(statement, ast.Import):
            for alias in statement.names:
                bound = alias.asname or alias.name.split(".")[0]
                bindings.names[bound] = alias.name if alias.asname else bound
        elif isinstance(statement, ast.ImportFrom):
            _bind_from(statement, package, bindings)
        elif isinstance(statement, ast.Delete):
            for target in statement.targets:
                bindings.names.pop(dotted(target) or "", None)
        else:
            for name in _assigned(statement):
                bindings.names.setdefault(name, None)
            for block in ("body", "handlers", "orelse", "finalbody"):
                _bind(getattr(statement, block, ()), package, bindings)


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


def _assigned(statement: ast.AST) -> List[str]:
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, (ast.AnnAssign, ast.AugAssign, ast.For)):
        targets = [statement.target]
    else:
        return []
    nodes = [node for target in targets for node in ast.walk(target)]
    return [node.id for node in nodes if isinstance(node, ast.Name)]

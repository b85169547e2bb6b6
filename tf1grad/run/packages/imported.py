"""Finds the modules that a program imports and that nothing installed or declared brings.
Nothing is imported.
"""

from __future__ import annotations

import ast
import importlib.util
import os
import sys
from typing import Iterable, Iterator, NamedTuple

from tf1grad.programs._errors import UsageError
from tf1grad.programs.names import known_modules, other_libraries, packages
from tf1grad.programs.source import files
from tf1grad.programs.source.module_names import ModuleNames
from tf1grad.run.packages import own_tree
from tf1grad.run.packages.declaring_files import folder_of

# The program itself, what TensorFlow and the period layer bring, and tf1grad.
BROUGHT = frozenset(
    {
        "__main__",
        "google",
        "pkg_resources",
        "tensorflow",
        "tensorflow_core",
        "tf1grad",
        *(package.replace("-", "_") for package in packages.IN_LAYER),
    }
)
# Python 2's modules, which `run` serves.
_GONE = {
    row.old.partition(".")[0]
    for row in other_libraries.select_rows("module")
    if other_libraries.library_of(row) == "Python"
}


class MissingModule(NamedTuple):
    """Describes a missing module, the line that first imports it,
    and its package if that is known.
    """

    module: str
    path: str
    line: int
    package: str | None

    def place(self, folder: str | None = None) -> str:
        """Returns the file, as seen from a folder or the current one, and the line."""
        return f"{os.path.relpath(self.path, folder)}, line {self.line}"


def find_missing(path: str, brought: set[str]) -> Iterator[MissingModule]:
    """Yields each missing module that the program at `path` imports once;
    `brought` are modules of its packages.
    """
    folder = folder_of(path)
    try:
        sources = files.python_files([path])
    except UsageError:  # a folder without a Python file
        return
    known = {*brought, *BROUGHT, *_GONE, *sys.builtin_module_names, *sys.stdlib_module_names}
    for file in sources:
        inside = os.path.relpath(os.path.abspath(file), folder).split(os.sep)
        known.update(os.path.splitext(part)[0] for part in inside)
    known.update(os.path.splitext(name)[0] for name in os.listdir(folder))
    installed = ModuleNames()
    for file in sources:
        for module, line in _modules(file):
            if module not in known and installed.file_of(module) is None:
                known.add(module)
                if is_found(module) or own_tree.place_of(module, folder):
                    continue
                yield MissingModule(module, file, line, known_modules.package_of_module(module))


def is_found(module: str) -> bool:
    """Says whether an import would find a module, without importing it.

    Finders of editable installs are asked, too.
    """
    return module in sys.modules or importlib.util.find_spec(module) is not None


def _modules(file: str) -> Iterator[tuple[str, int]]:
    """Yields the first part of each module that a file imports outside
    of a `try`, with the line.
    """
    try:
        tree = files.read(file).tree
    except (files.SourceError, OSError):
        return
    guarded = lines_of_guarded_imports(tree)
    for node, module in modules_of_imports(ast.walk(tree)):
        if node.lineno not in guarded:
            yield module, node.lineno


def modules_of_imports(nodes: Iterable[ast.AST]) -> Iterator[tuple[ast.stmt, str]]:
    """Yields each import statement among nodes, with the first part of each module that it names.

    A relative import names none.
    """
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from ((node, alias.name.partition(".")[0]) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node, node.module.partition(".")[0]


def lines_of_guarded_imports(tree: ast.AST) -> set[int]:
    """Returns the lines of the imports in a `try`: the program can do without them."""
    tries = [node for node in ast.walk(tree) if isinstance(node, ast.Try)]
    return {
        getattr(node, "lineno", 0)
        for each in tries
        for node in ast.walk(each)
        if isinstance(node, (ast.Import, ast.ImportFrom)) or _imports_by_name(node)
    }


def _imports_by_name(node: ast.AST) -> bool:
    """Says whether a node is a call of `__import__` or `importlib.import_module`."""
    function = getattr(node, "func", None)
    name = getattr(function, "attr", getattr(function, "id", None))
    return name in ("__import__", "import_module")

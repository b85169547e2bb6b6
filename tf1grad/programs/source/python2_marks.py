"""Detects that a module which Python 3 can parse is written for Python 2,
by the names that it uses.

A mark decides how a whole file divides, so only a name that Python 3 cannot execute is one. A name
in a `try`, or below a test of the version, is not a mark: such a file serves both. Weak marks, such
as `unicode`, count if the file has no sign of Python 3 (`python3_signs`). `iteritems` does not
count beside pandas, whose objects had it too.
"""

from __future__ import annotations

import ast
import re
from importlib.machinery import PathFinder
from typing import Container

from tf1grad.programs.names.python_rows import MARKS, ROWS, WEAK_MARKS
from tf1grad.programs.names.rows import last_name
from tf1grad.programs.source import python3_signs
from tf1grad.programs.source.python3_signs import VERSIONS
from tf1grad.programs.source.scopes import bound_names, nodes_of

_ALL = MARKS | WEAK_MARKS
FUNCTIONS = {row.old for row in ROWS if row.kind == "builtin" and row.old in _ALL}
MODULES = {row.old for row in ROWS if row.kind == "module" and row.old in MARKS}
METHODS = {
    last_name(row): row.arguments for row in ROWS if row.kind == "method" and row.old in _ALL
}
_WEAK = {name.rpartition(".")[2] for name in WEAK_MARKS}
# One of these is in each text with a mark.
WORDS = re.compile(
    r"\b(?:{})\b".format("|".join(sorted({last_name(row) for row in ROWS if row.old in _ALL})))
)


def find_python2_mark(tree: ast.Module) -> str | None:
    """Returns the first mark in a module, such as "line 3: xrange"; None without a mark."""
    return mark_and_weakness(tree)[0]


def mark_and_weakness(tree: ast.Module, own: Container[str] = ()) -> tuple[str | None, bool]:
    """Returns the first mark in a module or None, and whether all its marks are weak.

    `own` are names of modules that the program has itself.
    """
    if not any(map(_may_be_mark, nodes_of(tree))):  # as in most modules
        return None, False
    found: list[tuple[int, str]] = []
    bound = bound_names(tree)
    _Marks(bound | FUNCTIONS if "*" in bound else bound, found).visit(tree)
    is_weak = all(mark in _WEAK for _, mark in found)
    if not found or is_weak and _is_doubtful(tree, found, own):
        return None, False
    line, mark = min(found)
    return f"line {line}: {mark}", is_weak


def _may_be_mark(node: ast.AST) -> bool:
    if isinstance(node, ast.Name):
        return node.id in FUNCTIONS
    if isinstance(node, ast.Attribute):
        return node.attr in METHODS
    return not MODULES.isdisjoint(python3_signs.find_imported(node))


def _is_doubtful(tree: ast.Module, found: list[tuple[int, str]], own: Container[str]) -> bool:
    """Says whether a file with weak marks alone may be for Python 3."""
    has_pandas = any(
        name.split(".")[0] == "pandas"
        for node in nodes_of(tree)
        for name in python3_signs.find_imported(node)
    )
    return (
        python3_signs.has_sign(tree, own)
        or has_pandas
        and all(mark in METHODS for _, mark in found)
    )


class _Marks(ast.NodeVisitor):
    def __init__(self, bound: set[str], found: list[tuple[int, str]]) -> None:
        self._bound, self._found = bound, found

    def visit_Try(self, node: ast.Try) -> None:
        """Skips a `try`: the program expects it to fail."""

    def visit_If(self, node: ast.If | ast.IfExp) -> None:
        if not any(python3_signs.name_of(part) in VERSIONS for part in ast.walk(node.test)):
            self.generic_visit(node)

    visit_IfExp = visit_If

    def visit_Name(self, node: ast.Name) -> None:
        if node.id in FUNCTIONS and node.id not in self._bound:
            self._found.append((node.lineno, node.id))

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        # The program may have its own.
        self._found.extend(
            (node.lineno, "import " + name)
            for name in python3_signs.find_imported(node)
            if name in MODULES and PathFinder.find_spec(name) is None
        )

    visit_ImportFrom = visit_Import

    def visit_Call(self, node: ast.Call) -> None:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else None
        if name in METHODS and name not in self._bound and len(node.args) == METHODS[name]:
            self._found.append((node.lineno, name))
        self.generic_visit(node)

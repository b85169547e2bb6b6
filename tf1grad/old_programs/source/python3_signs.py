"""Detects that a module is written for Python 3 too: by its syntax, its imports, or tests of the version."""

from __future__ import annotations

import ast

from tf1grad.old_programs.names.python_rows import MARKS, PYTHON_3_MODULES

VERSIONS = ("version", "version_info", "PY2", "PY3", "python_version", "hexversion")
# Packages that give both versions the same names.
_BRIDGES = frozenset("six future past builtins typing pathlib asyncio".split())
# Python 2 had these as lists.
_LISTS = frozenset("range map filter zip keys values items".split())


def has_sign(tree: ast.Module) -> bool:
    """Says whether a module shows that it was written, or changed, for Python 3."""
    prints = any(
        isinstance(node, ast.ImportFrom)
        and node.module == "__future__"
        and any(alias.name == "print_function" for alias in node.names)
        for node in tree.body
    )
    return any(
        _is_sign(node) or not prints and _prints_as_function(node) for node in ast.walk(tree)
    )


def _is_sign(node: ast.AST) -> bool:
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return any(
            name.split(".")[0] in _BRIDGES or name in PYTHON_3_MODULES for name in imported(node)
        )
    if isinstance(node, ast.Try):
        return _is_guard(node)
    if isinstance(node, ast.Call):
        return _is_list_of_list(node)
    return (
        isinstance(node, (ast.JoinedStr, ast.AnnAssign))
        or isinstance(node, ast.arg)
        and node.annotation is not None
        or name_of(node) in VERSIONS
    )


def _prints_as_function(node: ast.AST) -> bool:
    """Says whether a call prints several values, or with a keyword: Python 2 prints a tuple, or cannot read it."""
    return (
        isinstance(node, ast.Call)
        and name_of(node.func) == "print"
        and (len(node.args) > 1 or bool(node.keywords))
    )


def name_of(node: ast.AST) -> str:
    """Returns the last part of a name or an attribute; "" for anything else."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _is_list_of_list(call: ast.Call) -> bool:
    """Recognizes a list that is made of what was one in Python 2, and `super()`."""
    if call.args and isinstance(call.args[0], ast.Call):
        return name_of(call.func) == "list" and name_of(call.args[0].func) in _LISTS
    return name_of(call.func) == "super" and not call.args


def _is_guard(node: ast.Try) -> bool:
    """Recognizes a `try` for a NameError, or around an import of a module that only one of the versions has."""
    caught = [part for handler in node.handlers if handler.type for part in ast.walk(handler.type)]
    return any(name_of(part) == "NameError" for part in caught) or any(
        set(imported(part)) & (MARKS | PYTHON_3_MODULES) for part in ast.walk(node)
    )


def imported(node: ast.AST) -> tuple[str, ...]:
    """Returns the names of the modules that a statement imports; none for a relative import."""
    if isinstance(node, ast.ImportFrom):
        return () if node.level else (str(node.module),)
    return tuple(alias.name for alias in node.names) if isinstance(node, ast.Import) else ()

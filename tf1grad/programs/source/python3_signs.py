"""Detects that a module is written for Python 3 too:
by its syntax, its imports, or tests of the version.
"""

from __future__ import annotations

import ast
from typing import Container

from tf1grad.programs.names.python_rows import MARKS, PYTHON_3_MODULES
from tf1grad.programs.source.scopes import nodes_of

VERSIONS = ("version", "version_info", "PY2", "PY3", "python_version", "hexversion")
# Packages that give both versions the same names.
_BRIDGES = frozenset({"six", "future", "past", "builtins", "typing", "pathlib", "asyncio"})
_SYNTAX = (
    ast.AnnAssign,
    ast.AsyncFunctionDef,
    ast.JoinedStr,
    ast.MatMult,
    ast.Nonlocal,
    ast.YieldFrom,
)
# Python 2 had these as lists.
_LISTS = frozenset({"range", "map", "filter", "zip", "keys", "values", "items"})


def has_sign(tree: ast.Module, own: Container[str] = ()) -> bool:
    """Says whether a module shows that it was written, or changed, for Python 3.

    `own` are names of modules that the program has itself, such as a `queue.py`.
    """
    prints = prints_by_function(tree)
    return any(
        _is_sign(node, own) or not prints and _prints_as_function(node) for node in nodes_of(tree)
    )


def has_only_sign(tree: ast.Module, own: Container[str] = ()) -> bool:
    """Says whether a module has a sign that it never ran in Python 2:
    syntax, or a module, of Python 3 alone.
    """
    prints = prints_by_function(tree)
    guarded = ids_within(tree, ast.Try)  # a program may ask there for a module of another version
    names = {name for node in nodes_of(tree) for name in find_imported(node)}
    is_bridged = any(name.split(".")[0] in _BRIDGES for name in names)
    return any(
        _is_only_sign(node)
        or not prints
        and _prints_with_keyword(node)
        or not is_bridged
        and _is_bare_super(node)
        or isinstance(node, (ast.Import, ast.ImportFrom))
        and id(node) not in guarded
        and any(_is_of_3(name, own) for name in find_imported(node))
        for node in nodes_of(tree)
    )


def ids_within(tree: ast.Module, kinds: type | tuple[type, ...]) -> set[int]:
    """Returns the ids of the nodes inside statements of some kinds,
    and of these statements themselves.
    """
    outer = [node for node in nodes_of(tree) if isinstance(node, kinds)]
    return {id(part) for node in outer for part in ast.walk(node)}


def prints_by_function(tree: ast.Module) -> bool:
    """Says whether a module imports `print_function`."""
    return any(
        isinstance(node, ast.ImportFrom)
        and node.module == "__future__"
        and any(alias.name == "print_function" for alias in node.names)
        for node in tree.body
    )


def _is_of_3(module: str, own: Container[str]) -> bool:
    return module in PYTHON_3_MODULES and module.split(".")[0] not in own


def _is_only_sign(node: ast.AST) -> bool:
    """Recognizes syntax that Python 2 does not have."""
    if isinstance(node, ast.ImportFrom) and node.module == "__future__":
        return any(alias.name == "annotations" for alias in node.names)
    if isinstance(node, ast.arguments):
        return bool(node.kwonlyargs)
    if isinstance(node, ast.arg):
        return node.annotation is not None
    if isinstance(node, ast.FunctionDef):
        return node.returns is not None
    if isinstance(node, ast.ClassDef):
        return bool(node.keywords)
    if isinstance(node, ast.Raise):
        return node.cause is not None
    return isinstance(node, _SYNTAX)


def _is_sign(node: ast.AST, own: Container[str]) -> bool:
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return any(
            name.split(".")[0] in _BRIDGES or _is_of_3(name, own) for name in find_imported(node)
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


def _prints_with_keyword(node: ast.AST) -> bool:
    is_print = isinstance(node, ast.Call) and name_of(node.func) == "print"
    return is_print and bool(getattr(node, "keywords", ()))


def _is_bare_super(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and name_of(node.func) == "super" and not node.args


def _prints_as_function(node: ast.AST) -> bool:
    """Says whether a call prints several values, or with a keyword:
    Python 2 prints a tuple, or cannot read it.
    """
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
    return _is_bare_super(call)


def _is_guard(node: ast.Try) -> bool:
    """Recognizes a `try` for a NameError, or around an import of a module that only
    one of the versions has.
    """
    caught = [part for handler in node.handlers if handler.type for part in ast.walk(handler.type)]
    return any(name_of(part) == "NameError" for part in caught) or any(
        set(find_imported(part)) & (MARKS | PYTHON_3_MODULES) for part in ast.walk(node)
    )


def find_imported(node: ast.AST) -> tuple[str, ...]:
    """Returns the names of the modules that a statement imports; none for a relative import."""
    if isinstance(node, ast.ImportFrom):
        return () if node.level else (str(node.module),)
    return tuple(alias.name for alias in node.names) if isinstance(node, ast.Import) else ()

"""Detects that a module is written for Python 3 too: by its syntax, its imports, or tests of the version."""

import ast
from typing import Callable, Dict, Tuple, Type

from tf1grad.old_programs.names.python_rows import MARKS, PYTHON_3_MODULES

VERSIONS = ("version", "version_info", "PY2", "PY3", "python_version", "hexversion")
# Packages that give both versions the same names.
_BRIDGES = frozenset("six future past builtins typing pathlib asyncio".split())
# Python 2 had these as lists.
_LISTS = frozenset("range map filter zip keys values items".split())


def has_sign(tree: ast.Module) -> bool:
    """Says whether a module shows that it was written, or changed, for Python 3."""
    prints = _imports_print(tree)
    for node in ast.walk(tree):
        if isinstance(node, _SYNTAX):
            return True
        if isinstance(node, ast.Call) and not prints and _prints_as_function(node):
            return True
        field = _FIELDS.get(type(node))
        if field is not None and getattr(node, field):
            return True
        test = _TESTS.get(type(node))
        if test is not None and test(node):
            return True
    return False


def _imports_print(tree: ast.Module) -> bool:
    return any(
        isinstance(node, ast.ImportFrom)
        and node.module == "__future__"
        and any(alias.name == "print_function" for alias in node.names)
        for node in tree.body
    )


def _prints_as_function(call: ast.Call) -> bool:
    """Says whether a call prints several values, or with a keyword: Python 2 prints a tuple, or cannot read it."""
    return _name(call.func) == "print" and (len(call.args) > 1 or bool(call.keywords))


def _name(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _of_version(node: ast.AST) -> bool:
    return _name(node) in VERSIONS


def _of_assignment(node: ast.Assign) -> bool:
    """Recognizes `first, *others = values`."""
    return any(
        isinstance(part, ast.Starred) for target in node.targets for part in ast.walk(target)
    )


def _of_call(call: ast.Call) -> bool:
    """Recognizes `super()`, `open(..., encoding=...)` and a list that is made of what was one in Python 2."""
    name = _name(call.func)
    if name == "list" and len(call.args) == 1 and isinstance(call.args[0], ast.Call):
        return _name(call.args[0].func) in _LISTS
    return (
        name == "super"
        and not call.args
        or name == "open"
        and any(keyword.arg == "encoding" for keyword in call.keywords)
    )


def _of_try(node: ast.Try) -> bool:
    """Recognizes a guard: a NameError, or an ImportError around a module that only one of the versions has."""
    caught = {
        _name(part)
        for handler in node.handlers
        for part in ast.walk(handler.type or ast.Name(id="NameError"))
    }
    return "NameError" in caught or any(
        set(imported(part)) & (MARKS | PYTHON_3_MODULES) for part in ast.walk(node)
    )


def imported(node: ast.AST) -> Tuple[str, ...]:
    """Returns the names of the modules that a statement imports."""
    if isinstance(node, ast.ImportFrom):
        return (node.module or "",)
    return tuple(alias.name for alias in node.names) if isinstance(node, ast.Import) else ()


def _of_import(node: ast.AST) -> bool:
    names = imported(node)
    return any(name.split(".")[0] in _BRIDGES or name in PYTHON_3_MODULES for name in names)


_SYNTAX = (
    ast.JoinedStr,
    ast.AnnAssign,
    ast.Nonlocal,
    ast.AsyncFunctionDef,
    ast.YieldFrom,
    ast.MatMult,
)
# What only Python 3 can write: `raise ... from`, `def f(*, a)`, annotations, `class C(metaclass=M)`.
_FIELDS: Dict[Type[ast.AST], str] = {
    ast.Raise: "cause",
    ast.arguments: "kwonlyargs",
    ast.arg: "annotation",
    ast.FunctionDef: "returns",
    ast.ClassDef: "keywords",
}
_TESTS: Dict[Type[ast.AST], Callable[..., bool]] = {
    ast.Attribute: _of_version,
    ast.Name: _of_version,
    ast.Import: _of_import,
    ast.ImportFrom: _of_import,
    ast.Call: _of_call,
    ast.Try: _of_try,
    ast.Assign: _of_assignment,
}

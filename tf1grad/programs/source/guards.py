"""Finds the uses of names that a `try` guards:
its handler catches the error that a missing name raises.
"""

from __future__ import annotations

import ast
from typing import Sequence

from tf1grad.programs.source.program import Program
from tf1grad.programs.source.scopes import dotted

_ANY = frozenset(("Exception", "BaseException", "StandardError"))
_OF_IMPORTS = frozenset(("ImportError", "ModuleNotFoundError"))
_OF_NAMES = _OF_IMPORTS | {"NameError", "AttributeError"}
_OF_ARGUMENTS = frozenset(("TypeError", "ValueError"))
_COMPOUND = (ast.For, ast.While, ast.With, ast.If, ast.Try, ast.FunctionDef, ast.ClassDef)


def is_guarded(program: Program, node: ast.AST) -> bool:
    """Returns True if the program is prepared for the absence of the name
    that `node` imports or uses.

    It stands in the body of a `try` with a handler for the error that it would raise; or in such a
    handler, which runs only where another name is missing; or in an `else` behind a body that uses
    the same name.
    """
    name = node.func if isinstance(node, ast.Call) else node
    return _is_in_try(program, name, _raised_by(name), _OF_NAMES)


def is_guarded_call(program: Program, call: ast.Call) -> bool:
    """Returns True if the program is prepared for a call that does not take the arguments,
    or tries another before.
    """
    return _is_in_try(program, call, _OF_ARGUMENTS, _OF_ARGUMENTS)


def _raised_by(name: ast.AST) -> frozenset[str]:
    if isinstance(name, (ast.Import, ast.ImportFrom)):
        return _OF_IMPORTS
    return frozenset(("NameError",) if isinstance(name, ast.Name) else ("AttributeError",))


def _is_in_try(
    program: Program, node: ast.AST, errors: frozenset[str], errors_of_others: frozenset[str]
) -> bool:
    """Returns True in the body of a `try` that handles the `errors`,
    and in a handler of those of other names.
    """
    inner = node
    for outer in program.above(node):
        if isinstance(outer, ast.Try):
            if inner in outer.body:
                is_handled = _handles(program, outer, errors, [inner])
            elif inner in outer.handlers:
                is_handled = _catches(program, inner, errors_of_others, outer, outer.body)
            else:
                is_named = inner in outer.orelse and _is_named_in(outer.body, node)
                is_handled = is_named and _handles(program, outer, errors, outer.body)
            if is_handled:
                return True
        inner = outer
    return False


def _handles(
    program: Program, attempt: ast.Try, errors: frozenset[str], asked: Sequence[ast.AST]
) -> bool:
    return any(_catches(program, handler, errors, attempt, asked) for handler in attempt.handlers)


def _catches(
    program: Program,
    handler: ast.AST,
    errors: frozenset[str],
    attempt: ast.Try,
    asked: Sequence[ast.AST],
) -> bool:
    """Returns True if a handler catches one of the `errors`.

    A handler of any error expects other errors than these, unless the statements that are `asked`
    import something, or the body of the `try` is one plain statement.
    """
    given = getattr(handler, "type", None)
    given = program.value(given) if given in program.scopes else given
    caught = given.elts if isinstance(given, ast.Tuple) else [given]
    names = {(dotted(each) or "").rpartition(".")[2] for each in caught if each is not None}
    if names & errors:
        return True
    is_question = len(attempt.body) == 1 and not isinstance(attempt.body[0], _COMPOUND)
    imports = any(isinstance(each, (ast.Import, ast.ImportFrom)) for each in asked)
    return (given is None or bool(names & _ANY)) and (is_question or imports)


def _is_named_in(body: list[ast.stmt], node: ast.AST) -> bool:
    return dotted(node) in {dotted(part) for statement in body for part in ast.walk(statement)} - {
        None
    }

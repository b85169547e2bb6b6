"""Reads `print` of Python 2 in the tree of a module that Python 3 can parse:
there it is a statement.

print("%d") % 3   prints "%" of both, where Python 3 takes the remainder of None
print("a", b)     prints a tuple
print("a"), b     prints both
"""

from __future__ import annotations

import ast
from typing import Any

from tf1grad.programs.source import python3_signs


def read(tree: ast.Module) -> None:
    """Rewrites such statements in place to calls of the function;
    not in a module that imports `print_function`.
    """
    if python3_signs.prints_by_function(tree):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            _read_statement(node)


def _read_statement(statement: ast.Expr) -> None:
    call = _print_at_start(statement)
    if call is None or call.keywords or any(isinstance(each, ast.Starred) for each in call.args):
        return
    function = call.func
    # The parentheses are those of an expression.
    if len(call.args) == 1:
        inner: ast.expr = call.args[0]
    else:
        inner = ast.copy_location(ast.Tuple(elts=call.args, ctx=ast.Load()), call)
    whole = _Replacer(call, inner).visit(statement.value)
    keywords = []
    arguments = [whole]
    if whole is statement.value and isinstance(whole, ast.Tuple):  # not the one in parentheses
        arguments = whole.elts
        if len(arguments) == 1:  # a comma at the end
            keywords = [ast.keyword(arg="end", value=ast.Constant(value=" ", kind=None))]
    made = ast.Call(func=function, args=arguments, keywords=keywords)
    statement.value = ast.fix_missing_locations(ast.copy_location(made, statement))


def _print_at_start(statement: ast.Expr) -> ast.Call | None:
    """Returns the call of `print` with which a statement begins, or None."""
    for node in ast.walk(statement):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "print"
            and (node.lineno, node.col_offset) == (statement.lineno, statement.col_offset)
        ):
            return node
    return None


class _Replacer(ast.NodeTransformer):
    """Puts an expression in the place of a node."""

    def __init__(self, old: ast.expr, new: ast.expr) -> None:
        self._old, self._new = old, new

    def visit(self, node: ast.AST) -> Any:
        return self._new if node is self._old else self.generic_visit(node)

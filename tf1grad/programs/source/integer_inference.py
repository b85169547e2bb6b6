"""Tells from literals, `len`, `int` and `float` whether an expression is a whole number, by the rules of Python 2.

`WHOLE` and `OTHER` are certain. `OTHER` is what `/` divides alike in Python 2 and 3: floats, and texts before `%`.
"""

from __future__ import annotations

import ast

from tf1grad.programs.source.scopes import Scope, constant

WHOLE, OTHER = "whole", "other"
_BUILTINS = {"len": WHOLE, "int": WHOLE, "float": OTHER}
_SAME_KIND = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)


def kind(node: ast.expr, scope: Scope) -> str | None:
    """Returns `WHOLE` or `OTHER` if the expression itself shows it, else None."""
    value = constant(node)
    if value is not None:
        return WHOLE if isinstance(value, int) else OTHER
    if isinstance(node, ast.UnaryOp):
        return kind(node.operand, scope)
    if isinstance(node, ast.BinOp) and isinstance(node.op, _SAME_KIND):
        sides = {kind(node.left, scope), kind(node.right, scope)}
        return OTHER if OTHER in sides else WHOLE if sides == {WHOLE} else None
    function = node.func if isinstance(node, ast.Call) else None
    if isinstance(function, ast.Name) and scope.owner_of(function.id) is None:
        return _BUILTINS.get(function.id)
    return None

"""Tells whether an expression is a whole number, by the rules of Python 2.

Literals, `len`, `int`, `float` and conversions to a dtype of TensorFlow or NumPy show it. A name is
what all of its values are.

`WHOLE` and `OTHER` are certain. `OTHER` is what `/` divides alike in Python 2 and 3: floats, and
texts before `%`.
"""

from __future__ import annotations

import ast
from typing import Collection

from tf1grad.programs.source.name_resolution import Names
from tf1grad.programs.source.program import argument
from tf1grad.programs.source.scopes import Scope, constant

WHOLE, OTHER = "whole", "other"
_BUILTINS = {"len": WHOLE, "int": WHOLE, "float": OTHER}
_SAME_KIND = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)
_FLOATS = frozenset(
    {"float", "half", "double", "single", "float16", "float32", "float64", "bfloat16"}
)
_TO_FLOAT = frozenset(["tensorflow.to_float", "tensorflow.to_double", "tensorflow.to_bfloat16"])


def infer_kind(
    node: ast.expr, names: Names, scope: Scope, seen: Collection[ast.expr] = ()
) -> str | None:
    """Returns `WHOLE` or `OTHER` if the expression or the values of its names show it, else None.

    Expressions in `seen` are of names whose values are being looked at.
    """

    def kind_of(part: ast.expr) -> str | None:
        return infer_kind(part, names, scope, seen)

    value = constant(node)
    if value is not None:
        return WHOLE if isinstance(value, int) else OTHER
    if isinstance(node, ast.UnaryOp):
        return kind_of(node.operand)
    if isinstance(node, ast.BinOp) and isinstance(node.op, _SAME_KIND):
        sides = {kind_of(node.left), kind_of(node.right)}
        return OTHER if OTHER in sides else WHOLE if sides == {WHOLE} else None
    if isinstance(node, ast.Name):
        return OTHER if _has_float_values(node, names, scope, seen) else None
    if not isinstance(node, ast.Call):
        return None
    if isinstance(node.func, ast.Name) and scope.owner_of(node.func.id) is None:
        return _BUILTINS.get(node.func.id)
    return OTHER if _makes_floats(node, names, scope) else None


def _has_float_values(
    node: ast.Name, names: Names, scope: Scope, seen: Collection[ast.expr]
) -> bool:
    """Says whether all values of a name are floats."""
    owner = scope.owner_of(node.id)
    if owner is None or not owner.bindings[node.id]:
        return False
    return all(
        isinstance(value, ast.expr)
        and value not in seen
        and infer_kind(value, names, owner, [*seen, value]) == OTHER
        for value in owner.bindings[node.id]
    )


def _makes_floats(call: ast.Call, names: Names, scope: Scope) -> bool:
    """Says whether a call converts to a floating-point dtype."""
    function = names.resolve(call.func, scope)
    if function in _TO_FLOAT or _is_float(call.func, names, scope):
        return True
    if function == "tensorflow.cast":
        dtype = argument(call, 1, "dtype")
    elif isinstance(call.func, ast.Attribute) and call.func.attr == "astype":
        dtype = argument(call, 0, "dtype")
    else:
        return False
    return dtype is not None and _is_float(dtype, names, scope)


def _is_float(dtype: ast.expr, names: Names, scope: Scope) -> bool:
    """Says whether an expression is a floating-point dtype, or its name."""
    text = constant(dtype)
    if text is not None:
        return text in _FLOATS
    if isinstance(dtype, ast.Name) and scope.owner_of(dtype.id) is None:
        return dtype.id == "float"
    library, _, name = (names.resolve(dtype, scope) or "").rpartition(".")
    return library in ("tensorflow", "numpy") and name in _FLOATS

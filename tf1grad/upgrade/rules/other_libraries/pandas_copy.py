"""A change of a column reaches a copy, not the frame.

From pandas 3 on, `frame["a"]` never shares its values with the frame. `frame["a"][mask] = value`
and `frame["a"].fillna(0, inplace=True)` change a copy, which is lost. What `values` returns cannot
be written to.
"""

import ast
from typing import Iterator

from tf1grad.programs.source.program import Call, Program, argument
from tf1grad.programs.source.scopes import call_name, constant, index_of
from tf1grad.upgrade.edits.edit_plan import Plan
from tf1grad.upgrade.rules import Findings

ID = "TFG408"
SEVERITY = "warning"
SUMMARY = "From pandas 3 on, this changes a copy of the column, and not the frame."
REMEDY = "Write frame.loc[rows, column] = value, or assign the column; `tf1grad upgrade` does it where it is safe."
EXAMPLE = """
  import pandas as pd

  frame = pd.read_csv("data.csv")
- frame["a"][frame["b"] > 0] = 1
- frame["a"].fillna(0, inplace=True)
+ frame.loc[frame["b"] > 0, "a"] = 1
+ frame["a"] = frame["a"].fillna(0)
"""
_VALUES = "From pandas 3 on, what values returns is read-only."
_MASKS = ("isin", "isna", "isnull", "notna", "notnull")
_METHODS = ("bfill", "clip", "ffill", "fillna", "interpolate", "mask", "replace", "where")


def findings(program: Program) -> Findings:
    yield from _chained(program)
    for call in _in_place(program):
        yield call.node
    for target in _written_values(program):
        yield target, _VALUES, "Write to frame.iloc."


def rewrite(plan: Plan) -> None:
    """Writes `.loc` for a mask: a number or a slice may be a position or a label."""
    for target in _chained(plan.program):
        if _is_mask(index_of(target)):
            plan.text.rewrite(target, "{frame}.loc[{rows}, {column}]")
    for call in _in_place(plan.program):
        if isinstance(plan.program.parents[call.node], ast.Expr):
            plan.text.drop_argument(call.node, "inplace")
            plan.text.rewrite(call.node, "{owner} = {whole}")


def _chained(program: Program) -> Iterator[ast.Subscript]:
    """Yields the targets `frame["a"][rows]` of assignments."""
    for node, _ in program.nodes(ast.Subscript):
        if isinstance(node.ctx, ast.Store) and _is_column(program, node.value):
            yield node


def _in_place(program: Program) -> Iterator[Call]:
    for call in program.calls:
        if call.method in _METHODS and isinstance(call.node.func, ast.Attribute):
            is_in_place = constant(argument(call.node, None, "inplace")) is True
            if is_in_place and _is_column(program, call.node.func.value):
                yield call


def _written_values(program: Program) -> Iterator[ast.Subscript]:
    """Yields the targets `frame.values[...]` and `frame["a"].values[...]` of assignments."""
    for node, _ in program.nodes(ast.Subscript):
        written = node.value
        if not isinstance(node.ctx, ast.Store) or not isinstance(written, ast.Attribute):
            continue
        owner = program.class_of(written.value)
        if written.attr == "values" and owner in ("pandas.DataFrame", "pandas.Series"):
            yield node


def _is_column(program: Program, node: ast.expr) -> bool:
    """Returns True for `frame["a"]` of a frame."""
    if not isinstance(node, ast.Subscript):
        return False
    return (
        isinstance(constant(index_of(node)), str)
        and program.class_of(node.value) == "pandas.DataFrame"
    )


def _is_mask(rows: ast.expr) -> bool:
    if isinstance(rows, ast.UnaryOp):
        return isinstance(rows.op, ast.Invert)
    if isinstance(rows, ast.BinOp):
        return isinstance(rows.op, (ast.BitAnd, ast.BitOr))
    return isinstance(rows, ast.Compare) or call_name(rows) in _MASKS

"""A library function, method or keyword argument has been renamed.

`newshape=` of `np.reshape`, `normed=` of histograms, `b=` of grids, methods such as
`thread.isAlive()` and `DataFrame.append`. A method that other classes have too is reported where
the text shows the class. `tf1grad run` translates such calls while the program runs; `upgrade`
rewrites them.
"""

from __future__ import annotations

import ast
from typing import Iterator

from tf1grad.programs.names import other_libraries, recorded_names
from tf1grad.programs.names.rows import Row, does_nothing, function_of, keyword_of, last_name
from tf1grad.programs.source.program import Call, Program
from tf1grad.upgrade.edits.edit_plan import Plan
from tf1grad.upgrade.rules import Findings

ID = "TFG402"
SEVERITY = "error"
SUMMARY = "A library function or keyword argument has been renamed."
REMEDY = "Write today's name; `tf1grad upgrade` does it."
EXAMPLE = """
  import numpy as np

- flat = np.reshape([[1, 2]], newshape=[-1])
+ flat = np.reshape([[1, 2]], shape=[-1])
"""
HELPERS = "tf1grad.migrate.dropped_methods"
# Python 2's methods of dicts belong to another rule.
_METHODS = [row for row in other_libraries.select_rows("method") if not row.old.startswith("dict.")]
_BY_NAME = {last_name(row): row for row in _METHODS if row.arguments is not None}
_BY_CLASS = {row.old: row for row in _METHODS}


def _function(row: Row) -> str:
    """Returns the function of a keyword, or ".name" for a method of any object;
    a class counts as one.
    """
    owner, _, name = function_of(row).rpartition(".")
    is_method = name[0].isupper() or owner.rpartition(".")[2][0].isupper()
    return "." + name if is_method else f"{owner}.{name}"


_KEYWORDS = {
    (_function(row), keyword_of(row)): row for row in other_libraries.select_rows("keyword")
}


def findings(program: Program) -> Findings:
    for call, row in _calls_with_keyword(program):
        yield call.node, f"{keyword_of(row)}= is gone from {call.method}.", row.remedy
    for call, row in _calls_of_method(program):
        yield (
            call.node,
            f"The method {call.method} is gone from {other_libraries.library_of(row)}.",
            row.remedy,
        )


def rewrite(plan: Plan) -> None:
    for call, row in _calls_with_keyword(plan.program):
        if does_nothing(row.upgrade):
            continue
        if row.new:
            plan.text.rename_keyword(call.node, keyword_of(row), row.new)
        else:
            plan.text.drop_argument(call.node, keyword_of(row))
    for call, row in _calls_of_method(plan.program):
        if row.upgrade == "rename" and row.new and row.arguments in (None, len(call.node.args)):
            plan.text.rewrite(call.node, row.new, "method")
        elif row.upgrade == "helper":
            plan.add_import("import " + HELPERS)
            comma = ", " if call.node.args or call.node.keywords else ""
            function = f"{HELPERS}.{row.run.partition(':')[2] or last_name(row)}"
            plan.text.rewrite(call.node, f"{function}({{owner}}{comma}{{inside}})")


def _calls_with_keyword(program: Program) -> Iterator[tuple[Call, Row]]:
    for call in program.calls:
        if (call.name or "").startswith("tensorflow."):
            continue
        for keyword in call.node.keywords:
            row = _row_of_keyword(program, call, keyword.arg or "")
            if row is not None:
                yield call, row


def _row_of_keyword(program: Program, call: Call, keyword: str) -> Row | None:
    """Returns the row of a keyword of a function, of a method of any object,
    or of a method of a known class.
    """
    for function in (call.name or "", f".{call.method}"):
        if (function, keyword) in _KEYWORDS:
            return _KEYWORDS[function, keyword]
    name = call.name
    if name is None and isinstance(call.node.func, ast.Attribute):
        name = f"{program.class_of(call.node.func.value)}.{call.method}"
    return recorded_names.keyword_of(name or "", keyword)


def _calls_of_method(program: Program) -> Iterator[tuple[Call, Row]]:
    for call in program.calls:
        if call.name is None and isinstance(call.node.func, ast.Attribute):
            owner = call.node.func.value
            row = _row_of(program, call, program.class_of(owner))
            if getattr(owner, "attr", None) == "manager":
                continue  # `canvas.manager.set_window_title` is new
            if row and not (row.old.startswith("numpy.") and _is_made_by_class(program, call)):
                yield call, row


def _row_of(program: Program, call: Call, owner: str | None) -> Row | None:
    """Returns the row of a method of a class; of an unknown object,
    as its name or a recorded run shows.
    """
    if owner is not None:
        recorded = recorded_names.method_of(owner, call.method or "")
        return _BY_CLASS.get(f"{owner}.{call.method}", recorded)
    row = _BY_NAME.get(call.method or "")
    if row is not None and row.arguments == len(call.node.args):
        return row
    for row in _METHODS:
        if last_name(row) == call.method and program.was_repaired(call.node, row.old, row.run):
            return row
    return None


def _is_made_by_class(program: Program, call: Call) -> bool:
    """Returns True for a method of the object that a call such as `svgwrite.Drawing()` makes:
    functions make arrays.
    """
    made, scope = program.kinds.value(call.node.func.value, call.scope)  # type: ignore[attr-defined]
    name = program.names.resolve(made.func, scope) if isinstance(made, ast.Call) else None
    return (name or "").rpartition(".")[2][:1].isupper()

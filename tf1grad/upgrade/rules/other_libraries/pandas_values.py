"""A call of pandas that gives other values than before pandas 2 or 3.

`get_dummies` gives booleans, and not numbers. The sum of a group contains its text columns, and its
mean fails over them; both left them out. Dates that are read from text count microseconds, and not
nanoseconds, from pandas 3 on: as integers, they are a thousand times smaller. Groups by a list of
one column have tuples as names.
"""

from __future__ import annotations

import ast
from typing import Any, Collection, Iterator

from tf1grad.programs.source.library_values import READ_DATES
from tf1grad.programs.source.program import Call, Program, argument
from tf1grad.programs.source.scopes import constant, dotted, index_of
from tf1grad.upgrade.edits.edit_plan import Plan
from tf1grad.upgrade.rules import Findings

ID = "TFG409"
SEVERITY = "warning"
SUMMARY = "From pandas 2 on, this gives other values."
REMEDY = "Write what pandas did by itself; `tf1grad upgrade` does it."
EXAMPLE = """
  import pandas as pd

  frame = pd.read_csv("data.csv")
- labels = pd.get_dummies(frame["label"])
+ labels = pd.get_dummies(frame["label"], dtype="uint8")
- totals = frame.groupby("user").sum()
+ totals = frame.groupby("user").sum(numeric_only=True)
  frame["date"] = pd.to_datetime(frame["date"])
- seconds = frame["date"].astype("int64") // 10**9
+ seconds = frame["date"].astype("datetime64[ns]").astype("int64") // 10**9
"""
_DUMMIES = "From pandas 2 on, get_dummies gives booleans. It gave numbers."
_GROUPS = "From pandas 2 on, {} of groups does not leave out text columns. It did."
_NAMES = "From pandas 2 on, the names of these groups are tuples of one."
_DATES = "From pandas 3 on, dates as integers are microseconds. They were nanoseconds."
_OF_NUMBERS = ("mean", "median", "prod", "sum")
_INTEGERS = ("int64", "numpy.int64", "int", "numpy.int")


def findings(program: Program) -> Findings:
    for call in _dummies(program):
        yield call.node, _DUMMIES, 'Add dtype="uint8".'
    for call in _groups(program):
        yield call.node, _GROUPS.format(call.method), "Add numeric_only=True."
    for keys in _lists_of_one(program):
        yield keys, _NAMES, "Write the column without a list."
    for call in _dates(program):
        yield call.node, _DATES, 'Write .astype("datetime64[ns]") before it.'


def rewrite(plan: Plan) -> None:
    for call in _dummies(plan.program):
        plan.text.add_argument(call.node, 'dtype="uint8"')
    for call in _groups(plan.program):
        plan.text.rewrite(call.node, "numeric_only=True", "inside")
    for keys in _lists_of_one(plan.program):
        column = ast.get_source_segment(plan.text.text, keys.elts[0])
        plan.text.replace(keys, column or "")
    if not _has_time_zones(plan.program):
        for call in _dates(plan.program):
            plan.text.rewrite(call.node, 'astype("datetime64[ns]").{method}', "method")


def _dummies(program: Program) -> Iterator[Call]:
    for call in program.calls:
        if call.name == "pandas.get_dummies" and argument(call.node, 7, "dtype") is None:
            yield call


def _groups(program: Program) -> Iterator[Call]:
    """Yields sums and means of whole groups of a frame: `frame.groupby("a").sum()`."""
    for call in program.calls:
        groups = _owner(call.node, _OF_NUMBERS)
        if call.node.args or call.node.keywords or not isinstance(groups, ast.Call):
            continue
        frame = _owner(groups, ["groupby"])
        if frame is not None and program.class_of(frame) == "pandas.DataFrame":
            yield call


def _lists_of_one(program: Program) -> Iterator[ast.List]:
    """Yields the lists of `for name, group in frame.groupby(["a"])`."""
    loops: list[Any] = [node for node, _ in program.nodes(ast.For, ast.comprehension)]
    for node in loops:
        groups = node.iter
        if not isinstance(groups, ast.Call) or _owner(groups, ["groupby"]) is None:
            continue
        keys = argument(groups, 0, "by")
        if isinstance(node.target, ast.Tuple) and isinstance(keys, ast.List):
            if len(keys.elts) == 1 and isinstance(constant(keys.elts[0]), str):
                yield keys


def _dates(program: Program) -> Iterator[Call]:
    """Yields the calls `dates.astype("int64")`, where the dates were read from text."""
    columns = set(_columns_of_dates(program))
    for call in program.calls:
        dates, given = _owner(call.node, ["astype"]), argument(call.node, 0, "dtype")
        if dates is None or given is None:
            continue
        dtype = constant(given) or program.names.resolve(given, call.scope) or dotted(given)
        if dtype not in _INTEGERS:
            continue
        if isinstance(dates, ast.Attribute) and dates.attr == "values":
            dates = dates.value
        is_column = isinstance(dates, ast.Subscript) and constant(index_of(dates)) in columns
        if is_column or program.class_of(dates) == READ_DATES:
            yield call


def _columns_of_dates(program: Program) -> Iterator[str]:
    """Yields the keys of the columns that `to_datetime` fills."""
    for node, _ in program.nodes(ast.Assign):
        target, value = node.targets[0], node.value
        if not (isinstance(target, ast.Subscript) and isinstance(value, ast.Call)):
            continue
        key = constant(index_of(target))
        name = program.names.resolve(value.func, program.scopes[node])
        if name == "pandas.to_datetime" and isinstance(key, str):
            yield key


def _has_time_zones(program: Program) -> bool:
    readings = [call.node for call in program.calls if call.name == "pandas.to_datetime"]
    return any(argument(node, None, "utc") is not None for node in readings)


def _owner(call: ast.Call, methods: Collection[str]) -> ast.expr | None:
    """Returns the object whose method a call names, if it is one of `methods`."""
    if isinstance(call.func, ast.Attribute) and call.func.attr in methods:
        return call.func.value
    return None

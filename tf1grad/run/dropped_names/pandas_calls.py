"""Lets pandas read, join and group tables as pandas 0.25 did,
where it gives other results today.
"""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Callable

from tf1grad.programs.process import patches
from tf1grad.programs.process.ownership import is_asked_by_user
from tf1grad.programs.process.patches import Function
from tf1grad.run.dropped_names import lost_functions, user_properties
from tf1grad.run.dropped_names.fix_messages import warn_once

if TYPE_CHECKING:
    import pandas

_OF_CONCAT = (
    "axis",
    "join",
    "join_axes",
    "ignore_index",
    "keys",
    "levels",
    "names",
    "verify_integrity",
    "sort",
    "copy",
)
_NAMES = ("pandas groupby.agg", "takes a dict of names and functions, as before pandas 1.0")


def patch(pandas: types.ModuleType) -> None:
    """Changes the functions and classes of pandas 1.0 and later; earlier ones stay."""
    if pandas.__version__.startswith("0."):
        return
    for name, attribute, around in _CALLS:
        module = sys.modules.get(name)
        if module is not None:
            owner, _, function = attribute.rpartition(".")
            patches.wrap(getattr(module, owner) if owner else module, function, around, reason="")
    if hasattr(pandas.DataFrame, "append"):
        patches.wrap(pandas.DataFrame, "append", _append, reason="")
    for name in ("pandas.core.arrays.categorical", "pandas.io.formats.format"):
        if hasattr(sys.modules[name], "QUOTE_NONNUMERIC"):
            # Texts among categories had no quotation marks.
            patches.patch(sys.modules[name], "QUOTE_NONNUMERIC", None, reason="")
    properties = sys.modules["pandas.core.indexes.accessors"].DatetimeProperties
    for dates in (properties, pandas.DatetimeIndex):
        user_properties.add(dates, "weekday_name", _weekday_name)


def _read_fast(
    __init__: Callable[..., None], reader: object, source: object, **options: object
) -> None:
    """Reads decimal numbers with the parser that was the default before pandas 1.2;
    it rounds otherwise.
    """
    if options.get("float_precision") is None:
        options["float_precision"] = "legacy"
    __init__(reader, source, **options)


def _concat(
    concat: Function, objs: Any, *arguments: Any, **options: Any
) -> pandas.DataFrame | pandas.Series:
    if not is_asked_by_user():
        return concat(objs, *arguments, **options)
    given = {**dict(zip(_OF_CONCAT, arguments)), **options}
    if isinstance(objs, Iterable) and not isinstance(objs, Mapping):
        objs = list(objs)
    tables = list(objs.values() if isinstance(objs, Mapping) else objs)
    across = 0 if given.get("axis", 0) in (1, "columns") else 1
    is_outer = given.get("join", "outer") == "outer"
    if "sort" not in given and is_outer and _differ(tables, across):
        warn_once("pandas.concat", "sorts labels that differ, as before pandas 1.0")
        given["sort"] = True
    labels = given.pop("join_axes", None)
    joined = concat(objs, **given)
    return joined if labels is None else joined.reindex(labels[0], axis=across)


def _append(
    append: Function, frame: pandas.DataFrame, *arguments: Any, **options: Any
) -> pandas.DataFrame:
    if not is_asked_by_user():
        return append(frame, *arguments, **options)
    return lost_functions.append(frame, *arguments, **options)


def _differ(tables: Any, axis: int) -> bool:
    """Says whether frames, or series along axis 0, have different labels."""
    labels = [table.axes[axis] for table in tables if getattr(table, "ndim", 0) > axis]
    return any(not each.equals(labels[0]) for each in labels)


def _size(size: Callable[[Any], Any], groups: pandas.core.groupby.GroupBy) -> Any:
    sizes = size(groups)
    if sizes.ndim == 1 or not is_asked_by_user():
        return sizes
    warn_once(
        "pandas groupby(as_index=False).size",
        "gives a series whose index has the groups, as before pandas 1.1",
    )
    with patches.temporarily(groups, "as_index", True):
        return size(groups)


def _of_series(
    aggregate: Function,
    groups: pandas.core.groupby.GroupBy,
    func: object = None,
    *args: object,
    **kwargs: object,
) -> Any:
    if not isinstance(func, dict) or not is_asked_by_user():
        return aggregate(groups, func, *args, **kwargs)
    warn_once(*_NAMES)
    return aggregate(groups, **func)


def _of_frame(
    aggregate: Function,
    groups: pandas.core.groupby.GroupBy,
    func: Any = None,
    *args: Any,
    **kwargs: Any,
) -> Any:
    """Returns a frame with columns of two levels for a dict of dicts."""
    is_nested = isinstance(func, dict) and all(isinstance(each, dict) for each in func.values())
    if not func or not is_nested or not is_asked_by_user():
        return aggregate(groups, func, *args, **kwargs)
    warn_once(*_NAMES)
    named = {column: groups[column].agg(**names) for column, names in func.items()}
    return sys.modules["pandas"].concat(named, axis=1)


def _apply(
    apply: Function, groups: pandas.core.groupby.GroupBy, func: Any, *args: Any, **kwargs: Any
) -> Any:
    """Gives results that keep the labels of their groups the order of the table,
    and the others the keys.
    """
    if not groups.group_keys or not isinstance(func, types.FunctionType) or not is_asked_by_user():
        return apply(groups, func, *args, **kwargs)

    @functools.wraps(func)
    def observed(group: Any, *args: Any, **kwargs: Any) -> Any:
        labels = group.index
        found = func(group, *args, **kwargs)
        if getattr(found, "ndim", 0) != group.ndim:
            is_kept = False
        elif group.ndim == 1:
            is_kept = labels.equals(found.index)
        else:  # pandas 0.25 asked whether it is the same object
            is_kept = labels is found.index
        if not is_kept:
            groups.group_keys = True
        return found

    with patches.temporarily(groups, "group_keys", False):
        return apply(groups, observed, *args, **kwargs)


def _label(position: Function, series: pandas.Series, *args: object, **kwargs: object) -> Any:
    """Returns a label for the user, and for NumPy's function of the name."""
    if "out" not in kwargs and not is_asked_by_user():
        return position(series, *args, **kwargs)
    warn_once("pandas.Series.argmax", "gives a label, and so does argmin, as before pandas 1.0")
    return getattr(series, "idx" + position.__name__[3:])()


def _weekday_name(dates: Any) -> Any:
    warn_once("pandas weekday_name", "gives what day_name() gives, as before pandas 1.0")
    return dates.day_name()


# module, function -> what is called instead; modules that a release does not have are left out
_CALLS = (
    ("pandas", "concat", _concat),
    ("pandas.core.series", "Series.argmax", _label),
    ("pandas.core.series", "Series.argmin", _label),
    ("pandas.core.groupby.generic", "DataFrameGroupBy.agg", _of_frame),
    ("pandas.core.groupby.generic", "DataFrameGroupBy.aggregate", _of_frame),
    ("pandas.core.groupby.generic", "SeriesGroupBy.agg", _of_series),
    ("pandas.core.groupby.generic", "SeriesGroupBy.aggregate", _of_series),
    ("pandas.core.groupby.generic", "SeriesGroupBy.apply", _apply),
    ("pandas.core.groupby.groupby", "GroupBy.apply", _apply),
    ("pandas.core.groupby.groupby", "GroupBy.size", _size),
    ("pandas.io.parsers.c_parser_wrapper", "CParserWrapper.__init__", _read_fast),
)

"""Lets user code call pandas 2 and 3 as pandas 1, and get what pandas 1 returned."""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Any, Callable, Iterator

from tf1grad.programs.process import patches
from tf1grad.programs.process.ownership import is_asked_by_user
from tf1grad.programs.process.patches import Function
from tf1grad.run.dropped_names import positional_arguments, user_properties
from tf1grad.run.dropped_names.fix_messages import warn_once

if TYPE_CHECKING:
    import pandas

_NUMBERS = ("pandas numeric_only", "leaves out columns that are not numbers, as before pandas 2.0")

_EMPTY = object()
_ORIENTS = ("dict", "list", "split", "series", "records", "index")
_REDUCTIONS = ("kurt", "mean", "median", "sem", "skew", "std", "var")
_OF_FRAMES = (*_REDUCTIONS, "corr", "cov", "quantile")
_OF_GROUPS = ("mean", "median", "prod", "quantile", "sem", "std", "sum", "var")
_FIELDS = (
    "year",
    "month",
    "day",
    "hour",
    "minute",
    "second",
    "weekday",
    "dayofweek",
    "dayofyear",
    "quarter",
    "days_in_month",
)


def patch(pandas: types.ModuleType) -> None:
    """Changes the functions and classes of pandas 2 and later; earlier ones stay."""
    if int(pandas.__version__.split(".")[0]) < 2:
        return
    from pandas.core import groupby, resample, window
    from pandas.core.indexes import accessors
    from pandas.core.strings.accessor import StringMethods

    positional_arguments.patch(pandas)
    for cls in (StringMethods, groupby.DataFrameGroupBy, groupby.SeriesGroupBy):
        positional_arguments.patch_class(cls)
    _wrap(pandas.DataFrame, _OF_FRAMES, _of_numbers_if_needed)
    _wrap(pandas.DataFrame, (*_REDUCTIONS, "sum", "prod", "min", "max"), _of_each_column)
    for groups in (groupby.DataFrameGroupBy, resample.Resampler, window.Rolling):
        names = [name for name in _OF_GROUPS if hasattr(groups, name)]
        _wrap(groups, names, _of_number_columns)
    for cls in (groupby.DataFrameGroupBy, resample.Resampler):
        _wrap(cls, ["agg", "aggregate"], _aggregate)
    for groups in (groupby.DataFrameGroupBy, groupby.SeriesGroupBy):
        _wrap(groups, ["__iter__"], _groups)
    for dates in (accessors.DatetimeProperties, pandas.DatetimeIndex):
        _wrap(dates, _FIELDS, _as_int64)
        for name in ("week", "weekofyear"):
            user_properties.add(dates, name, _week)
    _wrap(pandas, ["get_dummies"], _dummies)
    _wrap(pandas, ["read_csv", "read_table"], _read)
    _wrap(pandas, ["pivot"], _pivot)
    _wrap(pandas.DataFrame, ["pivot"], _pivot)
    _wrap(pandas.DataFrame, ["to_dict"], _to_dict)
    _wrap(pandas.DataFrame, ["to_csv"], _to_csv)
    _wrap(pandas.Series, ["to_csv"], _to_csv)
    _wrap(pandas.Series, ["value_counts"], _value_counts)
    _wrap(StringMethods, ["replace"], _replace)


def _wrap(holder: Any, names: Any, around: Function) -> None:
    for name in names:
        patches.wrap(holder, name, around, reason="")


def _of_numbers_if_needed(
    reduce: Function, frame: pandas.DataFrame, *args: object, **kwargs: object
) -> Any:
    """Leaves out the other columns where the method fails with them."""
    if "numeric_only" in kwargs or not is_asked_by_user():
        return reduce(frame, *args, **kwargs)
    try:
        return reduce(frame, *args, **kwargs)
    except (TypeError, ValueError):
        warn_once(*_NUMBERS)
        return reduce(frame, *args, numeric_only=True, **kwargs)


def _of_number_columns(
    reduce: Function, groups: pandas.core.groupby.GroupBy, *args: object, **kwargs: object
) -> Any:
    """Leaves out the other columns, unless there is none of numbers."""
    is_of_frame = getattr(getattr(groups, "obj", None), "ndim", 0) == 2
    if "numeric_only" not in kwargs and is_of_frame and is_asked_by_user():
        numbers, others = _columns(groups)
        if numbers and others:
            warn_once(*_NUMBERS)
            kwargs["numeric_only"] = True
    return reduce(groups, *args, **kwargs)


def _groups(
    iterate: Callable[[Any], Iterator[Any]], groups: pandas.core.groupby.GroupBy
) -> Iterator[Any]:
    is_of_one = isinstance(groups.keys, list) and len(groups.keys) == 1 and is_asked_by_user()
    if not is_of_one:
        return iterate(groups)
    warn_once(
        "pandas groupby of a list of one", "names groups by the value alone, as before pandas 2.0"
    )
    return ((*name, group) for name, group in iterate(groups))


def _aggregate(
    aggregate: Function,
    groups: pandas.core.groupby.GroupBy,
    func: object = None,
    *args: object,
    **kwargs: object,
) -> Any:
    """Leaves out columns that are not numbers where one function fails with them."""
    try:
        return aggregate(groups, func, *args, **kwargs)
    except TypeError:
        if not (isinstance(func, str) or callable(func)) or not is_asked_by_user():
            raise
    warn_once(*_NUMBERS)
    return aggregate(groups[_columns(groups)[0]], func, *args, **kwargs)


def _columns(groups: pandas.core.groupby.GroupBy) -> tuple[list[Any], list[Any]]:
    """Returns the columns of numbers, and the others, without those that make the groups."""
    keys = getattr(groups, "exclusions", ())
    frame = groups.obj.drop(columns=list(keys))
    numbers = list(frame.select_dtypes(["number", "bool"]).columns)
    return numbers, [name for name in frame.columns if name not in numbers]


def _of_each_column(
    reduce: Function, frame: pandas.DataFrame, *args: object, **kwargs: object
) -> Any:
    """Takes the axis None of NumPy's functions, such as `numpy.mean(frame)`, for axis 0."""
    if "out" in kwargs and kwargs.get("axis", 0) is None:
        warn_once("numpy of a pandas.DataFrame", "reduces each column, as before pandas 2.0")
        kwargs["axis"] = 0
    return reduce(frame, *args, **kwargs)


def _as_int64(get: Callable[[Any], Any], dates: object) -> Any:
    found = get(dates)
    return found.astype("int64") if found.dtype == "int32" and is_asked_by_user() else found


def _week(dates: Any) -> Any:
    warn_once("pandas fields of dates", "are int64, and have weeks, as before pandas 2.0")
    return dates.isocalendar().week.astype("int64")


def _dummies(
    get_dummies: Function, data: object, *args: object, **kwargs: object
) -> pandas.DataFrame:
    if "dtype" not in kwargs and len(args) < 7 and is_asked_by_user():
        warn_once("pandas.get_dummies", "gives numbers, as before pandas 2.0")
        kwargs["dtype"] = "uint8"
    return get_dummies(data, *args, **kwargs)


def _read(
    read: Function,
    *args: object,
    squeeze: bool = False,
    prefix: object = None,
    error_bad_lines: bool = True,
    warn_bad_lines: bool = True,
    **kwargs: object,
) -> Any:
    """Takes keywords that pandas 2 dropped."""
    if squeeze or prefix is not None or not error_bad_lines:
        warn_once("pandas.read_csv keywords", "translated, as before pandas 2.0")
    if not error_bad_lines:
        kwargs["on_bad_lines"] = "warn" if warn_bad_lines else "skip"
    found = read(*args, **kwargs)
    if prefix is not None and kwargs.get("header", 0) is None and "names" not in kwargs:
        found.columns = [f"{prefix}{number}" for number in found.columns]
    return found.squeeze("columns") if squeeze else found


def _pivot(
    pivot: Function,
    frame: pandas.DataFrame,
    index: object = _EMPTY,
    columns: object = None,
    values: object = _EMPTY,
) -> pandas.DataFrame:
    """Takes index, columns and values by position."""
    options = {"index": index, "columns": columns, "values": values}
    return pivot(frame, **{name: value for name, value in options.items() if value is not _EMPTY})


def _to_dict(
    to_dict: Function,
    frame: pandas.DataFrame,
    orient: str = "dict",
    *args: object,
    **kwargs: object,
) -> dict[Any, Any] | list[Any]:
    whole = next((name for name in _ORIENTS if orient and name.startswith(orient)), orient)
    if whole != orient and is_asked_by_user():
        warn_once(
            "pandas.DataFrame.to_dict", "completes the name of an orient, as before pandas 2.0"
        )
        orient = whole
    return to_dict(frame, orient, *args, **kwargs)


def _to_csv(to_csv: Function, *args: object, **kwargs: object) -> str | None:
    if "line_terminator" in kwargs:
        warn_once("pandas line_terminator", "replaced by lineterminator")
        kwargs["lineterminator"] = kwargs.pop("line_terminator")
    return to_csv(*args, **kwargs)


def _value_counts(
    value_counts: Function, series: pandas.Series, *args: object, **kwargs: object
) -> pandas.Series:
    counts = value_counts(series, *args, **kwargs)
    if is_asked_by_user():
        warn_once(
            "pandas.Series.value_counts", "keeps the name of the series, as before pandas 2.0"
        )
        counts.name, counts.index.name = series.name, None
    return counts


def _replace(
    replace: Function, texts: object, pat: object, repl: object, *args: object, **kwargs: object
) -> Any:
    """Takes a pattern of more than one character for a regular expression."""
    is_pattern = isinstance(pat, str) and len(pat) > 1
    if is_pattern and "regex" not in kwargs and len(args) < 4 and is_asked_by_user():
        warn_once("pandas.Series.str.replace", "takes a regular expression, as before pandas 2.0")
        kwargs["regex"] = True
    return replace(texts, pat, repl, *args, **kwargs)

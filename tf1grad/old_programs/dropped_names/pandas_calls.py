"""Lets pandas read, join and group tables as pandas 0.25 did, where it gives other results today."""

from collections.abc import Iterable, Mapping
from typing import Any, Callable, Dict

from tf1grad.old_programs.dropped_names import lost_functions
from tf1grad.old_programs.dropped_names.fix_messages import warn_once
from tf1grad.old_programs.process import patches
from tf1grad.old_programs.process.ownership import is_asked_by_user

_OF_CONCAT = "axis join ignore_index keys levels names verify_integrity sort copy".split()
_SORT = ("pandas.concat", "sorts labels that differ, as before pandas 1.0")
_SIZE = (
    "pandas groupby(as_index=False).size",
    "gives a series whose index has the groups, as before pandas 1.1",
)


def _read_fast(__init__: Callable[..., None], reader: Any, source: Any, **options: Any) -> None:
    """Reads decimal numbers with the parser that was the default before pandas 1.2; it rounds otherwise."""
    if options.get("float_precision") is None:
        options["float_precision"] = "legacy"
    __init__(reader, source, **options)


def _concat(concat: Callable[..., Any], objs: Any, *arguments: Any, **options: Any) -> Any:
    given = {**dict(zip(_OF_CONCAT, arguments)), **options}
    if isinstance(objs, Iterable) and not isinstance(objs, Mapping):
        objs = list(objs)
    tables = list(objs.values() if isinstance(objs, Mapping) else objs)
    along_columns = given.get("axis", 0) in (1, "columns")
    if (
        "sort" not in given
        and given.get("join", "outer") == "outer"
        and _differ(tables, 0 if along_columns else 1)
        and is_asked_by_user()
    ):
        warn_once(*_SORT)
        given["sort"] = True
    return concat(objs, **given)


def _append(append: Callable[..., Any], frame: Any, *arguments: Any, **options: Any) -> Any:
    if not is_asked_by_user():
        return append(frame, *arguments, **options)
    return lost_functions.append(frame, *arguments, **options)


def _differ(tables: Any, axis: int) -> bool:
    """Says whether frames, or series along axis 0, have different labels."""
    labels = [table.axes[axis] for table in tables if getattr(table, "ndim", 0) > axis]
    return any(not each.equals(labels[0]) for each in labels)


def _size(size: Callable[[Any], Any], groups: Any) -> Any:
    sizes = size(groups)
    if sizes.ndim == 1 or not is_asked_by_user():
        return sizes
    warn_once(*_SIZE)
    with patches.temporarily(groups, "as_index", True):
        return size(groups)


def _patch_frames(module: Any) -> None:
    """Changes `append` where pandas still has it."""
    if hasattr(module.DataFrame, "append"):
        patches.wrap(module.DataFrame, "append", _append, reason="")


def _print_without_quotes(module: Any) -> None:
    """Prints texts among categories without quotation marks, as before pandas 1.1."""
    if hasattr(module, "QUOTE_NONNUMERIC"):
        patches.patch(module, "QUOTE_NONNUMERIC", None, reason="")


# as in `library_calls`
CALLS = (
    ("pandas", "concat", _concat),
    ("pandas.core.groupby.groupby", "GroupBy.size", _size),
    ("pandas.io.parsers.c_parser_wrapper", "CParserWrapper.__init__", _read_fast),
)
PATCHES: Dict[str, Callable[[Any], None]] = {
    "pandas.core.arrays.categorical": _print_without_quotes,
    "pandas.core.frame": _patch_frames,
    "pandas.io.formats.format": _print_without_quotes,
}

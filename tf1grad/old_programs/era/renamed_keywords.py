"""Lets functions and classes of Matplotlib and scikit-learn take keywords by the names that they had."""

import functools
import sys
import types
from typing import Any, Callable, Dict, List, Tuple

from tf1grad.old_programs.era.fix_messages import say
from tf1grad.old_programs.names import package_rows
from tf1grad.old_programs.names.packages import numbers
from tf1grad.old_programs.names.rows import Row, function_of, keyword_of
from tf1grad.old_programs.process import patches


def _place(row: Row) -> Tuple[str, str]:
    """Returns the module or class that owns the function of a row, and the function's name; a class is its __init__."""
    owner, _, name = function_of(row).rpartition(".")
    return (function_of(row), "__init__") if name[0].isupper() else (owner, name)


# module -> the rows of its functions and classes
ROWS: Dict[str, List[Row]] = {}
for _row in package_rows.ROWS:
    if _row.kind == "keyword" and _row.new:
        _outer, _, _last = _place(_row)[0].rpartition(".")
        ROWS.setdefault(_outer if _last[0].isupper() else f"{_outer}.{_last}", []).append(_row)


def patch(module: types.ModuleType) -> None:
    """Changes the functions that have lost a keyword in the installed release."""
    version = numbers(sys.modules[module.__name__.partition(".")[0]].__version__)
    for row in ROWS[module.__name__]:
        owner, name = _place(row)
        if version >= numbers(row.since):
            holder = module if owner == module.__name__ else getattr(module, owner.rpartition(".")[2])
            patches.wrap(holder, name, functools.partial(_renamed, row), reason="")


def _renamed(row: Row, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    if keyword_of(row) in kwargs:
        say(row.run, f"replaced by {row.new}")
        kwargs[str(row.new)] = kwargs.pop(keyword_of(row))
    return function(*args, **kwargs)

"""Lets functions and classes of Matplotlib and scikit-learn take keywords by
the names that they had.
"""

from __future__ import annotations

import functools
import sys
from typing import Any, Callable

from tf1grad.programs.names import package_rows
from tf1grad.programs.names.packages import numbers
from tf1grad.programs.names.rows import Row, function_of, keyword_of
from tf1grad.run.dropped_names.fix_messages import warn_once


def _place(row: Row) -> tuple[str, str]:
    """Returns the module of a row's function, and the function in it;
    that of a class is its __init__.
    """
    names = function_of(row).split(".")
    start = next((index for index, name in enumerate(names) if name[0].isupper()), len(names) - 1)
    names += ["__init__"] if names[-1][0].isupper() else []
    return ".".join(names[:start]), ".".join(names[start:])


def _renamed(row: Row, function: Callable[..., Any], *args: object, **kwargs: object) -> Any:
    if keyword_of(row) in kwargs:
        installed = sys.modules[row.old.partition(".")[0]].__version__
        if numbers(installed) >= numbers(row.since):
            warn_once(row.run, f"replaced by {row.new}")
            kwargs[str(row.new)] = kwargs.pop(keyword_of(row))
    return function(*args, **kwargs)


# as in `library_calls`
CALLS = tuple(
    (*_place(row), functools.partial(_renamed, row))
    for row in package_rows.ROWS
    if row.kind == "keyword" and row.new
)

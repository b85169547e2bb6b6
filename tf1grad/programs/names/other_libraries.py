"""Finds the row of a name that left Python or a library beside TensorFlow."""

from __future__ import annotations

import functools
import re

from tf1grad.programs.names import (
    numpy_rows,
    package_rows,
    python_rows,
    recorded_names,
    scipy_rows,
)
from tf1grad.programs.names.dotted_names import join, prefixes
from tf1grad.programs.names.rows import Row, Rows

ROWS = python_rows.ROWS + numpy_rows.ROWS + scipy_rows.ROWS + package_rows.ROWS


@functools.lru_cache(maxsize=None)
def row_of(name: str) -> Row | None:
    """Returns the row of a dotted name or of the longest part that has one,
    with the rest added to the new name.

    A name that only the recorded lists have has nothing that replaces it.
    """
    for start, rest in prefixes(canonical(name)):
        row = _BY_NAME.get(start)
        if row is not None:
            return row._replace(new=row.new and join(row.new, *rest)) if rest else row
    return recorded_names.row_of(canonical(name))


def canonical(name: str) -> str:
    """Returns the dotted name under which a row has it: one module has two names."""
    return re.sub(r"^matplotlib\.pyplot\.cm\b", "matplotlib.cm", name)


def library_of(row: Row) -> str:
    """Returns the title of the library that had a name."""
    return row.since.replace("deprecated in ", "").replace("by ", "").rpartition(" ")[0]


def select_rows(*kinds: str) -> Rows:
    """Returns the rows of some kinds."""
    return tuple(row for row in ROWS if row.kind in kinds)


_BY_NAME = {row.old: row for row in select_rows("name", "module", "submodule")}

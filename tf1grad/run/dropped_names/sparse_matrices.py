"""Gives SciPy's sparse matrices the order of entries and the attributes that they had in SciPy 1.5.

`coo_matrix.sum_duplicates` orders entries by columns, as there. `find`, `todok`, `nonzero` and
`astype` rest on it, and so do the values of programs that take batches in this order. It is changed
for all code in the process: SciPy does not document an order.
"""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Any, Callable

from tf1grad.programs.process import ownership, patches
from tf1grad.run.dropped_names import user_properties
from tf1grad.run.dropped_names.fix_messages import warn_once

if TYPE_CHECKING:
    import numpy as np


def patch(sparse: types.ModuleType) -> None:
    """Changes the classes of `scipy.sparse`, where they are not as in SciPy 1.5."""
    for kind in ("matrix", "array"):
        coo, csr = vars(sparse).get(f"coo_{kind}"), vars(sparse).get(f"csr_{kind}")
        if coo is not None and not _orders_by_columns(coo):
            patches.wrap(coo, "sum_duplicates", _by_columns, reason="")
            patches.wrap(csr, "tocoo", _to_be_ordered, reason="")
    for name in ("spmatrix", "sparray"):
        cls = vars(sparse).get(name)
        if cls is not None and not hasattr(cls, "__getattr__"):
            user_properties.add(cls, "A", _dense)


def _orders_by_columns(cls: type) -> bool:
    matrix = cls(([1, 1], ([0, 1], [1, 0])), (2, 2))
    matrix.sum_duplicates()
    return bool(matrix.col[0] == 0)


def _by_columns(sum_duplicates: Callable[[Any], None], matrix: Any) -> None:
    """Sorts the transposed matrix by rows."""
    if matrix.has_canonical_format or matrix.ndim != 2:
        return sum_duplicates(matrix)
    matrix.row, matrix.col = matrix.col, matrix.row
    try:
        sum_duplicates(matrix)
    finally:
        matrix.row, matrix.col = matrix.col, matrix.row
    if (matrix.row[1:] < matrix.row[:-1]).any() and ownership.place_of_user_code():
        warn_once("scipy.sparse order of entries", "entries come column by column, as in SciPy 1.5")


def _to_be_ordered(
    tocoo: patches.Function, matrix: object, *arguments: object, **options: object
) -> Any:
    """Returns entries in the order of rows, which is not final:
    `sum_duplicates` is still to order them.
    """
    entries = tocoo(matrix, *arguments, **options)
    entries.has_canonical_format = False
    return entries


def _dense(matrix: Any) -> np.ndarray:
    """Returns a matrix as an array."""
    warn_once("scipy.sparse matrix.A", "A is toarray(), as before SciPy 1.14")
    return matrix.toarray()

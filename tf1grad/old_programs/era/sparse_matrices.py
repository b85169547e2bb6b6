"""Gives SciPy's sparse matrices the order of entries and the attributes that they had in SciPy 1.5.

`coo_matrix.sum_duplicates` orders entries by columns, as there. `find`, `todok`, `nonzero` and `astype` rest on it, and
so do the values of programs that take batches in this order. It is changed for all code in the process: SciPy does not
document an order.
"""

import functools
import types
from typing import Any, Callable

from tf1grad.old_programs.era.fix_messages import say
from tf1grad.old_programs.process import ownership

_ORDER = ("scipy.sparse order of entries", "entries come column by column, as in SciPy 1.5")
_ATTRIBUTES = ("scipy.sparse matrix.A", "A is toarray(), and H is the conjugate transpose, as before SciPy 1.14")


def patch(sparse: types.ModuleType) -> None:
    """Changes the classes of `scipy.sparse`, where they are not as in SciPy 1.5."""
    for coo, csr in ((f"coo_{kind}", f"csr_{kind}") for kind in ("matrix", "array")):
        if coo in vars(sparse) and not _orders_by_columns(vars(sparse)[coo]):
            vars(sparse)[coo].sum_duplicates = _by_columns(vars(sparse)[coo].sum_duplicates)
            vars(sparse)[csr].tocoo = _to_be_ordered(vars(sparse)[csr].tocoo)
    for name in ("spmatrix", "sparray"):
        _put_back_attributes(vars(sparse).get(name))


def _orders_by_columns(cls: Any) -> bool:
    matrix = cls(([1, 1], ([0, 1], [1, 0])), (2, 2))
    matrix.sum_duplicates()
    return bool(matrix.col[0] == 0)


def _by_columns(sum_duplicates: Callable[[Any], None]) -> Callable[[Any], None]:
    """Returns a `sum_duplicates` that sorts the transposed matrix by rows."""
    @functools.wraps(sum_duplicates)
    def sum_duplicates_by_columns(matrix: Any) -> None:
        if matrix.has_canonical_format or matrix.ndim != 2:
            return sum_duplicates(matrix)
        matrix.row, matrix.col = matrix.col, matrix.row
        try:
            sum_duplicates(matrix)
        finally:
            matrix.row, matrix.col = matrix.col, matrix.row
        if (matrix.row[1:] < matrix.row[:-1]).any() and ownership.place_of_user_code():
            say(*_ORDER)
    return sum_duplicates_by_columns


def _to_be_ordered(tocoo: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a `tocoo` whose entries, in the order of rows, are not final: `sum_duplicates` is still to order them."""
    @functools.wraps(tocoo)
    def tocoo_to_be_ordered(matrix: Any, *arguments: Any, **options: Any) -> Any:
        entries = tocoo(matrix, *arguments, **options)
        entries.has_canonical_format = False
        return entries
    return tocoo_to_be_ordered


def _put_back_attributes(cls: Any) -> None:
    for name, function in (("A", lambda matrix: matrix.toarray()), ("H", lambda matrix: matrix.transpose().conj())):
        if cls is not None and not {name, "__getattr__"} & set(dir(cls)):
            setattr(cls, name, property(functools.partial(_attribute, name, function)))


def _attribute(name: str, function: Callable[[Any], Any], matrix: Any) -> Any:
    if not ownership.is_asked_by_user():
        raise AttributeError(f"{type(matrix).__name__!r} object has no attribute {name!r}")
    say(*_ATTRIBUTES)
    return function(matrix)

"""Collects the functions that rewritten expressions call (`rewritten_expressions.py`); it never imports NumPy."""

from tf1grad.old_programs.era.loaded_modules import modules
from tf1grad.old_programs.era.numpy_calls import (
    FIXES,
    array,
    asarray,
    atleast_1d,
    atleast_2d,
    atleast_3d,
    broadcast_arrays,
    column_stack,
    dstack,
    function,
    hstack,
    index,
    keyword,
    load,
    meshgrid,
    ndim,
    owner,
    save,
    savez,
    savez_compressed,
    shape,
    stack,
    unique,
    vstack,
)

__all__ = ["FIXES", "array", "asarray", "atleast_1d", "atleast_2d", "atleast_3d", "broadcast_arrays", "column_stack",
           "dstack", "function", "hstack", "index", "keyword", "load", "meshgrid", "modules", "ndim", "owner", "save",
           "savez", "savez_compressed", "shape", "stack", "unique", "vstack"]

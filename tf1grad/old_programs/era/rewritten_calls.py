"""Collects the functions that rewritten expressions call (`rewritten_expressions.py`); it never imports NumPy."""

from tf1grad.old_programs.era import empty_arrays, numpy_calls, one_element_arrays
from tf1grad.old_programs.era.empty_arrays import ARRAY, truth
from tf1grad.old_programs.era.loaded_modules import modules
from tf1grad.old_programs.era.numpy_calls import (
    array,
    asarray,
    atleast_1d,
    atleast_2d,
    atleast_3d,
    broadcast_arrays,
    column_stack,
    dstack,
    fromstring,
    function,
    hstack,
    index,
    keyword,
    load,
    meshgrid,
    ndim,
    owner,
    shape,
    stack,
    vstack,
)
from tf1grad.old_programs.era.one_element_arrays import element, number, operand, template

__all__ = ["ARRAY", "array", "asarray", "atleast_1d", "atleast_2d", "atleast_3d", "broadcast_arrays", "column_stack",
           "dstack", "element", "fromstring", "function", "hstack", "index", "keyword", "load", "meshgrid", "modules",
           "ndim", "number", "operand", "owner", "shape", "stack", "template", "truth", "vstack"]

FIXES = one_element_arrays.FIXES + empty_arrays.FIXES + numpy_calls.FIXES

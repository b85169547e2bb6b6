"""Collects the functions that rewritten expressions call (`rewritten_expressions.py`); it never imports NumPy."""

from tf1grad.old_programs.era import numpy_calls, one_element_arrays
from tf1grad.old_programs.era.loaded_modules import modules
from tf1grad.old_programs.era.numpy_calls import array, asarray, fromstring, keyword, load, ndim, owner, shape
from tf1grad.old_programs.era.one_element_arrays import element, number, operand, template

__all__ = ["array", "asarray", "element", "fromstring", "keyword", "load", "modules", "ndim", "number", "operand",
           "owner", "shape", "template"]

FIXES = one_element_arrays.FIXES + numpy_calls.FIXES

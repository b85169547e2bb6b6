"""What a script's rewritten expressions call: see `source.py`. NumPy is used only if the script has imported it."""

from tf1grad.commands.era import numpy_calls, one_number
from tf1grad.commands.era.loaded import modules
from tf1grad.commands.era.numpy_calls import array, asarray, fromstring, keyword, load, ndim, owner, shape
from tf1grad.commands.era.one_number import element, number, operand, template

__all__ = ["array", "asarray", "element", "fromstring", "keyword", "load", "modules", "ndim", "number", "operand",
           "owner", "shape", "template"]

FIXES = one_number.FIXES + numpy_calls.FIXES

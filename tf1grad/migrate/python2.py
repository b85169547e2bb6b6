"""Divides as Python 2 did, for upgraded programs in which the text does not show whether both numbers are whole."""

from tf1grad.old_programs.python2.meaning import divided as divide
from tf1grad.old_programs.python2.meaning import divided_in_place as divide_in_place

__all__ = ["divide", "divide_in_place"]

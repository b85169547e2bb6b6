"""Lets an array of one number count as that number, and large numbers wrap around, for upgraded programs."""

from tf1grad.old_programs.era import fix_messages, numpy_calls, one_element_arrays
from tf1grad.old_programs.era.numpy_calls import array
from tf1grad.old_programs.era.one_element_arrays import element, number, operand

__all__ = ["array", "element", "number", "operand"]

fix_messages.expect(one_element_arrays.FIXES + numpy_calls.FIXES)

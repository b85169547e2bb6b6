"""Makes an empty array count as false again where code tests it, as it did until NumPy 2.2."""

import sys
import types
import warnings
from typing import Any, List

from tf1grad.old_programs.era.fix_messages import say

_EMPTY = ("numpy if array", "an empty array counts as false")
FIXES = (_EMPTY,)


class Nothing:
    """Has no instances: the class of the arrays that `truth` changes, until a NumPy is there that refuses them."""


# The class of the arrays that `truth` changes. It is in a list, since code reads it before NumPy is imported.
ARRAY: List[Any] = [Nothing]


def truth(value: Any) -> Any:
    """Returns a tested value; an empty array becomes False."""
    if value.__class__ is not ARRAY[0] or value.size:
        return value
    say(*_EMPTY)
    return False


def watch(numpy: types.ModuleType) -> None:
    """Changes empty arrays from now on, if this NumPy rejects them as a truth value."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            bool(numpy.empty(0))
        except ValueError:
            ARRAY[0] = numpy.ndarray


if "numpy" in sys.modules:
    watch(sys.modules["numpy"])

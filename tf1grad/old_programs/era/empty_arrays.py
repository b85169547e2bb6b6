"""Makes an empty array count as false again where code tests it, as it did until NumPy 2.2."""

import functools
import sys
import warnings
from typing import Any

from tf1grad.old_programs.era.fix_messages import say

_EMPTY = ("numpy if array", "an empty array counts as false")
FIXES = (_EMPTY,)


def truth(value: Any) -> Any:
    """Returns a tested value; an empty array becomes False."""
    if type(value).__name__ != "ndarray" or value.size or not _refuses(sys.modules.get("numpy"), value):
        return value
    say(*_EMPTY)
    return False


def _refuses(numpy: Any, value: Any) -> bool:
    """Says whether the installed NumPy rejects an empty array as a truth value."""
    return numpy is not None and isinstance(value, numpy.ndarray) and _probe(numpy)


@functools.lru_cache(maxsize=None)
def _probe(numpy: Any) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return bool(numpy.empty(0))
        except ValueError:
            return True

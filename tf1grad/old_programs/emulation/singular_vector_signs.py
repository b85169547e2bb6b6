"""Says where weights are made of singular vectors: their signs are the choice of NumPy's LAPACK, and it has changed.

With NumPy 1.18 beside TensorFlow 1.15 and NumPy 1.26 or 2 beside later versions, a 4 by 64 matrix has some vectors of
the other sign. Networks with orthogonal weights of the user's own begin elsewhere then.
"""

from __future__ import annotations

import functools
import sys
from typing import Any, Callable, List

from tf1grad.old_programs.process import ownership

TOLD = (
    "tf1grad: numpy.linalg.svd (%s:%d): singular vectors may have other signs than NumPy gave them beside TensorFlow "
    "1.15, and then so have weights that are made of them. To compare versions, make each vector's greatest element "
    "positive in both.\n")
_told: List[bool] = []


def install() -> None:
    """Puts a function in the place of `numpy.linalg.svd` that does as it does; once it says who uses it."""
    import numpy
    numpy.linalg.svd = _telling(numpy.linalg.svd)


def _telling(svd: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(svd)
    def telling(*arguments: Any, **options: Any) -> Any:
        caller = sys._getframe(1)
        makes_vectors = arguments[2] if len(arguments) > 2 else options.get("compute_uv", True)
        if not _told and makes_vectors and ownership.is_users_file(caller.f_code.co_filename):
            _told.append(True)
            sys.stderr.write(TOLD % (caller.f_code.co_filename, caller.f_lineno))
        return svd(*arguments, **options)
    return telling

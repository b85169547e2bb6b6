"""Keeps the states of `random` and `numpy.random` while installed packages are imported.

Today's libraries may draw a random number when they are imported; those of TensorFlow 1.15's time
drew nothing.

Threads may enter at the same time. The states belong to the process: numbers that another thread
draws in the meantime are drawn again, and where the imports of two threads overlap the states may
have moved. Start threads after imports.
"""

import contextlib
import random
import sys
import threading
from typing import Any, Iterator

_here = threading.local()


def are_kept() -> bool:
    """Says whether this thread is in such a context."""
    return getattr(_here, "are_kept", False)


@contextlib.contextmanager
def kept() -> Iterator[None]:
    """Yields a context that leaves the global random states as they were at its beginning."""
    if are_kept():
        yield
        return
    _here.are_kept = True
    numpy_random: Any = sys.modules.get("numpy.random")
    of_python = random.getstate()
    of_numpy = getattr(numpy_random, "get_state", lambda: None)()
    try:
        yield
    finally:
        _here.are_kept = False
        if random.getstate() != of_python:
            random.setstate(of_python)
        if of_numpy is not None:
            numpy_random.set_state(of_numpy)

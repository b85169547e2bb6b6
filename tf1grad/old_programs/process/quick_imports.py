"""Makes large imports cheaper: Python does not look for garbage meanwhile."""

import contextlib
import gc
from typing import Iterator


@contextlib.contextmanager
def importing() -> Iterator[None]:
    """Yields a context for imports. The objects that exist at its end stay out of later garbage collections.

    Each collection would otherwise visit TensorFlow's million objects, and so would the end of the process.
    """
    was_enabled = gc.isenabled()
    gc.collect()  # garbage of the program, which would stay until the process ends
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_enabled:
            gc.enable()

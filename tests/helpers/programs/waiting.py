"""Sets how long a test waits before it fails:
longer where the import of TensorFlow takes longer.
"""

import time

_START = time.monotonic()

import tensorflow.compat.v1  # noqa: E402, F401 - measured here; conftest.py imports this module before TensorFlow

IMPORT_SECONDS = time.monotonic() - _START
SECONDS = 60 * (1 + IMPORT_SECONDS)


def until(happened, seconds=SECONDS):
    """Waits until the function `happened` says so, and gives whether it did."""
    end = time.monotonic() + seconds
    while not happened():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True

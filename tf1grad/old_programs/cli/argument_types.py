"""Holds the argparse types that the commands share: numbers."""

from __future__ import annotations

import argparse
import contextlib


def positive_int(text: str) -> int:
    """Returns the whole number of at least 1 in `text`."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number of at least 1; got {text!r}")
    return int(text)


def positive_float(text: str) -> float:
    """Returns the number above 0 in `text`."""
    with contextlib.suppress(ValueError):
        if float(text) > 0:
            return float(text)
    raise argparse.ArgumentTypeError(f"expected a number above 0; got {text!r}")

"""Holds the argparse types that the commands share: numbers and files."""

from __future__ import annotations

import argparse
import contextlib
import json
import os

SEED_RULES = ("tf1", "count", "native")


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


def seed_rule(text: str) -> str:
    """Returns the rule of op seeds that `text` names, or the absolute path of a file of recorded seeds."""
    if text in SEED_RULES:
        return text
    if not os.path.isfile(text):
        raise argparse.ArgumentTypeError(f"expected {', '.join(SEED_RULES)}, or a file that --record-seeds wrote; got "
                                         f"{text!r}")
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        with open(text, encoding="utf-8") as file:
            if all(len(op) == 4 for ops in json.load(file)["graphs"] for op in ops):
                return os.path.abspath(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not a file that --record-seeds wrote")

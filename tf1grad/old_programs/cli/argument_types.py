"""What is wrong with the words of a command: numbers and files, checked as they are read; and whether it can begin."""

from __future__ import annotations

import argparse
import contextlib
import json
import os

SEED_RULES = ("tf1", "count", "native")


def positive_int(text: str) -> int:
    """The whole number of at least 1 that `text` is."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number of at least 1; got {text!r}")
    return int(text)


def positive_float(text: str) -> float:
    """The number above 0 that `text` is."""
    with contextlib.suppress(ValueError):
        if float(text) > 0:
            return float(text)
    raise argparse.ArgumentTypeError(f"expected a number above 0; got {text!r}")


def seed_rule(text: str) -> str:
    """The rule of op seeds that `text` names, or the absolute path of the file of recorded seeds that it is."""
    if text in SEED_RULES:
        return text
    if not os.path.isfile(text):
        raise argparse.ArgumentTypeError(f"expected {', '.join(SEED_RULES)}, or a file that --record-seeds wrote; got "
                                         f"{text!r}")
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        with open(text, encoding="utf-8") as file:
            if all(len(op) == 4 for ops in json.load(file)["graphs"] for op in ops):
                return os.path.abspath(text)
    raise argparse.ArgumentTypeError(f"{text!r} is no file that --record-seeds wrote")

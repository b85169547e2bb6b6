"""What is wrong with the words of a command: numbers, checked as they are read, and a command that cannot begin."""

import argparse
import contextlib


class UsageError(Exception):
    """The command cannot begin: the message says why in a line, and the exit code is 2."""


def positive_int(text):
    """The whole number of at least 1 that `text` is."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError("expected a whole number of at least 1; got %r" % text)
    return int(text)


def positive_float(text):
    """The number above 0 that `text` is."""
    with contextlib.suppress(ValueError):
        if float(text) > 0:
            return float(text)
    raise argparse.ArgumentTypeError("expected a number above 0; got %r" % text)

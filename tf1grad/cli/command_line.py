"""Holds what commands share: lines on stderr, numbers as arguments, and the words of a script."""

from __future__ import annotations

import argparse
import contextlib
import os
import shlex
import sys

from tf1grad.programs._errors import UsageError

# What a process executes that records a script. `verify` does not import it: it needs nothing of
# `run`.
VERIFY_PROCESS = "tf1grad.cli.verify_process"


def say(command: str, line: str) -> None:
    """Writes a line to stderr that begins with the name of the command."""
    print(f"tf1grad {command}: {line}", file=sys.stderr)


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


def check_writable(option: str, path: str | None) -> str | None:
    """Returns the absolute path of a file that can be written, or None without a `path`.

    It is checked before anything runs, which may change the folder. No file is left if what runs is
    killed.
    """
    if not path:
        return None
    path = os.path.abspath(path)
    is_new = not os.path.exists(path)
    try:
        open(path, "ab").close()
        if is_new:
            os.remove(path)
    except OSError as error:
        raise UsageError(f"cannot write {option} {path!r}: {error.strerror}") from error
    return path


def words_of(option: str, command: str) -> list[str]:
    """Returns the words of a command that an option gives, as a shell splits it."""
    try:
        return shlex.split(command)
    except ValueError as error:  # a quotation mark or an escape has no end
        raise UsageError(f"{option} {command!r}: {error}. Write it as for a shell") from error


def words_after_options(rest: list[str]) -> list[str]:
    """Returns the script and its arguments, without the `--` that may stand before them."""
    return rest[1:] if rest[:1] == ["--"] else rest

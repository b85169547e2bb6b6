"""Holds what commands share: lines on stderr, numbers as arguments, and the options of those that time or compare."""

from __future__ import annotations

import argparse
import contextlib
import functools
import os
import sys
from typing import Any, Callable, List, Optional

from tf1grad.old_programs._errors import UsageError


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


def writable(option: str, path: Optional[str]) -> Optional[str]:
    """Returns the absolute path of a file that can be written, or None without a `path`.

    It is checked before anything runs, which may change the folder. No file is left if what runs is killed.
    """
    if not path:
        return None
    path = os.path.abspath(path)
    is_new = not os.path.exists(path)
    try:
        open(path, "a").close()
        if is_new:
            os.remove(path)
    except OSError as error:
        raise UsageError(f"cannot write {option} {path!r}: {error.strerror}") from error
    return path


def add_script_options(parser: argparse.ArgumentParser, timeout: float) -> None:
    """Adds the options that `verify` and `tune` share, and the script."""
    add = parser.add_argument
    add(
        "-m",
        dest="is_module",
        action="store_true",
        help="SCRIPT is the name of a module, run as python -m does",
    )
    add(
        "--seed",
        type=int,
        default=1,
        metavar="N",
        help="seed for NumPy, random and graphs that the script does not seed (default: 1)",
    )
    add(
        "--run",
        default="",
        metavar="OPTIONS",
        help="more options for tf1grad run, in one word: --run='--no-era'",
    )
    add(
        "--timeout",
        type=positive_float,
        metavar="SECONDS",
        default=timeout,
        help=f"limit for each process (default: {timeout:g})",
    )
    add("--quiet", action="store_true", help="print no progress")
    add(
        "rest",
        nargs=argparse.REMAINDER,
        metavar="SCRIPT [args...]",
        help="the script and its own arguments",
    )


def words_after_options(rest: List[str]) -> List[str]:
    """Returns the script and its arguments, without the `--` that may stand before them."""
    return rest[1:] if rest[:1] == ["--"] else rest


def teller(arguments: argparse.Namespace) -> Callable[[str], Any]:
    """Returns what a command calls with each line of its progress."""
    return (lambda line: None) if arguments.quiet else functools.partial(say, arguments.command)

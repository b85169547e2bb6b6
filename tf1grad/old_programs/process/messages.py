"""Tells the user what tf1grad does while a program runs: on stderr, with a prefix, since the program writes there too.

Threads may call `say` at the same time; each line is written in one piece.
"""

import sys
from typing import Set

PREFIX = "tf1grad: "

_quiet = False
said: Set[str] = set()  # the keys


def be_quiet() -> None:
    """Silences `say` in this process from now on."""
    global _quiet
    _quiet = True


def say(text: str) -> None:
    """Writes lines that can be told from the program's own."""
    if not _quiet:
        for line in text.splitlines():
            sys.stderr.write(f"{PREFIX}{line}\n")


def counted(number: int, noun: str) -> str:
    """Returns a number with its noun, such as "1 file" or "1,200 files"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def warn_once(key: str, text: str) -> None:
    """Writes lines as `say` does, once for each `key`."""
    if is_new(key):
        say(text)


def is_new(key: str) -> bool:
    """Says whether nothing was said under a `key` before, and enters it."""
    is_first = key not in said
    said.add(key)
    return is_first

"""What is said to the user while his program runs: on stderr, and marked, since the program writes there too."""

import sys
from typing import List

PREFIX = "tf1grad: "

_quiet: List[bool] = []


def be_quiet() -> None:
    """From now on nothing more is said in this process, but for what ends it."""
    _quiet.append(True)


def say(text: str) -> None:
    """Writes lines that can be told from the program's own.

    Args:
        text: a line, or several.
    """
    if not _quiet:
        for line in text.splitlines():
            print(PREFIX + line, file=sys.stderr)

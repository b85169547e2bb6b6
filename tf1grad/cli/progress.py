"""Shows on a terminal how far a command is in a long list of files."""

from __future__ import annotations

import sys
import time
from typing import Iterable, Iterator, Sequence

WAIT = 2.0  # seconds before anything is shown, and a tenth of it between two numbers


def shown(paths: Sequence[str], word: str) -> Iterator[str]:
    """Yields the paths; on a terminal a line on stderr counts them, if they take longer than `WAIT`, and goes again."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield from paths
        return
    yield from _counted(paths, len(paths), word)


def _counted(paths: Iterable[str], number: int, word: str) -> Iterator[str]:
    next_time = time.monotonic() + WAIT
    is_written = False
    try:
        for index, path in enumerate(paths):
            if time.monotonic() >= next_time:
                sys.stderr.write(f"\r{word} {index} of {number} files")
                sys.stderr.flush()
                is_written = True
                next_time = time.monotonic() + WAIT / 10
            yield path
    finally:
        if is_written:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()

"""Shows on a terminal how far a command is in a long list of files."""

from __future__ import annotations

import time
from typing import Iterator, Sequence

from tf1grad.programs.process import messages

WAIT = 2.0  # seconds before anything is shown


def show_while_reading(paths: Sequence[str], word: str) -> Iterator[str]:
    """Yields the paths; on a terminal a line on stderr counts them,
    if they take longer than `WAIT`, and goes again.
    """
    begin = time.monotonic() + WAIT
    files = messages.counted(len(paths), "file")
    try:
        for index, path in enumerate(paths):
            if time.monotonic() >= begin:
                messages.show(f"{word} {index} of {files}")
            yield path
    finally:
        messages.clear()

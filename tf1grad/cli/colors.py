"""Says whether a stream shows colours, and writes words in them."""

from __future__ import annotations

import os
from typing import IO

CODES = {"error": "31", "warning": "33", "note": "36", "place": "1"}


def are_shown(stream: IO[str]) -> bool:
    """Says whether a stream shows colours: a terminal does, unless NO_COLOR is set;
    FORCE_COLOR makes any stream do.
    """
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def painted(text: str, code: str) -> str:
    """Returns `text` in the colour that `CODES` has for a severity or a place."""
    return f"\033[{CODES[code]}m{text}\033[0m"

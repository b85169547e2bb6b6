"""Suggests the closest known word or file for one that does not exist."""

from __future__ import annotations

import difflib
import os
from typing import Iterable


def meant(word: str, known: Iterable[str]) -> str:
    """Returns a question after the closest of the `known` words, or "" where none is close."""
    close = difflib.get_close_matches(word, list(known), 1)
    return f" Did you mean {close[0]}?" if close else ""


def meant_file(path: str) -> str:
    """Returns a question after the file beside a missing `path` that has almost its name, or ""."""
    folder, name = os.path.split(path)
    try:
        names = {each.lower(): each for each in os.listdir(folder or os.curdir)}
    except OSError:
        return ""
    close = difflib.get_close_matches(name.lower(), list(names), 1, cutoff=0.8)
    return f" Did you mean {os.path.join(folder, names[close[0]])}?" if close else ""

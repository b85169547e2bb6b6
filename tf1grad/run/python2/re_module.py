"""Splits text as Python 2's `re` did: not where a pattern matches no character."""

from __future__ import annotations

import re
from typing import Any

__all__ = re.__all__


def split(pattern: Any, string: Any, maxsplit: int = 0, flags: int = 0) -> list[Any]:
    """Splits as `re.split` does, but not where the pattern matches no character."""
    compiled = re.compile(pattern, flags)
    parts: list[Any] = []
    last = start = 0
    while not maxsplit or len(parts) < maxsplit * (compiled.groups + 1):
        match = compiled.search(string, start)
        if match is None or match.start() == len(string):
            break
        if match.end() == match.start():
            start = match.end() + 1
            continue
        parts += [string[last : match.start()], *match.groups()]
        last = start = match.end()
    return [*parts, string[last:]]


def __getattr__(name: str) -> object:
    return getattr(re, name)

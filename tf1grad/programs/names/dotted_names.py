"""Joins and splits dotted names."""

from __future__ import annotations

from typing import Iterator


def join(*names: str) -> str:
    """Returns the dotted name of names, of which some may be ""."""
    return ".".join(filter(None, names))


def split(name: str) -> tuple[str, str]:
    """Returns the module and the last part of a dotted name;
    the module is "" where there is none.
    """
    module, _, last = name.rpartition(".")
    return module, last


def prefixes(name: str) -> Iterator[tuple[str, list[str]]]:
    """Yields a dotted name and every shorter one that it starts with,
    each with the parts that follow.
    """
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        yield ".".join(parts[:length]), parts[length:]

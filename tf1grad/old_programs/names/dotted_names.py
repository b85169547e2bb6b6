"""Joins and splits dotted names."""

from __future__ import annotations


def join(*names: str) -> str:
    """Returns the dotted name of names, of which some may be ""."""
    return ".".join(filter(None, names))


def split(name: str) -> tuple[str, str]:
    """Returns the module and the last part of a dotted name; the module is "" where there is none."""
    module, _, last = name.rpartition(".")
    return module, last

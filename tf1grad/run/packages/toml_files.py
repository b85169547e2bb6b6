"""Reads TOML. It imports no other part of this room,
since `check` reads its settings at each start.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any


def add_reader() -> None:
    """Fetches what reads TOML for a Python that cannot;
    not in a part's fetch, under whose lock nothing else is.
    """
    if sys.version_info < (3, 11):
        from tf1grad.programs.period import layer

        layer.add_readers()


def read(text: str) -> dict[str, Any]:
    """Returns the contents of a TOML file; a ValueError where it is none."""
    if sys.version_info >= (3, 11):
        import tomllib

        return tomllib.loads(text)
    add_reader()
    contents: dict[str, Any] = importlib.import_module("tomli").loads(text)
    return contents

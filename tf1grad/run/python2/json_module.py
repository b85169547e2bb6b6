"""Writes JSON as Python 2's `json` did, also to binary files."""

from __future__ import annotations

import json
from typing import Any

from tf1grad.run.python2 import text_or_bytes

__all__ = json.__all__


def dump(obj: object, fp: Any, **options: Any) -> None:
    """Writes an object to a file of any kind."""
    json.dump(obj, text_or_bytes.writer_of(fp), **options)


def __getattr__(name: str) -> object:
    return getattr(json, name)

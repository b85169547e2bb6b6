"""Reads pickles that Python 2 wrote, as its `cPickle` did, also from files opened as text."""

from __future__ import annotations

import pickle
from typing import Any

ENCODING = "latin1"  # every byte of a string of Python 2 has a character in it
PROTOCOL = 0


class Unpickler(pickle.Unpickler):
    """Reads objects from a file, their strings as text."""

    def __init__(self, file: Any, encoding: str = ENCODING, **options: Any) -> None:
        super().__init__(getattr(file, "buffer", file), encoding=encoding, **options)


def load(file: Any, encoding: str = ENCODING, **options: Any) -> Any:
    """Returns the object in a file, its strings as text."""
    return Unpickler(file, encoding, **options).load()


def loads(data: str | bytes, encoding: str = ENCODING, **options: Any) -> Any:
    """Returns the object in bytes, or in text of one byte a character."""
    return pickle.loads(
        data.encode(ENCODING) if isinstance(data, str) else data, encoding=encoding, **options
    )


def dump(obj: Any, file: Any, protocol: int | None = PROTOCOL) -> None:
    """Writes an object to a file that Python 2 can read."""
    pickle.dump(obj, getattr(file, "buffer", file), protocol)


def dumps(obj: Any, protocol: int | None = PROTOCOL) -> bytes:
    """Returns the same as bytes."""
    return pickle.dumps(obj, protocol)


def __getattr__(name: str) -> Any:
    return getattr(pickle, name)

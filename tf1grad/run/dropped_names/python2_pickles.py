"""Reads pickles that Python 2 wrote, as its `cPickle` did,
also from files opened as text, and writes to them.
"""

from __future__ import annotations

import io
import pickle
from typing import Any

ENCODING = "latin1"  # every byte of a string of Python 2 has a character in it
PROTOCOL = 0


class Python2Unpickler(pickle.Unpickler):
    """Reads objects from a file, their strings as text."""

    def __init__(self, file: Any, encoding: str = ENCODING, **options: Any) -> None:
        self._file = file  # if it were collected, its buffer would be closed
        super().__init__(_binary(file), encoding=encoding, **options)


class Python2Pickler(pickle.Pickler):
    """Writes objects to a file that Python 2 can read."""

    def __init__(self, file: Any, protocol: int | None = PROTOCOL) -> None:
        self._file = file
        super().__init__(_binary(file), protocol)


# The names of cPickle.
Pickler, Unpickler = Python2Pickler, Python2Unpickler


class _BytesOfText:
    """Reads and writes the text of a `StringIO` as bytes, one a character."""

    def __init__(self, file: io.TextIOBase) -> None:
        self._file = file

    def read(self, size: int = -1) -> bytes:
        return self._file.read(size).encode(ENCODING)

    def readline(self) -> bytes:
        return self._file.readline().encode(ENCODING)

    def write(self, data: Any) -> int:
        return self._file.write(bytes(data).decode(ENCODING))


def _binary(file: Any) -> Any:
    """Returns the bytes of a file that may be text, from where its text was read or written to."""
    if not isinstance(file, io.TextIOBase):
        return getattr(file, "buffer", file)
    if not hasattr(file, "buffer"):
        return _BytesOfText(file)
    if file.seekable():
        file.seek(file.tell())
    return file.buffer


def load(file: object, encoding: str = ENCODING, **options: object) -> Any:
    """Returns the object in a file, its strings as text."""
    return Python2Unpickler(file, encoding, **options).load()


def loads(data: str | bytes, encoding: str = ENCODING, **options: Any) -> Any:
    """Returns the object in bytes, or in text of one byte a character."""
    return pickle.loads(
        data.encode(ENCODING) if isinstance(data, str) else data, encoding=encoding, **options
    )


def dump(obj: Any, file: Any, protocol: int | None = PROTOCOL) -> None:
    """Writes an object to a file that Python 2 can read."""
    Python2Pickler(file, protocol).dump(obj)


def dumps(obj: object, protocol: int | None = PROTOCOL) -> bytes:
    """Returns the same as bytes."""
    return pickle.dumps(obj, protocol)


def __getattr__(name: str) -> Any:
    return getattr(pickle, name)

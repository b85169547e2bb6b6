"""Lets text and bytes meet, which were one type in Python 2.

Python 3 gives bytes where a program of Python 2 had text: binary files, pipes, `encode`. They
become text, as UTF-8, where they meet text: in a method of text, beside a literal, in `print` and
`csv`. Text becomes bytes where a binary file takes it. Nothing else is converted: keys of dicts,
comparisons of two variables, arguments of `struct` or `zlib`.
"""

from __future__ import annotations

import functools
import io
import subprocess
import tempfile
from typing import Any, Callable, Iterable, Iterator

FILES = (io.IOBase, tempfile.SpooledTemporaryFile)  # the latter is an IOBase since Python 3.11
# Methods of text that return text, or parts of it.
_GIVING_TEXT = (
    *("capitalize", "join", "lower", "lstrip", "partition", "replace", "rpartition", "rsplit"),
    *("rstrip", "split", "splitlines", "strip", "title", "translate", "upper"),
)
# These return a position, a number or a bool: those of the bytes.
_GIVING_PLACES = ("count", "endswith", "find", "index", "rfind", "rindex", "startswith")
METHODS = (*_GIVING_TEXT, *_GIVING_PLACES, "format")


def encode(text: str) -> bytes:
    """Returns the bytes of a text."""
    return text.encode("utf-8", "surrogateescape")


def as_text(value: object) -> Any:
    """Returns bytes as text; all else as it is."""
    return value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else value


def as_text_within(value: object) -> Any:
    """Returns the right side of `"..." % value` with text for bytes, also in a tuple or a dict."""
    if isinstance(value, tuple):
        return tuple(map(as_text, value))
    if type(value) is dict:
        return {key: as_text(each) for key, each in value.items()}
    return as_text(value)


def method_of(value: str | bytes, name: str) -> Callable[..., Any]:
    """Returns a method of text. That of bytes takes text, and returns it,
    unless it is given bytes.
    """
    if isinstance(value, bytes):
        return functools.partial(_call_of_bytes, value, name)
    if name == "join":
        return lambda parts: value.join(map(as_text, parts))
    if name == "format":
        return lambda *values, **named: value.format(*map(as_text, values), **as_text_within(named))
    if name == "translate":
        return functools.partial(_translate, value)
    return getattr(value, name)


def _translate(text: str, table: Any, deleted: str = "") -> str:
    """Maps characters after it deleted some; None as the table maps none."""
    if deleted:
        text = text.translate(dict.fromkeys(map(ord, as_text(deleted))))
    return text if table is None else text.translate(table)


def _call_of_bytes(value: bytes, name: str, *arguments: object) -> object:
    is_about_bytes = any(isinstance(each, bytes) for each in arguments)
    if is_about_bytes or name in _GIVING_PLACES:
        return getattr(value, name)(*map(_as_bytes, arguments))
    return method_of(as_text(value), name)(*arguments)


def _as_bytes(value: object) -> object:
    if isinstance(value, tuple):
        return tuple(map(_as_bytes, value))
    return encode(value) if isinstance(value, str) else value


def write(write_to_file: Callable[[Any], Any], data: object) -> Any:
    """Writes text or bytes to a file of any kind, as the one of them that it takes."""
    try:
        return write_to_file(data)
    except TypeError:
        if not isinstance(data, (str, bytes)):
            raise
        return write_to_file(encode(data) if isinstance(data, str) else as_text(data))


def write_lines(write_to_file: Callable[[Any], Any], lines: Iterable[object]) -> None:
    """Writes lines, each of which is text or bytes."""
    for line in lines:
        write(write_to_file, line)


def is_file(value: object) -> bool:
    """Says whether something is a file, also one in a wrapper such as that of
    `NamedTemporaryFile`.
    """
    return isinstance(getattr(value, "file", value), FILES)


class AnyWriter:
    """Writes to a file what functions of the standard library write:
    text, whatever the file takes.
    """

    def __init__(self, file: Any) -> None:
        self._file = file

    def write(self, data: object) -> Any:
        """Writes text or bytes."""
        return write(self._file.write, data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


def writer_of(file: Any) -> Any:
    """Returns what writes text to a file; to anything else it is written as it is."""
    return AnyWriter(file) if is_file(file) else file


def lines_of(file: Iterable[Any]) -> Iterator[Any]:
    """Yields the lines of a file or a list, as text."""
    return map(as_text, file)


def print_text(*values: object, file: Any = None, **options: Any) -> None:
    """Prints values, bytes as text, to a file of any kind."""
    print(*map(as_text, values), file=writer_of(file), **options)


def communicate(process: subprocess.Popen[Any], *arguments: Any, **options: Any) -> Any:
    """Gives text to a child process, also one whose pipes are binary."""
    if isinstance(process.stdin, (io.BufferedIOBase, io.RawIOBase)):
        arguments = tuple(map(_as_bytes, arguments))
        options = {name: _as_bytes(value) for name, value in options.items()}
    return process.communicate(*arguments, **options)

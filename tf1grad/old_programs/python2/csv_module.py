"""The module `csv` of Python 2, whose files are opened as bytes: `csv.reader(open(path, "rb"))`."""

import csv
import io
from typing import Any, BinaryIO, Iterable, Iterator, List, Union

__all__ = list(csv.__all__)
ENCODING = {"encoding": "utf-8", "errors": "surrogateescape"}


def reader(csvfile: Iterable[Union[str, bytes]], *args: Any, **kwargs: Any) -> Iterator[List[str]]:
    """`csv.reader`, of lines of bytes as well."""
    return csv.reader(_texts(csvfile), *args, **kwargs)


def writer(csvfile: Any, *args: Any, **kwargs: Any) -> Any:
    """`csv.writer`, to files of bytes as well."""
    return csv.writer(_Encoding(csvfile) if _is_binary(csvfile) else csvfile, *args, **kwargs)


class DictReader(csv.DictReader):  # type: ignore[type-arg]
    """`csv.DictReader`, of lines of bytes as well."""

    def __init__(self, f: Iterable[Union[str, bytes]], *args: Any, **kwargs: Any) -> None:
        super().__init__(_texts(f), *args, **kwargs)


class DictWriter(csv.DictWriter):  # type: ignore[type-arg]
    """`csv.DictWriter`, to files of bytes as well."""

    def __init__(self, f: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(_Encoding(f) if _is_binary(f) else f, *args, **kwargs)


class _Encoding:
    """A file of bytes as one of text, to write to; it stays the program's to close."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def write(self, text: str) -> int:
        """Writes text."""
        return self._file.write(text.encode(**ENCODING))


def _texts(lines: Iterable[Union[str, bytes]]) -> Iterator[str]:
    return (line.decode(**ENCODING) if isinstance(line, bytes) else line for line in lines)


def _is_binary(file: Any) -> bool:
    return isinstance(file, (io.RawIOBase, io.BufferedIOBase)) or "b" in str(getattr(file, "mode", ""))


def __getattr__(name: str) -> Any:
    return getattr(csv, name)  # all else is as it is

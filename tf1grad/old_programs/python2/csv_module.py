"""Provides `csv` of Python 2, which takes files opened as bytes: `csv.reader(open(path, "rb"))`."""

import csv
import io
from typing import Any, BinaryIO, Iterable, Iterator, List, Union

__all__ = list(csv.__all__)
ENCODING = {"encoding": "utf-8", "errors": "surrogateescape"}


def reader(csvfile: Iterable[Union[str, bytes]], *args: Any, **kwargs: Any) -> Iterator[List[str]]:
    """Returns `csv.reader`, also for lines of bytes."""
    return csv.reader(_texts(csvfile), *args, **kwargs)


def writer(csvfile: Any, *args: Any, **kwargs: Any) -> Any:
    """Returns `csv.writer`, also for files of bytes."""
    return csv.writer(_Encoding(csvfile) if _is_binary(csvfile) else csvfile, *args, **kwargs)


class DictReader(csv.DictReader):  # type: ignore[type-arg]
    """Reads as `csv.DictReader`, also from lines of bytes."""

    def __init__(self, f: Iterable[Union[str, bytes]], *args: Any, **kwargs: Any) -> None:
        super().__init__(_texts(f), *args, **kwargs)


class DictWriter(csv.DictWriter):  # type: ignore[type-arg]
    """Writes as `csv.DictWriter`, also to files of bytes."""

    def __init__(self, f: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(_Encoding(f) if _is_binary(f) else f, *args, **kwargs)


class _Encoding:
    """Writes text to a file of bytes, which the program closes."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def write(self, text: str) -> int:
        """Writes text."""
        return self._file.write(text.encode(**ENCODING))


def _texts(lines: Iterable[Union[str, bytes]]) -> Iterator[str]:
    return (line.decode(**ENCODING) if isinstance(line, bytes) else line for line in lines)


def _is_binary(file: Any) -> bool:
    return isinstance(file, (io.RawIOBase, io.BufferedIOBase)) or "b" in str(
        getattr(file, "mode", "")
    )


def __getattr__(name: str) -> Any:
    return getattr(csv, name)  # other names are unchanged

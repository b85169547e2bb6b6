"""Reads and writes tables as Python 2's `csv` did: its files were binary, and their lines text."""

from __future__ import annotations

import csv
from typing import Any, Iterable

from tf1grad.run.python2 import text_or_bytes

__all__ = csv.__all__


def reader(csvfile: Iterable[Any], *arguments: Any, **options: Any) -> Any:
    """Reads the rows of a file of any kind, or of lines."""
    return csv.reader(text_or_bytes.lines_of(csvfile), *arguments, **_in_text(options))


def writer(csvfile: Any, *arguments: Any, **options: Any) -> _RowWriter:
    """Writes rows to a file of any kind."""
    file = text_or_bytes.writer_of(csvfile)
    return _RowWriter(csv.writer(file, *arguments, **_in_text(options)))


class _RowWriter:
    """Writes rows, whose bytes are text, by a writer of Python 3."""

    def __init__(self, of_python_3: Any) -> None:
        self._writer = of_python_3
        self.dialect = of_python_3.dialect

    def writerow(self, row: Iterable[object]) -> Any:
        return self._writer.writerow(list(map(text_or_bytes.as_text, row)))

    def writerows(self, rows: Iterable[Iterable[object]]) -> None:
        for row in rows:
            self.writerow(row)


class DictReader(csv.DictReader):  # type: ignore[type-arg]  # Python 3.7 has no arguments of it
    """Reads rows as dicts."""

    def __init__(self, f: Iterable[Any], *arguments: Any, **options: Any) -> None:
        super().__init__(text_or_bytes.lines_of(f), *arguments, **_in_text(options))


class DictWriter(csv.DictWriter):  # type: ignore[type-arg]
    """Writes dicts as rows."""

    def __init__(self, f: Any, *arguments: Any, **options: Any) -> None:
        super().__init__(text_or_bytes.writer_of(f), *arguments, **_in_text(options))
        self.writer: Any = _RowWriter(self.writer)


def _in_text(options: dict[str, Any]) -> dict[str, Any]:
    return {name: text_or_bytes.as_text(value) for name, value in options.items()}


def __getattr__(name: str) -> object:
    return getattr(csv, name)

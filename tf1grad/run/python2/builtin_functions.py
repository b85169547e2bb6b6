"""Defines the built-in functions of Python 2 that Python 3 lacks,
or that have another result there.
"""

from __future__ import annotations

import functools
import importlib
import io
import itertools
import math
import sys
from types import ModuleType
from typing import IO, Any, Callable, Iterable, Optional

from tf1grad.run.python2 import text_or_bytes

Key = Optional[Callable[[Any], Any]]
Compare = Optional[Callable[[Any, Any], int]]


def cmp(x: Any, y: Any) -> Any:
    """Returns -1, 0 or 1 as x compares with y."""
    return (x > y) - (x < y)


def list_range(*bounds: float) -> list[int]:
    """Returns `range` as a list."""
    return list(long_range(*bounds))


def long_range(*bounds: float) -> range:
    """Yields the numbers of `xrange`; the bounds may be whole floats."""
    return range(*map(_index, bounds))


def _index(bound: float) -> int:
    return int(bound) if isinstance(bound, float) else bound  # Python 2 warned


def list_map(function: Callable[..., Any] | None, *sequences: Iterable[object]) -> list[Any]:
    """Returns `map` as a list; None as the function gives the elements,
    and None fills shorter sequences.
    """
    rows = itertools.zip_longest(*sequences)
    if function is not None:
        return [function(*row) for row in rows]
    return list(sequences[0]) if len(sequences) == 1 else list(rows)


def list_filter(function: Callable[[Any], object] | None, sequence: Iterable[Any]) -> Any:
    """Returns `filter` as a string or tuple for such a sequence, and as a list for all others."""
    kept = [element for element in sequence if (element if function is None else function(element))]
    if isinstance(sequence, str):
        return "".join(kept)
    return tuple(kept) if isinstance(sequence, tuple) else kept


def list_zip(*sequences: Iterable[Any]) -> list[tuple[Any, ...]]:
    """Returns `zip` as a list."""
    return list(zip(*sequences))


def round_away(number: Any, ndigits: int = 0) -> Any:
    """Rounds to a float, and without digits halves away from zero."""
    if not isinstance(number, (int, float)):
        return round(number, ndigits)
    if ndigits or not math.isfinite(number):
        return float(round(number, ndigits))
    return math.copysign(math.floor(abs(number) + 0.5), number)


def sort_key(key: Key, compare: Compare) -> Key:
    """Returns the `key` that sorts by `compare` of the keys; both arguments may be None."""
    if compare is None:
        return key
    by = functools.cmp_to_key(compare)
    return by if key is None else lambda element: by(key(element))


def sorted_list(
    iterable: Iterable[Any], cmp: Compare = None, key: Key = None, reverse: bool = False
) -> list[Any]:
    """Sorts, also by a function of two elements."""
    return sorted(iterable, key=sort_key(key, cmp), reverse=bool(reverse))


def reload_module(module: ModuleType) -> ModuleType:
    """Reloads a module, but not `sys`, which programs reloaded to set an encoding."""
    return module if module is sys else importlib.reload(module)


_ENCODING = {"encoding": "utf-8", "errors": "surrogateescape"}


class _TakesText:
    """Writes text and bytes to a binary file: Python 2 had one type for both."""

    def write(self, data: Any) -> int:
        """Writes the data, text as UTF-8, and returns the number of bytes."""
        data = text_or_bytes.encode(data) if isinstance(data, str) else data
        return super().write(data)  # type: ignore[misc]  # of the class beside it


class _BinaryWriter(_TakesText, io.BufferedWriter):
    pass


class _BinaryUpdater(_TakesText, io.BufferedRandom):
    pass


def open_file(name: Any, mode: str = "r", buffering: int = -1, **options: Any) -> IO[Any]:
    """Opens a file; text is read whatever its encoding, and written to binary files too."""
    mode = mode.replace("U", "") or "r"
    if "b" not in mode:
        # Text needs a buffer.
        return open(name, mode, buffering or -1, **{**_ENCODING, **options})
    raw_mode = mode.replace("b", "") or "r"
    if raw_mode == "r" or buffering == 0 or options:
        return open(name, raw_mode + "b", buffering, **options)
    opened = _BinaryUpdater if "+" in raw_mode else _BinaryWriter
    return opened(io.FileIO(name, raw_mode), buffering if buffering > 1 else io.DEFAULT_BUFFER_SIZE)


def evaluated_input(prompt: str = "") -> Any:
    """Returns the value of the expression that somebody types."""
    return eval(input(prompt))


FUNCTIONS: dict[str, object] = {
    "basestring": str,
    "buffer": memoryview,
    "cmp": cmp,
    "file": open_file,
    "filter": list_filter,
    "input": evaluated_input,
    "long": int,
    "map": list_map,
    "open": open_file,
    "print": text_or_bytes.print_text,
    "range": list_range,
    "raw_input": input,
    "reduce": functools.reduce,
    "reload": reload_module,
    "round": round_away,
    "sorted": sorted_list,
    "StandardError": Exception,
    "unichr": chr,
    "unicode": str,
    "xrange": long_range,
    "zip": list_zip,
}

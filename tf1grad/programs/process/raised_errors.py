"""Walks a raised error: the errors that led to it, and the places that its traceback names."""

from __future__ import annotations

from types import TracebackType
from typing import Iterator


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yields an error and those that led to it, each once."""
    seen = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def places(traceback: TracebackType | None) -> Iterator[tuple[str, int]]:
    """Yields the file, as its code object names it, and the line of each entry,
    from the outermost inwards.
    """
    while traceback is not None:
        yield traceback.tb_frame.f_code.co_filename, traceback.tb_lineno
        traceback = traceback.tb_next

"""Tracebacks that begin at the script's own lines."""

from __future__ import annotations

import contextlib
import os
import sys
from types import TracebackType
from typing import Any, Iterator, List, Optional, Set

COMMANDS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# What stands between a script's line and TensorFlow where runs are fast.
BETWEEN = tuple(os.path.join(os.path.dirname(COMMANDS), *path) for path in [("sessions", ""), ("_compat.py",)])


@contextlib.contextmanager
def own_frames_hidden() -> Iterator[None]:
    """What is raised inside is shown, by whatever shows it at the end, without the frames of this command."""
    try:
        yield
    except SystemExit:
        raise
    except BaseException:
        show = sys.excepthook

        def shown(kind: Any, error: BaseException, traceback: Any) -> None:
            _clean(error, set())
            show(kind, error, error.__traceback__)

        sys.excepthook = shown
        raise


def _clean(error: Optional[BaseException], seen: Set[int]) -> None:
    """Takes the frames of this command out of the traceback of `error`, and of what led to it."""
    if error is not None and id(error) not in seen:
        seen.add(id(error))
        error.__traceback__ = _without_own(error.__traceback__)
        _clean(error.__cause__, seen)
        _clean(error.__context__, seen)


def _without_own(traceback: Optional[TracebackType]) -> Optional[TracebackType]:
    entries = []
    while traceback is not None:
        entries.append(traceback)
        traceback = traceback.tb_next
    own = [_is_own(entry) for entry in entries]
    if not any(own):
        return _linked([entry for entry in entries if not _file(entry).startswith(BETWEEN)])
    # What started the command comes before its first frame. Python hides the frames of an import itself, unless ours
    # are among them.
    return _linked([entry for index, entry in enumerate(entries) if any(own[:index]) and not own[index]
                    and not _file(entry).startswith(BETWEEN)
                    and not entry.tb_frame.f_code.co_filename.startswith("<frozen importlib")])


def _linked(kept: List[TracebackType]) -> Optional[TracebackType]:
    following = None
    for entry in reversed(kept):
        entry.tb_next, following = following, entry
    return following


def _is_own(entry: TracebackType) -> bool:
    return _file(entry).startswith(COMMANDS + os.sep)


def _file(entry: TracebackType) -> str:
    return os.path.abspath(entry.tb_frame.f_code.co_filename)

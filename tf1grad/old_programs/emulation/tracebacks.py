"""Shows tracebacks that begin at the script's own lines."""

from __future__ import annotations

import contextlib
import os
import sys
from types import TracebackType
from typing import Any, Iterator, List, Optional

from tf1grad.old_programs._compat import is_installed
from tf1grad.old_programs.emulation import newer_packages, old_libraries
from tf1grad.old_programs.era import numpy_refusals
from tf1grad.old_programs.names import library_releases, packages
from tf1grad.old_programs.period import newer_numpy
from tf1grad.old_programs.process import messages, ownership, patches, raised_errors

# Files between a script's line and TensorFlow where runs are fast.
BETWEEN = tuple(os.path.join(ownership.TF1GRAD, *path) for path in [("sessions", ""), ("_compat.py",)])


@contextlib.contextmanager
def own_frames_hidden() -> Iterator[None]:
    """Yields a context: its exceptions are shown without this command's frames, by whatever shows them at the end."""
    try:
        yield
    except SystemExit:
        raise
    except BaseException:
        show = sys.excepthook

        def shown(kind: Any, error: BaseException, traceback: Any) -> None:
            for each in raised_errors.causes(error):
                each.__traceback__ = _without_own(each.__traceback__)
            show(kind, error, error.__traceback__)
            newer_numpy.tell(error)
            files = [os.path.abspath(file) for file, _ in raised_errors.places(error.__traceback__)]
            advice = (_missing(error) or numpy_refusals.advice(error) or newer_packages.advice(error, files)
                      or old_libraries.advice(files))
            if advice:
                messages.say(advice)

        patches.patch(sys, "excepthook", shown, reason="tracebacks begin at the script's own lines")
        raise


def _missing(error: BaseException) -> Optional[str]:
    """Returns a sentence on a missing package that belongs to TensorFlow 1, or None."""
    if not isinstance(error, ModuleNotFoundError) or not error.name:
        return None
    module = error.name.partition(".")[0]
    library = library_releases.library_of_module(module)
    if is_installed(module) or library is None and module not in packages.CAME_WITH_TENSORFLOW:
        return None
    why = "came with TensorFlow 1.15" if library is None else f"is {library.requirement()} for TensorFlow 1"
    return f"{module} {why} and is not installed. `tf1grad doctor {sys.argv[0]}` prints the line that installs it"


def _without_own(traceback: Optional[TracebackType]) -> Optional[TracebackType]:
    """Returns a traceback without this command's frames."""
    entries = []
    while traceback is not None:
        entries.append(traceback)
        traceback = traceback.tb_next
    own = [ownership.is_own_file(_file(entry)) for entry in entries]
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


def _file(entry: TracebackType) -> str:
    return os.path.abspath(entry.tb_frame.f_code.co_filename)

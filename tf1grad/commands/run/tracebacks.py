"""Tracebacks that begin at the script's own lines."""

import contextlib
import os
import sys

COMMANDS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LIBRARY = os.path.join(COMMANDS, "provided")  # what tf.contrib had, which Python would show as well


@contextlib.contextmanager
def own_frames_hidden():
    """What is raised inside is shown, by whatever shows it at the end, without the frames of this command."""
    try:
        yield
    except SystemExit:
        raise
    except BaseException:
        show = sys.excepthook

        def shown(kind, error, traceback):
            _clean(error, set())
            show(kind, error, error.__traceback__)

        sys.excepthook = shown
        raise


def _clean(error, seen):
    """Takes the frames of this command out of the traceback of `error`, and of what led to it."""
    if error is not None and id(error) not in seen:
        seen.add(id(error))
        error.__traceback__ = _without_own(error.__traceback__)
        _clean(error.__cause__, seen)
        _clean(error.__context__, seen)


def _without_own(traceback):
    entries = []
    while traceback is not None:
        entries.append(traceback)
        traceback = traceback.tb_next
    own = [_is_own(entry) for entry in entries]
    if not any(own):
        return entries[0] if entries else None
    # What started the command comes before its first frame. Python hides the frames of an import itself, unless ours
    # are among them.
    kept = [entry for index, entry in enumerate(entries) if any(own[:index]) and not own[index]
            and not entry.tb_frame.f_code.co_filename.startswith("<frozen importlib")]
    for entry, following in zip(kept, kept[1:] + [None]):
        entry.tb_next = following
    return kept[0] if kept else None


def _is_own(entry):
    file = os.path.abspath(entry.tb_frame.f_code.co_filename)
    return file.startswith(COMMANDS + os.sep) and not file.startswith(LIBRARY + os.sep)

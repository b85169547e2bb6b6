"""Shows errors: with tracebacks that begin at the script's own lines,
and as TensorFlow 1.15 showed those of ops.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable, Iterator

from tf1grad.programs import _compat
from tf1grad.programs.period import numpy_version_errors, parts
from tf1grad.programs.process import messages, ownership, patches, raised_errors
from tf1grad.programs.source import python2_marks
from tf1grad.run.dropped_names import numpy_2_errors
from tf1grad.run.packages import missing_imports
from tf1grad.run.view import flag_names, lstm_states, names_of_other_releases, old_libraries

if TYPE_CHECKING:
    from tf1grad._compat import tf

# What starts a script, and what stands between its lines and TensorFlow where runs are fast.
STARTING = ("runpy.py", "tf1grad")
# In paths of IPython's files.
IPYTHON = (f"{os.sep}IPython{os.sep}", f"{os.sep}{parts.IPYTHON.name}{os.sep}")
BETWEEN = tuple(
    os.path.join(ownership.TF1GRAD, *path)
    for path in [("recipes", "sessions", ""), ("_compat.py",), ("__main__.py",)]
)

_PYTHON_2 = re.compile(r"name '(\w+)' is not defined|'dict' object has no attribute '(\w+)'")
_OP_ERRORS = "errors of ops are shown as in 1.15"
_NODE = re.compile(r"\{\{node ([^}]+)\}\}")
_FRAME = re.compile(r'^  File "([^"]+)", line \d+, in .*\n(?:    .*\n)*', re.MULTILINE)


@contextlib.contextmanager
def own_frames_hidden() -> Iterator[None]:
    """Yields a context: its exceptions are shown without this command's frames,
    by whatever shows them at the end.
    """
    try:
        yield
    except SystemExit:
        raise
    except BaseException:
        hide_own_frames(are_first=True)
        raise


def hide_own_frames(are_first: bool = False) -> None:
    """Lets Python show errors without this package's frames, and with advice, from now on.

    If they `are_first`, those before them belong to what started the command, and are hidden as
    well.
    """

    def shown(
        show: Callable[..., None], kind: object, error: BaseException, traceback: object
    ) -> None:
        for each in raised_errors.causes(error):
            each.__traceback__ = _without_own(each.__traceback__, are_first)
        show(kind, error, error.__traceback__)
        numpy_version_errors.warn_of(error)
        files = [os.path.abspath(file) for file, _ in raised_errors.places(error.__traceback__)]
        advice = (
            missing_imports.advise(error)
            or _of_python_2(error)
            or numpy_2_errors.advise(error)
            or names_of_other_releases.advise(error)
            or lstm_states.advise(error)
            or flag_names.advise(error)
            or missing_imports.advise_on_releases(error, files)
            or old_libraries.advise(files)
        )
        if advice:
            messages.warn_once(advice, advice)

    patches.wrap(sys, "excepthook", shown, reason="tracebacks have the script's own lines only")


def _of_python_2(error: BaseException) -> str | None:
    """Returns a sentence on a function or method that only Python 2 has, or None."""
    match = _PYTHON_2.search(str(error))
    name = next(filter(None, match.groups())) if match else None
    if not isinstance(error, (NameError, AttributeError)) or not (
        name in python2_marks.FUNCTIONS or name in python2_marks.METHODS
    ):
        return None
    return (
        f"{name} is a name of Python 2. If this program is written for Python 2, add `--python 2`"
    )


def _without_own(traceback: TracebackType | None, are_first: bool) -> TracebackType | None:
    """Returns a traceback without this package's frames,
    and those before them where they `are_first`.
    """
    entries = []
    while traceback is not None:
        entries.append(traceback)
        traceback = traceback.tb_next
    own = [ownership.is_own_file(entry.tb_frame.f_code.co_filename) for entry in entries]
    if are_first and True in own:
        entries = entries[own.index(True) :]
    following = None
    for entry in reversed(entries):
        if not _is_hidden(entry.tb_frame.f_code.co_filename):
            entry.tb_next, following = following, entry
    return following


def _is_hidden(file: str) -> bool:
    """Says whether a frame is of this package, of what started the script, or of an import:
    Python hides those too.
    """
    return (
        file.startswith("<frozen ")
        or os.path.basename(file) in STARTING
        or any(folder in file for folder in IPYTHON)
        or os.path.abspath(file).startswith(BETWEEN)
        or ownership.is_own_file(file)
    )


def install_for_ops() -> None:
    """Shows the error of an op as TensorFlow 1.15 did:
    the reason first, and once where the op was made.

    TensorFlow 2 puts where the op was made both before the reason and after it, with the frames of
    `tf1grad run`.
    """
    from tf1grad._compat import tf

    error_interpolation = _compat.resolve("tensorflow.python.framework.error_interpolation")
    patches.patch(error_interpolation, "interpolate_graph", _with_plain_names, reason=_OP_ERRORS)
    patches.wrap(tf.errors.OpError, "__str__", _without_hidden_frames, reason=_OP_ERRORS)


def _without_hidden_frames(show: Callable[[Any], str], error: object) -> str:
    return _FRAME.sub(lambda frame: "" if _is_hidden(frame[1]) else frame[0], show(error))


def _with_plain_names(message: str, graph: tf.Graph) -> str:
    """Returns the message of an error, in which ops are named as 1.15 named them."""
    return _NODE.sub(r"node \1", message)

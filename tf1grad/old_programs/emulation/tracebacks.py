"""Shows errors: with tracebacks that begin at the script's own lines, and as TensorFlow 1.15 showed those of ops."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from types import TracebackType
from typing import Any, Callable, Iterator, Match, Optional

from tf1grad.old_programs import _compat
from tf1grad.old_programs.dropped_names import numpy_2_errors
from tf1grad.old_programs.emulation import old_libraries
from tf1grad.old_programs.packages import missing_imports
from tf1grad.old_programs.period import numpy_version_errors
from tf1grad.old_programs.process import messages, ownership, patches, raised_errors
from tf1grad.old_programs.source import python2_marks

# Files between a script's line and TensorFlow where runs are fast.
BETWEEN = tuple(
    os.path.join(ownership.TF1GRAD, *path) for path in [("sessions", ""), ("_compat.py",)]
)

_PYTHON_2 = re.compile(r"name '(\w+)' is not defined|'dict' object has no attribute '(\w+)'")
_OP_ERRORS = "errors of ops are shown as in 1.15"
_NODE = re.compile(r"\{\{node ([^}]+)\}\}")
_FRAME = re.compile(r'^  File "([^"]+)", line \d+, in .*\n(?:    .*\n)*', re.MULTILINE)


@contextlib.contextmanager
def own_frames_hidden() -> Iterator[None]:
    """Yields a context: its exceptions are shown without this command's frames, by whatever shows them at the end."""
    try:
        yield
    except SystemExit:
        raise
    except BaseException:
        hide_own_frames(are_first=True)
        raise


def hide_own_frames(are_first: bool = False) -> None:
    """Lets Python show errors without this package's frames, and with advice, from now on.

    If they `are_first`, those before them belong to what started the command, and are hidden as well.
    """

    def shown(show: Callable[..., None], kind: Any, error: BaseException, traceback: Any) -> None:
        for each in raised_errors.causes(error):
            each.__traceback__ = _without_own(each.__traceback__, are_first)
        show(kind, error, error.__traceback__)
        numpy_version_errors.warn_of(error)
        files = [os.path.abspath(file) for file, _ in raised_errors.places(error.__traceback__)]
        advice = (
            missing_imports.advice(error)
            or _of_python_2(error)
            or numpy_2_errors.advice(error)
            or missing_imports.advice_on_releases(error, files)
            or old_libraries.advice(files)
        )
        if advice:
            messages.warn_once(advice, advice)

    patches.wrap(sys, "excepthook", shown, reason="tracebacks have the script's own lines only")


def _of_python_2(error: BaseException) -> Optional[str]:
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


def _without_own(traceback: Optional[TracebackType], are_first: bool) -> Optional[TracebackType]:
    """Returns a traceback without this package's frames, and those before them where they `are_first`."""
    entries = []
    while traceback is not None:
        entries.append(traceback)
        traceback = traceback.tb_next
    own = [ownership.is_own_file(entry.tb_frame.f_code.co_filename) for entry in entries]
    if are_first and True in own:
        entries = entries[own.index(True) :]
    following = None
    for entry in reversed(entries):
        if _is_shown(entry.tb_frame.f_code.co_filename):
            entry.tb_next, following = following, entry
    return following


def _is_shown(file: str) -> bool:
    """Says whether a frame is neither this package's nor, as Python hides those too, one of an import itself."""
    is_between = os.path.abspath(file).startswith(BETWEEN)
    is_of_import = file.startswith("<frozen importlib")
    return not (is_between or is_of_import or ownership.is_own_file(file))


def install_for_ops() -> None:
    """Shows the error of an op as TensorFlow 1.15 did: the reason first, and once where the op was made.

    TensorFlow 2 puts where the op was made both before the reason and after it, with the frames of `tf1grad run`.
    """
    from tf1grad._compat import tf

    error_interpolation = _compat.resolve("tensorflow.python.framework.error_interpolation")
    patches.patch(error_interpolation, "interpolate_graph", with_places, reason=_OP_ERRORS)
    patches.wrap(tf.errors.OpError, "__str__", _without_hidden_frames, reason=_OP_ERRORS)


def _without_hidden_frames(show: Callable[[Any], str], error: Any) -> str:
    return _FRAME.sub(lambda frame: "" if _is_hidden(frame[1]) else frame[0], show(error))


def with_places(message: str, graph: Any) -> str:
    """Returns the message of an error, with the user's line that made each op that it names."""

    def named(node: Match[str]) -> str:
        place = _place(graph, node[1])
        return f"node {node[1]}" + (f" (defined at {place}) " if place else "")

    return _NODE.sub(named, message)


def _place(graph: Any, name: str) -> str:
    try:
        operation = graph.get_operation_by_name(name)
    except (KeyError, ValueError):  # an op of a function, or one that the runtime added
        return ""
    frames = _compat.frames_of_op(operation)
    return next(
        (f"{file}:{line}" for file, line in frames if ownership.is_file_of_user_code(file)), ""
    )


def _is_hidden(file: str) -> bool:
    """Says whether a frame belongs to what started the script."""
    starts = file.startswith("<frozen ") or os.path.basename(file) in ("runpy.py", "tf1grad")
    return (
        starts
        or file == os.path.join(ownership.TF1GRAD, "__main__.py")
        or ownership.is_own_file(file)
    )

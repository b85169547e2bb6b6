"""Shows the error of an op as TensorFlow 1.15 did: the reason first, and once where the op was made.

TensorFlow 2 puts where the op was made both before the reason and after it, with the frames of `tf1grad run`.
"""

from __future__ import annotations

import os
import re
from typing import Any, Callable, Match

from tf1grad._compat import tf
from tf1grad.old_programs import _compat
from tf1grad.old_programs.process import ownership, patches

_REASON = "errors of ops are shown as in 1.15"
_NODE = re.compile(r"\{\{node ([^}]+)\}\}")
_FRAME = re.compile(r'^  File "([^"]+)", line \d+, in .*\n(?:    .*\n)*', re.MULTILINE)


def install() -> None:
    """Changes the messages and texts of TensorFlow's errors in this process."""
    error_interpolation = _compat.resolve("tensorflow.python.framework.error_interpolation")
    patches.patch(error_interpolation, "interpolate_graph", with_places, reason=_REASON)
    patches.wrap(tf.errors.OpError, "__str__", _without_hidden_frames, reason=_REASON)


def _without_hidden_frames(show: Callable[[Any], str], error: tf.errors.OpError) -> str:
    return _FRAME.sub(lambda frame: "" if _is_hidden(frame[1]) else frame[0], show(error))


def with_places(message: str, graph: tf.Graph) -> str:
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
    return next((f"{file}:{line}" for file, line in frames if ownership.is_file_of_user_code(file)), "")


def _is_hidden(file: str) -> bool:
    """Says whether a frame belongs to what started the script."""
    starts = file.startswith("<frozen ") or os.path.basename(file) in ("runpy.py", "tf1grad")
    return starts or file == os.path.join(ownership.TF1GRAD, "__main__.py") or ownership.is_own_file(file)

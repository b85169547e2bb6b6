"""Whose graph it is: the user's, or one that a library made for itself.

A graph belongs to whose code made it. TensorFlow's own, the default graph and the graphs of functions among them,
belong to whom they are made for.
"""

from __future__ import annotations

import sys
import types
import weakref
from typing import Callable, Optional

from tf1grad._compat import tf
from tf1grad.old_programs.originals.op_layer import installed
from tf1grad.old_programs.originals.op_layer.installed import graph_state

# Modules whose code makes graphs for those who call it.
_ON_BEHALF = ("tensorflow.", "tf1grad.", "contextlib", "unittest.")

_of_libraries: weakref.WeakSet[tf.Graph] = weakref.WeakSet()


def is_users(graph: Optional[tf.Graph] = None) -> bool:
    """True where `graph`, the default graph if it is None, is the user's; False while ops are executed eagerly."""
    if graph is None:
        if tf.executing_eagerly():
            return False
        graph = tf.get_default_graph()
    return graph not in _of_libraries


def install(is_users_file: Callable[[str], bool]) -> None:
    """Remembers from now on the graphs that libraries make, which are files that `is_users_file` denies."""
    def made(graph: tf.Graph) -> None:
        outer = installed.outer_graph(graph)
        if (outer in _of_libraries) if outer is not None else _is_made_by_library(is_users_file):
            _of_libraries.add(graph)
    graph_state.call_with_new_graphs(made)


def _is_made_by_library(is_users_file: Callable[[str], bool]) -> bool:
    frame: Optional[types.FrameType] = sys._getframe(3)
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if installed.makes_default_graph(frame.f_code):
            return False
        if not name.startswith(_ON_BEHALF):
            file = frame.f_globals.get("__file__")
            return file is not None and not is_users_file(file)
        frame = frame.f_back
    return False

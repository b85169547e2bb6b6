"""Tells the user's graphs from those that a library makes for itself, while the op layer is active.

A graph belongs to the code that made it. TensorFlow's own, the default graph and the graphs of
functions among them, belong to the code that they are made for. Any thread may make graphs.
"""

from __future__ import annotations

from typing import Any, Callable

from tf1grad._compat import tf
from tf1grad.programs import _compat
from tf1grad.programs.process import ownership, patches
from tf1grad.run.op_layer import installed


def is_users(graph: tf.Graph | None = None) -> bool:
    """Returns True where `graph`, by default the default graph, is the user's;
    False while ops are executed eagerly.
    """
    if graph is None:
        if tf.executing_eagerly():
            return False
        graph = tf.get_default_graph()
    return ownership.is_users_graph(graph)


def either(original: patches.Function, asks: Callable[..., bool] | None = None) -> patches.Function:
    """Returns a function for `patches.wrap`: it calls `original` where `asks(arguments)`,
    else what was there before.

    By default the question is whether the default graph is the user's.
    """

    def chosen(before: patches.Function, *arguments: object, **options: object) -> Any:
        is_asked = asks(*arguments, **options) if asks else is_users()
        return (original if is_asked else before)(*arguments, **options)

    return chosen


def install() -> None:
    """Notes from now on the owner of each graph that is made."""

    def remembered(initialize: Any, graph: tf.Graph, *arguments: Any, **options: Any) -> None:
        initialize(graph, *arguments, **options)
        ownership.remember_graph(graph, _compat.outer_graph(graph), installed.makes_default_graph)

    patches.wrap(
        tf.Graph,
        "__init__",
        remembered,
        reason="records whether user code or a library made the graph",
    )

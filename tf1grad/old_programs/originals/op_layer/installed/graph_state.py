"""What 1.15's modules keep in graphs, where the installed TensorFlow keeps it no more."""

from __future__ import annotations

import contextlib
import functools
from typing import Any, Callable, Iterator, Optional

from tf1grad._compat import tf
from tf1grad.old_programs.process import patches


def call_with_new_graphs(function: Callable[[tf.Graph], Any]) -> None:
    """Calls `function` with each graph that is made from now on."""
    initialize = tf.Graph.__init__

    @functools.wraps(initialize)
    def __init__(graph: tf.Graph, *arguments: Any, **options: Any) -> None:
        initialize(graph, *arguments, **options)
        function(graph)
    patches.patch(tf.Graph, "__init__", __init__, owner=__name__, reason="each graph is the user's or a library's")


def complete_graphs() -> None:
    """Gives graphs the attributes that 1.15's modules keep in them."""
    for name in ("_bcast_grad_args_cache", "_reduced_shape_cache"):
        setattr(tf.Graph, name, _Kept(name, dict))
    tf.Graph._auto_cast_variable_read_dtype = None
    tf.Graph._enable_auto_casting_variables = _enable_auto_casting_variables


class _Kept:
    """An attribute that is made when it is first asked for."""

    def __init__(self, name: str, make: Callable[[], Any]) -> None:
        self._name, self._make = "_op_layer" + name, make

    def __get__(self, graph: Optional[tf.Graph], owner: Any = None) -> Any:
        if graph is None:
            return self
        value = getattr(graph, self._name, None)
        if value is None:
            value = self._make()
            setattr(graph, self._name, value)
        return value


@contextlib.contextmanager
def _enable_auto_casting_variables(graph: tf.Graph, dtype: Any) -> Iterator[None]:
    before, graph._auto_cast_variable_read_dtype = graph._auto_cast_variable_read_dtype, dtype
    try:
        yield
    finally:
        graph._auto_cast_variable_read_dtype = before

"""Adds attributes to graphs that 1.15's modules use and that the installed TensorFlow removed."""

from __future__ import annotations

import contextlib
from typing import Any, Iterator, Optional

from tf1grad._compat import tf
from tf1grad.old_programs import _compat


def complete_graphs() -> None:
    """Gives graphs the attributes that 1.15's modules keep in them."""
    for name in ("_bcast_grad_args_cache", "_reduced_shape_cache"):
        setattr(tf.Graph, name, _Cache(name))
    tf.Graph._auto_cast_variable_read_dtype = _ReadDtype()
    tf.Graph._enable_auto_casting_variables = _enable_auto_casting_variables


class _Cache:
    """An attribute of graphs: a dict that is made on first access."""

    def __init__(self, name: str) -> None:
        self._name = "_op_layer" + name

    def __get__(self, graph: Optional[tf.Graph], owner: Any = None) -> Any:
        if graph is None:
            return self
        if getattr(graph, self._name, None) is None:
            setattr(graph, self._name, {})
        return getattr(graph, self._name)


class _ReadDtype:
    """An attribute of graphs: the type to which variables are cast. The graph of a function has that of its caller."""

    def __get__(self, graph: Optional[tf.Graph], owner: Any = None) -> Any:
        while graph is not None:
            dtype = getattr(graph, self._NAME, None)
            if dtype is not None:
                return dtype
            graph = _compat.outer_graph(graph)
        return None

    def __set__(self, graph: tf.Graph, dtype: Any) -> None:
        setattr(graph, self._NAME, dtype if dtype is None else tf.as_dtype(dtype))

    _NAME = "_op_layer_read_dtype"


@contextlib.contextmanager
def _enable_auto_casting_variables(graph: tf.Graph, dtype: Any) -> Iterator[None]:
    before, graph._auto_cast_variable_read_dtype = graph._auto_cast_variable_read_dtype, dtype
    try:
        yield
    finally:
        graph._auto_cast_variable_read_dtype = before

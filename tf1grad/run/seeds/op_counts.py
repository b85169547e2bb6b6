"""Counts the ops of a graph as TF 1.15 would,
which uses their number as the seed of the next random op.

A graph of 1.15's op layer has the ops of TF 1.15. Ops that tf1grad adds to it are left out of the
count.
"""

from __future__ import annotations

import contextlib
import weakref
from typing import Iterator

from tf1grad._compat import tf
from tf1grad.programs import _compat

_shifts: weakref.WeakKeyDictionary[tf.Graph, int] = weakref.WeakKeyDictionary()


def count(graph: tf.Graph) -> int:
    """Returns the number of ops that TF 1.15 would have made in `graph`."""
    return int(graph.version) + _shifts.get(graph, 0)


def shift(graph: tf.Graph, ops: int) -> None:
    """Corrects the count of `graph` by `ops`."""
    _shifts[graph] = _shifts.get(graph, 0) + ops


@contextlib.contextmanager
def uncounted() -> Iterator[None]:
    """Excludes the ops made within the context from the counts of the default graph and
    of the graphs around it.
    """
    graphs = {graph: count(graph) for graph in _compat.walk_outwards(tf.get_default_graph())}
    try:
        yield
    finally:
        for graph, before in graphs.items():
            shift(graph, before - count(graph))

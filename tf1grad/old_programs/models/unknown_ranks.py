"""Finds ranks that a graph accepts for its placeholders of unknown rank."""

from __future__ import annotations

from typing import Any, Dict, Iterable

from tf1grad._compat import tf

RANKS = (0, 1, 2, 3, 4, 5)  # tried in turn: most placeholders without a shape are scalars, such as keep_prob


def of_placeholders(graph_def: Any, tensors: Iterable[tf.Tensor]) -> Dict[str, int]:
    """Returns the lowest rank that the ops of a graph accept, for each tensor of unknown rank that has one.

    Args:
        graph_def: the graph.
        tensors: its placeholders.
    """
    found: Dict[str, int] = {}
    unknown = [tensor for tensor in tensors if tensor.shape.ndims is None]
    for tensor in unknown:
        dtypes = {each.name: each.dtype for each in unknown if each.name in found or each is tensor}
        accepted = (rank for rank in RANKS if _is_accepted(graph_def, dtypes, {**found, tensor.name: rank}))
        rank = next(accepted, None)
        if rank is not None:
            found[tensor.name] = rank
    return found


def _is_accepted(graph_def: Any, dtypes: Dict[str, tf.DType], ranks: Dict[str, int]) -> bool:
    """Says whether the graph's ops infer their shapes without an error."""
    with tf.Graph().as_default():
        placeholders = {name: tf.placeholder(dtypes[name], [None] * rank) for name, rank in ranks.items()}
        try:
            tf.import_graph_def(graph_def, input_map=placeholders, name="ranks")
        except ValueError:
            return False
    return True

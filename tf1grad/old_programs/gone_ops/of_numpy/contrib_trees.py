"""Computes the ops that predict with `tf.contrib.boosted_trees`, for which TensorFlow 2 has no kernels.

The state of an ensemble is its stamp and the serialized message, which checkpoints hold too. Training is not supported.
TensorFlow 1.15.5's wheel had the ops only, without the estimators and the messages.
"""

from __future__ import annotations

import functools
from typing import Any, Iterable, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from tf1grad.old_programs.gone_ops.of_numpy import boosted_trees, tree_ensembles
from tf1grad.old_programs.gone_ops.of_numpy import contrib_tree_messages as messages
from tf1grad.old_programs.gone_ops.of_numpy.numpy_ops import as_bytes, computed

_WHOLE_TREE = 1


def _shapes(learner_config: str, apply_dropout: bool, reduce_dim: bool) -> List[List[Optional[int]]]:
    config = messages.parsed("LearnerConfig", as_bytes(learner_config))
    if config.num_classes < 2:
        raise ValueError(f"learner_config has num_classes={config.num_classes}, but predictions need at least 2")
    if apply_dropout and config.learning_rate_tuner.HasField("dropout"):
        raise NotImplementedError("apply_dropout=True drops trees in training, which tf1grad does not support for "
                                  "tf.contrib.boosted_trees: pass apply_dropout=False")
    return [[None, config.num_classes - reduce_dim], [2, 0], [None, None]]


@computed(shapes_for=_shapes)
def predict(state: bytes, seed: Any, dense: List[Any], number_places: List[Any], numbers: List[Any],
            number_shapes: List[Any], id_places: List[Any], ids: List[Any], id_shapes: List[Any], learner_config: str,
            apply_averaging: bool, reduce_dim: bool) -> Tuple[Any, Any, Any]:
    """Returns the predictions, [example, class], the dropped trees: none, and the leaf of each tree, [example, tree].

    The leaf is 0 for trees that are left out.
    """
    config = messages.parsed("LearnerConfig", as_bytes(learner_config))
    ensemble = messages.parsed("DecisionTreeEnsembleConfig", boosted_trees.message_of(state))
    sizes = [len(each) for each in dense] + [int(shape[0]) for shape in number_shapes + id_shapes]
    if not sizes:
        raise ValueError("GradientTreesPrediction has no features")
    if any(each.shape[1:] != (1,) for each in dense):
        raise ValueError("a dense column of GradientTreesPrediction does not have the shape [example, 1]")
    columns = _Columns(sizes[0], dense, list(zip(number_places, numbers)), list(zip(id_places, ids)))
    weights = np.array(ensemble.tree_weights, np.float32)
    if apply_averaging:
        _average(weights, config.averaging_config)
    result: Any = np.zeros([columns.batch, config.num_classes - reduce_dim], np.float32)
    leaves: Any = np.zeros([columns.batch, len(ensemble.trees)], np.int32)
    for number, tree in enumerate(ensemble.trees):
        if (config.growing_mode == _WHOLE_TREE and ensemble.tree_metadata
                and not ensemble.tree_metadata[number].is_finalized):
            continue
        # A node is its number, and the bits of the leaf so far: in oblivious trees all examples go through the same
        # splits, one for each bit.
        split = functools.partial(columns.split, tree.nodes)
        for (node, bits), examples in tree_ensembles.reached((0, 0), columns.batch, split):
            leaves[examples, number] = node + bits
            for place, value in _values(tree.nodes[node + bits].leaf):
                result[examples, place] += weights[number] * np.float32(value)
    return result, np.zeros([2, 0], np.float32), leaves


class _Columns(NamedTuple):
    """Holds the columns of `batch` examples; those of numbers and ids are the places and the values."""

    batch: int
    dense: List[Any]
    numbers: List[Tuple[Any, Any]]
    ids: List[Tuple[Any, Any]]

    def split(self, nodes: Sequence[Any], place: Tuple[int, int]) -> Any:
        """Returns which examples go left at a node, and its children; None for a leaf."""
        number, bits = place
        if not 0 <= number < len(nodes):
            raise ValueError(f"the tree has {len(nodes)} nodes, but no node {number}")
        kind = nodes[number].WhichOneof("choice")
        if not kind:
            raise ValueError("a node of a tree is neither a leaf nor a known split")
        if kind == "leaf":
            return None
        split = getattr(nodes[number], kind)
        split = split.split if kind.startswith("sparse_float") else split
        left, right = (split.left_id, 0), (split.right_id, 0)
        if kind.startswith("oblivious"):
            left, right = (number + 1, 2 * bits), (number + 1, 2 * bits + 1)
        if min(left[0], right[0]) <= number:
            raise ValueError(f"the node {number} of a tree has a child before it: {min(left[0], right[0])}")
        return self._goes_left(kind, split), left, right

    def _goes_left(self, kind: str, split: Any) -> Any:
        if kind in ("dense_float_binary_split", "oblivious_dense_float_binary_split"):
            return self.dense[split.feature_column][:, 0] <= np.float32(split.threshold)
        if kind.startswith("sparse_float"):
            places, values = self.numbers[split.feature_column]
            is_left: Any = np.full(self.batch, kind.endswith("left"))  # of the examples without a value
            chosen = places[:, 1] == split.dimension_id
            is_left[places[chosen, 0]] = values[chosen] <= np.float32(split.threshold)
            return is_left
        places, values = self.ids[split.feature_column]
        is_set = kind == "categorical_id_set_membership_binary_split"
        is_there: Any = np.zeros(self.batch, bool)
        is_there[places[np.isin(values, list(split.feature_ids) if is_set else [split.feature_id]), 0]] = True
        return is_there


def _values(leaf: Any) -> Iterable[Tuple[int, float]]:
    if leaf.HasField("sparse_vector"):
        return zip(leaf.sparse_vector.index, leaf.sparse_vector.value)
    return enumerate(leaf.vector.value)


def _average(weights: Any, config: Any) -> None:
    """Makes the weights of trees those of the average of the last ensembles, each of which has one tree less."""
    first: float = len(weights)
    if config.HasField("average_last_n_trees"):
        first -= config.average_last_n_trees
    elif config.HasField("average_last_percent_trees"):
        first *= 1.0 - config.average_last_percent_trees
    start = int(max(0.0, first))
    count = len(weights) - start
    weights[start:] = weights[start:] * np.arange(count, 0, -1).astype(np.float32) / np.float32(count)

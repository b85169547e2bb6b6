"""Builds the ops that predict with `tf.contrib.boosted_trees`, for which TensorFlow 2 has no kernels, from NumPy.

An ensemble is a variable of type string that holds its stamp and the serialized message, which checkpoints hold too.
Training is not supported. TensorFlow 1.15.5's wheel had the ops only, without the estimators and the messages.
"""

from __future__ import annotations

from typing import Any, Iterator, Sequence, Tuple

import numpy as np

from tf1grad._compat import tf
from tf1grad.old_programs.gone_ops.of_numpy import boosted_trees
from tf1grad.old_programs.gone_ops.of_numpy import contrib_tree_messages as messages

_WHOLE_TREE = 1
# The lists of inputs with features: the kind of a column, the part of it, the dtype.
_PARTS = (("dense_float", "", tf.float32),
          ("sparse_float", "indices", tf.int64), ("sparse_float", "values", tf.float32),
          ("sparse_float", "shapes", tf.int64),
          ("sparse_int", "indices", tf.int64), ("sparse_int", "values", tf.int64), ("sparse_int", "shapes", tf.int64))


def stamp(tree_ensemble_handle: Any, name: Any = None) -> Any:
    """Returns the stamp of an ensemble."""
    return boosted_trees.serialize_ensemble(tree_ensemble_handle, name)[0]


def predict(tree_ensemble_handle: Any, learner_config: Any, name: Any = None, **arguments: Any) -> Any:
    """Returns the predictions, [example, class], and the dropped trees: none."""
    return predict_with_leaves(tree_ensemble_handle, learner_config, name, **arguments)[:2]


def predict_with_leaves(tree_ensemble_handle: Any, learner_config: Any, name: Any = None, apply_dropout: Any = False,
                        apply_averaging: Any = False, reduce_dim: Any = False, **columns: Any) -> Any:
    """Returns the predictions, [example, class], the dropped trees, and the leaf of each tree, [example, tree]."""
    config = messages.classes()["LearnerConfig"].FromString(learner_config)
    if config.num_classes < 2:
        raise ValueError(f"learner_config has num_classes={config.num_classes}, but predictions need at least 2")
    if apply_dropout and config.learning_rate_tuner.HasField("dropout"):
        raise NotImplementedError("apply_dropout=True drops trees in training, which tf1grad does not support for "
                                  "tf.contrib.boosted_trees: pass apply_dropout=False")
    count = config.num_classes - 1 if reduce_dim else config.num_classes
    inputs, kinds = [], []
    for kind, part, dtype in _PARTS:
        given = columns[f"{kind}_features" if not part else f"{kind}_feature_{part}"]
        inputs += [tf.convert_to_tensor(each, dtype) for each in given]
        kinds += [(kind, part)] * len(given)

    def predicted(state: bytes, *values: Any) -> Any:
        ensemble = messages.classes()["DecisionTreeEnsembleConfig"].FromString(boosted_trees.message_of(state))
        weights = _averaged(ensemble.tree_weights, config.averaging_config) if apply_averaging else \
            np.array(ensemble.tree_weights, np.float32)
        features = _Features([[value for value, found in zip(values, kinds) if found == (kind, part)]
                              for kind, part, _ in _PARTS])
        return _predictions(ensemble, weights, features, count, config.growing_mode == _WHOLE_TREE)

    predictions, leaves = boosted_trees.call(
        predicted, [boosted_trees.read(tree_ensemble_handle, inputs), *inputs],
        [(tf.float32, [None, count]), (tf.int32, [None, None])], name)
    return predictions, tf.zeros([2, 0]), leaves


class _Features:
    """Holds the columns of a batch: the values for each of `_PARTS`."""

    def __init__(self, parts: Sequence[Sequence[Any]]) -> None:
        self.dense, numbers, ids = parts[0], parts[1:4], parts[4:]
        self._numbers, self._ids = list(zip(*numbers)), list(zip(*ids))
        sizes = [len(each) for each in self.dense] + [int(shape[0]) for _, _, shape in self._numbers + self._ids]
        if not sizes:
            raise ValueError("GradientTreesPrediction has no features")
        self.count = sizes[0]
        if any(each.shape[1:] != (1,) for each in self.dense):
            raise ValueError("a dense column of GradientTreesPrediction does not have the shape [example, 1]")

    def number(self, column: int, dimension: int) -> Tuple[Any, Any]:
        """Returns the values of a sparse column, 0 where an example has none, and which examples have one."""
        indices, values, _ = self._numbers[column]
        chosen = indices[:, 1] == dimension
        found: Any = np.zeros(self.count, np.float32)
        is_there: Any = np.zeros(self.count, bool)
        found[indices[chosen, 0]], is_there[indices[chosen, 0]] = values[chosen], True
        return found, is_there

    def has(self, column: int, ids: Sequence[int]) -> Any:
        """Returns which examples have one of the ids in a column."""
        indices, values, _ = self._ids[column]
        found: Any = np.zeros(self.count, bool)
        found[indices[np.isin(values, ids), 0]] = True
        return found

    def goes_left(self, kind: str, split: Any) -> Any:
        """Returns which examples go left at a split."""
        if kind in ("dense_float_binary_split", "oblivious_dense_float_binary_split"):
            return self.dense[split.feature_column][:, 0] <= np.float32(split.threshold)
        if kind.startswith("sparse_float"):
            split = split.split
            values, is_there = self.number(split.feature_column, split.dimension_id)
            is_below = values <= np.float32(split.threshold)
            return is_there & is_below if kind.endswith("right") else ~is_there | is_below
        is_set = kind == "categorical_id_set_membership_binary_split"
        return self.has(split.feature_column, list(split.feature_ids) if is_set else [split.feature_id])


def _predictions(ensemble: Any, weights: Any, features: _Features, count: int, only_finalized: bool) -> Any:
    """Returns the sums of the leaves, [example, count], and the leaf of each tree, 0 for trees that are left out."""
    result: Any = np.zeros([features.count, count], np.float32)
    leaves: Any = np.zeros([features.count, len(ensemble.trees)], np.int32)
    for number, tree in enumerate(ensemble.trees):
        if only_finalized and ensemble.tree_metadata and not ensemble.tree_metadata[number].is_finalized:
            continue
        for leaf, examples in _reached(tree.nodes, features):
            leaves[examples, number] = leaf
            for place, value in _values(tree.nodes[leaf].leaf):
                result[examples, place] += weights[number] * np.float32(value)
    return result, leaves


def _values(leaf: Any) -> Iterator[Tuple[int, float]]:
    if leaf.HasField("sparse_vector"):
        return zip(leaf.sparse_vector.index, leaf.sparse_vector.value)
    return iter(enumerate(leaf.vector.value))


def _reached(nodes: Any, features: _Features) -> Iterator[Tuple[int, Any]]:
    """Yields leaves with the examples that reach them."""
    waiting = [(0, 0, np.arange(features.count))]
    while waiting:
        number, leaf, examples = waiting.pop()
        if not len(examples):
            continue
        if not 0 <= number < len(nodes):
            raise ValueError(f"the tree has {len(nodes)} nodes, but no node {number}")
        kind = messages.kind(nodes[number])
        if kind == "leaf":
            yield number + leaf, examples
            continue
        split = getattr(nodes[number], kind)
        is_left = features.goes_left(kind, split)[examples]
        if kind.startswith("oblivious"):  # all examples go through the same splits, one for each bit of the leaf
            left, right = (number + 1, 2 * leaf), (number + 1, 2 * leaf + 1)
        else:
            children = split.split if kind.startswith("sparse_float") else split
            left, right = (children.left_id, 0), (children.right_id, 0)
        if min(left[0], right[0]) <= number:
            raise ValueError(f"the node {number} of a tree has a child before it: {min(left[0], right[0])}")
        waiting += [(*left, examples[is_left]), (*right, examples[~is_left])]


def _averaged(weights: Any, config: Any) -> Any:
    """Returns the weights of trees for the average of the last ensembles, each of which has one tree less."""
    weights = np.array(weights, np.float32)
    if config.HasField("average_last_n_trees"):
        start = int(max(0.0, len(weights) - config.average_last_n_trees))
    elif config.HasField("average_last_percent_trees"):
        start = int(max(0.0, len(weights) * (1.0 - config.average_last_percent_trees)))
    else:
        return weights
    count = len(weights) - start
    weights[start:] = weights[start:] * np.arange(count, 0, -1).astype(np.float32) / np.float32(count)
    return weights

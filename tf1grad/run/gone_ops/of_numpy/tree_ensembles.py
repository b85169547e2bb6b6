"""Grows and evaluates the trees of `tf.estimator`'s boosted trees,
with the float arithmetic of 1.15.

An ensemble is TensorFlow 1.15's message `TreeEnsemble`. Logits have one dimension.
"""

from __future__ import annotations

from typing import Any, Iterable, NamedTuple

import numpy as np

EQUAL = np.float32(1e-15)  # gains that differ by less are equal, and so small a divisor is zero
LEAST_MOVE = np.float32(0.01)  # relative change of the bias below which centering ends
BEFORE_SPLIT, AFTER_TREE = 1, 2  # pruning modes; the second is not supported


class Split(NamedTuple):
    """Describes the best split of a node that was found for a feature."""

    gain: Any
    feature: int
    threshold: int
    left: Any
    right: Any


class _Tree:
    """Holds the nodes of a tree as arrays; the `feature` of a leaf is -1,
    and `value` is that from before a split.
    """

    def __init__(self, tree: Any) -> None:
        splits = [
            node.bucketized_split if node.HasField("bucketized_split") else None
            for node in tree.nodes
        ]
        self.feature = np.array([split.feature_id if split else -1 for split in splits])
        self.threshold, self.left, self.right = (
            np.array([getattr(split, name) if split else 0 for split in splits])
            for name in ("threshold", "left_id", "right_id")
        )
        leaves = [
            node.leaf if node.HasField("leaf") else node.metadata.original_leaf
            for node in tree.nodes
        ]
        self.value = np.array([leaf.scalar for leaf in leaves], np.float32)

    def leaves(self, nodes: np.ndarray, features: np.ndarray) -> np.ndarray:
        """Returns the leaves that examples reach from `nodes`;
        `features` are buckets, [feature, example].
        """
        examples = np.arange(len(nodes))
        while (self.feature[nodes] >= 0).any():
            goes_left = features[self.feature[nodes], examples] <= self.threshold[nodes]
            following = np.where(goes_left, self.left[nodes], self.right[nodes])
            nodes = np.where(self.feature[nodes] >= 0, following, nodes)
        return nodes


def predict(ensemble: Any, features: np.ndarray) -> np.ndarray:
    """Returns the logits of examples, [example, 1]."""
    logits = np.zeros(features.shape[1], np.float32)
    for tree, weight in zip(map(_Tree, ensemble.trees), ensemble.tree_weights):
        leaves = tree.leaves(np.zeros(len(logits), np.int32), features)
        logits += np.float32(weight) * tree.value[leaves]
    return logits[:, None]


def predict_from(
    ensemble: Any, tree_ids: np.ndarray, node_ids: np.ndarray, features: np.ndarray
) -> tuple[Any, Any, Any]:
    """Returns the change of logits since examples were at these nodes, [example, 1],
    and their trees and nodes now.
    """
    count, last = features.shape[1], len(ensemble.trees) - 1
    total = np.zeros(count, np.float32)
    if last < 0:
        return total[:, None], tree_ids, np.zeros(count, np.int32)
    nodes: np.ndarray = np.zeros(count, np.int32)
    first = int(tree_ids.min()) if count else last
    for number in range(first, last + 1):
        tree, active = _Tree(ensemble.trees[number]), tree_ids <= number
        is_kept = (tree_ids == number) & (node_ids >= 0)
        starts = np.where(is_kept, node_ids, 0)
        nodes[active] = tree.leaves(starts[active], features[:, active])
        change = tree.value[nodes] - np.where(is_kept, tree.value[starts], np.float32(0))
        total[active] += np.float32(ensemble.tree_weights[number]) * change[active]
    return total[:, None], np.full(count, last, np.int32), nodes


def weights_and_gains(
    gradients: np.ndarray, hessians: np.ndarray, l1: Any, l2: Any
) -> tuple[Any, Any]:
    """Returns the best weights of leaves, and the gains of the loss,
    for sums of gradients and of hessians.
    """
    shrunk = np.where(
        gradients > l1, gradients - l1, np.where(gradients < -l1, gradients + l1, np.float32(0))
    )
    divisors = hessians + l2
    is_zero = divisors <= EQUAL
    weights = np.where(is_zero, np.float32(0), -shrunk / np.where(is_zero, np.float32(1), divisors))
    return weights, -shrunk * weights


def best_splits(
    stats: np.ndarray, nodes: np.ndarray, l1: Any, l2: Any, complexity: Any, least_weight: Any
) -> tuple[Any, ...]:
    """Returns node ids, gains, thresholds and contributions of the best split of
    each node, for one feature.

    `stats` has sums of gradients and of hessians, [node, bucket, 2]. A node with hessians below
    `least_weight` stays.
    """
    gradients, hessians = np.cumsum(stats[nodes], axis=1, dtype=np.float32).transpose(2, 0, 1)
    is_heavy = hessians[:, -1] >= least_weight
    nodes, gradients, hessians = nodes[is_heavy], gradients[is_heavy], hessians[is_heavy]
    left, left_gains = weights_and_gains(gradients, hessians, l1, l2)
    right, right_gains = weights_and_gains(
        gradients[:, -1:] - gradients, hessians[:, -1:] - hessians, l1, l2
    )
    _, before = weights_and_gains(gradients[:, -1], hessians[:, -1], l1, l2)
    gains = left_gains + right_gains
    buckets = np.argmax(gains.max(axis=1, keepdims=True) - gains < EQUAL, axis=1)
    best = np.arange(len(nodes)), buckets
    return (
        nodes,
        gains[best] - before - complexity,
        buckets,
        left[best][:, None],
        right[best][:, None],
    )


def grow(ensemble: Any, splits: dict[int, Split], max_depth: int, pruning: int) -> None:
    """Adds a layer to the last tree, and starts a new tree after the last layer."""
    growing = ensemble.growing_metadata
    growing.num_layers_attempted += 1
    if not ensemble.trees:
        add_tree(ensemble, 0.0)
    tree, metadata = ensemble.trees[-1], ensemble.tree_metadata[-1]
    start = len(tree.nodes)
    for node, split in sorted(splits.items()):
        if pruning != BEFORE_SPLIT or split.gain >= 0:
            _split(tree, node, split)
    end = len(tree.nodes)
    if end == start:
        return
    metadata.num_layers_grown += 1
    if metadata.num_layers_grown >= max_depth:
        start, end, metadata.is_finalized = 0, 1, True
        add_tree(ensemble, 0.0)
    growing.last_layer_node_start, growing.last_layer_node_end = start, end


def add_tree(ensemble: Any, logit: float) -> None:
    """Adds a tree that is a leaf."""
    ensemble.trees.add().nodes.add().leaf.scalar = logit
    ensemble.tree_weights.append(1.0)
    ensemble.tree_metadata.add()


def best_of_features(candidates: Iterable[tuple[int, Any]], rate: object) -> dict[int, Split]:
    """Returns each node's best split, of the features' `(number, columns of best_splits)`;
    ties go to the first.
    """
    best: dict[int, Split] = {}
    for feature, columns in sorted(candidates, key=lambda candidate: candidate[0]):
        for node, gain, threshold, left, right in zip(*columns):
            known = best.get(int(node))
            if known is None or gain - known.gain >= EQUAL:
                best[int(node)] = Split(
                    gain, int(feature), int(threshold), rate * left[0], rate * right[0]
                )
    return best


def center(ensemble: Any, logit: float | np.floating[Any]) -> bool:
    """Moves the bias of the first tree by `logit`; returns whether to go on."""
    if not ensemble.trees:
        add_tree(ensemble, float(logit))
        return True
    leaf = ensemble.trees[0].nodes[0].leaf
    before = np.float32(leaf.scalar)
    leaf.scalar = float(before + logit)
    with np.errstate(all="ignore"):
        return bool(np.abs(logit / before) > LEAST_MOVE)


def _split(tree: Any, number: int, split: Split) -> None:
    left = len(tree.nodes)
    value = np.float32(tree.nodes[number].leaf.scalar)
    for contribution in (split.left, split.right):
        tree.nodes.add().leaf.scalar = float(value + contribution)
    node = tree.nodes[number]
    node.metadata.original_leaf.scalar = float(value)
    node.metadata.gain = float(split.gain)
    made = node.bucketized_split
    made.feature_id, made.threshold, made.left_id, made.right_id = (
        split.feature,
        split.threshold,
        left,
        left + 1,
    )

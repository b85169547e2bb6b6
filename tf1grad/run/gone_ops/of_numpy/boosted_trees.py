"""Computes the ops of `tf.estimator`'s boosted trees, for which TensorFlow 2 has no kernels.

The state of an ensemble is its stamp and the serialized message; that of quantile streams is a
pickle.
"""

from __future__ import annotations

import pickle
import struct
from typing import Any, List

import numpy as np

from tf1grad.run.gone_ops.of_numpy import tree_ensembles, weighted_quantiles
from tf1grad.run.gone_ops.of_numpy.numpy_ops import (
    CHANGE,
    CREATE,
    REPLACE,
    compute_in_python,
    original,
)

_STAMP = struct.Struct("<q")
Array = Any  # a NumPy array
Arrays = List[Array]
Message = Any  # a TensorFlow 1.15 `TreeEnsemble`


def _packed(stamp: int, serialized: bytes) -> bytes:
    return _STAMP.pack(stamp) + serialized


create_ensemble = compute_in_python(writes=CREATE)(_packed)
deserialize_ensemble = compute_in_python(writes=REPLACE)(_packed)


@compute_in_python([], [])
def serialize_ensemble(state: bytes) -> tuple[int, bytes]:
    """Returns the stamp and the serialized message."""
    return _STAMP.unpack_from(state)[0], state[_STAMP.size :]


def _parsed(state: bytes) -> Message:
    messages = original("core.kernels.boosted_trees.boosted_trees_pb2")
    return messages.TreeEnsemble.FromString(state[_STAMP.size :])


def _changed(state: bytes, message: Message) -> bytes:
    return _packed(_STAMP.unpack_from(state)[0] + 1, message.SerializeToString())


@compute_in_python([], [], [], [], [2])
def states(state: bytes) -> tuple[Any, ...]:
    """Returns the stamp, the numbers of trees,
    of finalized trees and of attempted layers, and the last nodes.
    """
    message = _parsed(state)
    count, growing = len(message.trees), message.growing_metadata
    finalized = count if not count or message.tree_metadata[-1].is_finalized else count - 1
    nodes = np.array([growing.last_layer_node_start, max(1, growing.last_layer_node_end)])
    return _STAMP.unpack_from(state)[0], count, finalized, growing.num_layers_attempted, nodes


def _logits(logits_dimension: int) -> list[list[Any]]:
    """Returns the shapes of what `training_predict` returns."""
    if logits_dimension != 1:
        raise NotImplementedError(
            f"logits_dimension must be 1 here, got {logits_dimension}: TensorFlow 2 does not "
            "have the kernels of boosted trees, and tf1grad's support one logit"
        )
    return [[None, 1], [None], [None]]


@compute_in_python(shapes_for=_logits)
def predict(state: bytes, features: Arrays) -> Array:
    """Returns the logits, [example, 1]."""
    return tree_ensembles.predict(_parsed(state), np.stack(features))


@compute_in_python(shapes_for=_logits)
def training_predict(
    state: bytes, trees: Array, nodes: Array, features: Arrays
) -> tuple[Array, Array, Array]:
    """Returns the change of the logits since the nodes that were kept, [example, 1],
    and the trees and nodes now.
    """
    return tree_ensembles.predict_from(_parsed(state), trees, nodes, np.stack(features))


@compute_in_python([None, None, None, 2])
def make_stats_summary(
    nodes: Array,
    gradients: Array,
    hessians: Array,
    features: Arrays,
    max_splits: int,
    num_buckets: int,
) -> Array:
    """Returns the sums of gradients and hessians, [feature, node, bucket, 2]."""
    places = [nodes.astype(np.int64) * num_buckets + buckets for buckets in features]
    sums = [
        [
            np.bincount(place, values[:, 0], max_splits * num_buckets)
            for values in (gradients, hessians)
        ]
        for place in places
    ]
    return np.array(sums).reshape([len(features), 2, max_splits, num_buckets]).transpose(0, 2, 3, 1)


@compute_in_python([None], [None], [None], [None, 1], [None, 1])
def best_gains(
    nodes: Array,
    stats: Arrays,
    l1: Array,
    l2: Array,
    tree_complexity: Array,
    min_node_weight: Array,
) -> list[tuple[Array, ...]]:
    """Returns lists, by feature: node ids, gains,
    thresholds and contributions of the left and of the right.
    """
    return list(
        zip(
            *(
                tree_ensembles.best_splits(
                    feature, np.arange(*nodes), l1, l2, tree_complexity, min_node_weight
                )
                for feature in stats
            )
        )
    )


def _no_shapes(pruning_mode: int) -> list[Any]:
    if pruning_mode == tree_ensembles.AFTER_TREE:
        raise NotImplementedError(
            'pruning_mode="post" is not supported: TensorFlow 2 does not have the kernels of boosted '
            'trees, and tf1grad\'s do not prune whole trees. Pass "pre" or "none"'
        )
    return []


@compute_in_python(shapes_for=_no_shapes, writes=CHANGE)
def update_ensemble(
    state: bytes,
    features: Array,
    nodes: Arrays,
    gains: Arrays,
    thresholds: Arrays,
    left: Arrays,
    right: Arrays,
    max_depth: Array,
    learning_rate: Array,
    pruning_mode: int,
) -> bytes:
    """Adds a layer of the best splits to the last tree."""
    message = _parsed(state)
    candidates = zip(features, zip(nodes, gains, thresholds, left, right))
    splits = tree_ensembles.best_of_features(candidates, learning_rate)
    tree_ensembles.grow(message, splits, int(max_depth), pruning_mode)
    return _changed(state, message)


@compute_in_python([], writes=CHANGE)
def center_bias(
    state: bytes, gradients: Array, hessians: Array, l1: Array, l2: Array
) -> tuple[bytes, bool]:
    """Takes a step of centering, and returns whether to go on."""
    message = _parsed(state)
    logit, _ = tree_ensembles.weights_and_gains(gradients.flat[0], hessians.flat[0], l1, l2)
    goes_on = tree_ensembles.center(message, np.float32(logit))
    return _changed(state, message), goes_on


@compute_in_python([None])
def bucketize(features: Arrays, boundaries: Arrays) -> Arrays:
    """Returns the bucket of each value, by feature."""
    return [
        np.minimum(np.searchsorted(edges, values.reshape(-1)), max(len(edges) - 1, 0))
        for values, edges in zip(features, boundaries)
    ]


@compute_in_python([None, 4])
def make_quantile_summaries(features: Arrays, weights: Array, epsilon: Array) -> Arrays:
    """Returns the summary of a batch, [entry, 4], by feature."""
    return [
        weighted_quantiles.summary(
            values.reshape(-1), np.broadcast_to(weights.reshape(-1), values.size), float(epsilon)
        )
        for values in features
    ]


@compute_in_python(writes=CREATE)
def create_streams(epsilon: Array, num_streams: Array, max_elements: int) -> bytes:
    """Returns quantile streams."""
    streams = [weighted_quantiles.Stream(float(epsilon), max_elements) for _ in range(num_streams)]
    return pickle.dumps((streams, [np.zeros(0, np.float32)] * len(streams)))


@compute_in_python(writes=CHANGE)
def add_summaries(state: bytes, summaries: Arrays) -> bytes:
    """Adds summaries to the streams."""
    streams, edges = pickle.loads(state)
    for stream, rows in zip(streams, summaries):
        stream.add(rows)
    return pickle.dumps((streams, edges))


@compute_in_python(writes=CHANGE)
def set_boundaries(state: bytes, boundaries: Arrays) -> bytes:
    """Sets the boundaries of the buckets."""
    return pickle.dumps((pickle.loads(state)[0], boundaries))


@compute_in_python(writes=CHANGE)
def flush_streams(state: bytes, num_buckets: Array) -> bytes:
    """Takes the boundaries from the streams, and empties these."""
    streams, _ = pickle.loads(state)
    edges = [weighted_quantiles.boundaries(each.merged(), int(num_buckets)) for each in streams]
    return pickle.dumps(
        ([weighted_quantiles.Stream(each.epsilon, each.limit) for each in streams], edges)
    )


@compute_in_python([None])
def bucket_boundaries(state: bytes) -> Arrays:
    """Returns the boundaries of the buckets, by feature."""
    return list(pickle.loads(state)[1])

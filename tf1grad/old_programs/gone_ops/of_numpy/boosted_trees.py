"""Builds the ops of `tf.estimator`'s boosted trees, for which TensorFlow 2 has no kernels, from Python functions.

A resource is a variable of type string, so that each session has its own. That of an ensemble holds its stamp and the
serialized message; that of quantile streams holds a pickle. Ops that change a resource read it when their inputs are
there. SavedModels with these ops load only in the process that wrote them.
"""

from __future__ import annotations

import functools
import pickle
import struct
from typing import Any, Callable, List, Optional, Sequence, Tuple

import numpy as np

from tf1grad._compat import tf
from tf1grad.old_programs.gone_ops.of_numpy import original_messages, tree_ensembles, weighted_quantiles

_STAMP = struct.Struct("<q")
Tensor = Any  # a tf.Tensor, an op, or what converts to a tensor
Tensors = Sequence[Tensor]
Array = Any  # a NumPy array
Message = Any  # a TensorFlow 1.15 `TreeEnsemble`
Kind = Tuple[Any, Sequence[Optional[int]]]  # dtype and static shape of an output


def handle(container: Optional[str] = None, shared_name: Optional[str] = None, name: Optional[str] = None) -> Tensor:
    """Returns the handle of a resource."""
    return tf.raw_ops.VarHandleOp(dtype=tf.string, shape=[], container=container or "", shared_name=shared_name or "",
                                  name=name)


def is_initialized(name: Optional[str] = None, **resource: Tensor) -> Tensor:
    """Returns whether a resource, the only other argument, was created."""
    return tf.raw_ops.VarIsInitializedOp(resource=list(resource.values())[0], name=name)


def create_ensemble(tree_ensemble_handle: Tensor, stamp_token: Tensor, name: Optional[str] = None,
                    **message: Tensor) -> Tensor:
    """Returns the op that creates an ensemble of a serialized message, unless it exists."""
    state = call(_packed, [_tensor(stamp_token, tf.int64), *message.values()], [(tf.string, [])])[0]
    return _create(tree_ensemble_handle, state, name)


def deserialize_ensemble(tree_ensemble_handle: Tensor, stamp_token: Tensor, name: Optional[str] = None,
                         **message: Tensor) -> Tensor:
    """Returns the op that replaces an ensemble by that of a serialized message."""
    state = call(_packed, [_tensor(stamp_token, tf.int64), *message.values()], [(tf.string, [])])[0]
    return tf.raw_ops.AssignVariableOp(resource=tree_ensemble_handle, value=state, name=name)


def serialize_ensemble(tree_ensemble_handle: Tensor, name: Optional[str] = None) -> Tensors:
    """Returns the stamp and the serialized message."""
    def serialized(state: bytes) -> Array:
        return np.int64(_STAMP.unpack_from(state)[0]), _text(message_of(state))
    return tuple(call(serialized, [read(tree_ensemble_handle, [])], [(tf.int64, []), (tf.string, [])], name))


def states(tree_ensemble_handle: Tensor, name: Optional[str] = None) -> Tensors:
    """Returns the stamp, the numbers of trees, of finalized trees and of attempted layers, and the last nodes."""
    def found(state: bytes) -> Array:
        stamp, message = _unpacked(state)
        count, growing = len(message.trees), message.growing_metadata
        finalized = count if not count or message.tree_metadata[-1].is_finalized else count - 1
        nodes = [growing.last_layer_node_start, max(1, growing.last_layer_node_end)]
        return (np.int64(stamp), np.int32(count), np.int32(finalized), np.int32(growing.num_layers_attempted),
                np.array(nodes, np.int32))
    kinds: List[Kind] = [(tf.int64, []), (tf.int32, []), (tf.int32, []), (tf.int32, []), (tf.int32, [2])]
    return tuple(call(found, [read(tree_ensemble_handle, [])], kinds, name))


def predict(tree_ensemble_handle: Tensor, bucketized_features: Tensors, logits_dimension: int,
            name: Optional[str] = None) -> Tensor:
    """Returns the logits, [example, 1]."""
    features = _features(bucketized_features, logits_dimension)

    def predicted(state: bytes, *features: Array) -> Array:
        return tree_ensembles.predict(_unpacked(state)[1], np.stack(features))
    return call(predicted, [read(tree_ensemble_handle, features), *features], [(tf.float32, [None, 1])], name)[0]


def training_predict(tree_ensemble_handle: Tensor, cached_tree_ids: Tensor, cached_node_ids: Tensor,
                     bucketized_features: Tensors,
                     logits_dimension: int, name: Optional[str] = None) -> Tensors:
    """Returns the change of the logits since the nodes that were kept, [example, 1], and the trees and nodes now."""
    features = _features(bucketized_features, logits_dimension)
    inputs = [_tensor(cached_tree_ids, tf.int32), _tensor(cached_node_ids, tf.int32), *features]

    def predicted(state: bytes, trees: Array, nodes: Array, *features: Array) -> Array:
        return tree_ensembles.predict_from(_unpacked(state)[1], trees, nodes, np.stack(features))
    kinds: List[Kind] = [(tf.float32, [None, 1]), (tf.int32, [None]), (tf.int32, [None])]
    return tuple(call(predicted, [read(tree_ensemble_handle, inputs), *inputs], kinds, name))


def debug_outputs(tree_ensemble_handle: Tensor, bucketized_features: Tensors, logits_dimension: int,
                  name: Optional[str] = None) -> Tensor:
    """Returns a serialized `DebugOutput` for each example."""
    features = _features(bucketized_features, logits_dimension)

    def found(state: bytes, *features: Array) -> Array:
        return np.array(tree_ensembles.paths(_unpacked(state)[1], np.stack(features), _messages().DebugOutput), object)
    return call(found, [read(tree_ensemble_handle, features), *features], [(tf.string, [None])], name)[0]


def make_stats_summary(node_ids: Tensor, gradients: Tensor, hessians: Tensor, bucketized_features_list: Tensors,
                       max_splits: int,
                       num_buckets: int, name: Optional[str] = None) -> Tensor:
    """Returns the sums of gradients and hessians, [feature, node, bucket, 2]."""
    features = [_tensor(each, tf.int32) for each in bucketized_features_list]

    def summed(nodes: Array, gradients: Array, hessians: Array, *features: Array) -> Array:
        places = [nodes.astype(np.int64) * num_buckets + buckets for buckets in features]
        sums = [[np.bincount(place, values[:, 0], max_splits * num_buckets) for values in (gradients, hessians)]
                for place in places]
        shape = [len(features), 2, max_splits, num_buckets]
        return np.array(sums).reshape(shape).transpose(0, 2, 3, 1).astype(np.float32)
    inputs = [_tensor(node_ids, tf.int32), _tensor(gradients, tf.float32), _tensor(hessians, tf.float32), *features]
    return call(summed, inputs, [(tf.float32, [len(features), max_splits, num_buckets, 2])], name)[0]


def best_gains(node_id_range: Tensor, stats_summary_list: Tensors, l1: Tensor, l2: Tensor, tree_complexity: Tensor,
               min_node_weight: Tensor, max_splits: int, name: Optional[str] = None) -> Tensors:
    """Returns lists, by feature: node ids, gains, thresholds and contributions of the left and of the right."""
    stats = [_tensor(each, tf.float32) for each in stats_summary_list]
    options = [_tensor(each, tf.float32) for each in (l1, l2, tree_complexity, min_node_weight)]

    def found(nodes: Array, *given: Array) -> Array:
        return [column for feature in given[4:]
                for column in tree_ensembles.best_splits(feature, range(*nodes), *given[:4])]
    kinds: List[Kind] = [(tf.int32, [None]), (tf.float32, [None]), (tf.int32, [None]), (tf.float32, [None, 1]),
                         (tf.float32, [None, 1])]
    flat = call(found, [_tensor(node_id_range, tf.int32), *options, *stats], kinds * len(stats), name)
    return tuple(list(flat[place::len(kinds)]) for place in range(len(kinds)))


def update_ensemble(tree_ensemble_handle: Tensor, feature_ids: Tensor, node_ids: Tensors, gains: Tensors,
                    thresholds: Tensors, left_node_contribs: Tensors, right_node_contribs: Tensors,
                    max_depth: Tensor, learning_rate: Tensor, pruning_mode: int, name: Optional[str] = None) -> Tensor:
    """Returns the op that adds a layer of the best splits to the last tree."""
    def grown(message: Message, ids: Array, depth: Array, rate: Array, *columns: Array) -> None:
        by_feature = [columns[start:start + len(dtypes)] for start in range(0, len(columns), len(dtypes))]
        splits = tree_ensembles.best_of_features(list(zip(ids, by_feature)), rate)
        tree_ensembles.grow(message, splits, int(depth), pruning_mode)
    dtypes = (tf.int32, tf.float32, tf.int32, tf.float32, tf.float32)
    lists = (node_ids, gains, thresholds, left_node_contribs, right_node_contribs)
    columns = [_tensor(each, dtype) for feature in zip(*lists) for each, dtype in zip(feature, dtypes)]
    inputs = [_tensor(feature_ids, tf.int32), _tensor(max_depth, tf.int32), _tensor(learning_rate, tf.float32)]
    return _change(tree_ensemble_handle, grown, [*inputs, *columns], [], name)[0]


def center_bias(tree_ensemble_handle: Tensor, mean_gradients: Tensor, mean_hessians: Tensor, l1: Tensor, l2: Tensor,
                name: Optional[str] = None) -> Tensor:
    """Returns whether to go on with centering, after a step of it."""
    def centered(message: Message, gradients: Array, hessians: Array, l1: Array, l2: Array) -> Array:
        logit, _ = tree_ensembles.weights_and_gains(gradients.flat[0], hessians.flat[0], l1, l2)
        return np.bool_(tree_ensembles.center(message, np.float32(logit)))
    inputs = [_tensor(each, tf.float32) for each in (mean_gradients, mean_hessians, l1, l2)]
    assigned, goes_on = _change(tree_ensemble_handle, centered, inputs, [(tf.bool, [])], name)
    with tf.control_dependencies([assigned]):
        return tf.identity(goes_on)


def bucketize(float_values: Tensors, bucket_boundaries: Tensors, name: Optional[str] = None) -> Tensors:
    """Returns the bucket of each value, by feature."""
    def buckets(*given: Array) -> Array:
        half = len(given) // 2
        return [np.minimum(np.searchsorted(edges, values.reshape(-1)), max(len(edges) - 1, 0)).astype(np.int32)
                for values, edges in zip(given[:half], given[half:])]
    inputs = [_tensor(each, tf.float32) for each in (*float_values, *bucket_boundaries)]
    return call(buckets, inputs, [(tf.int32, [None])] * len(float_values), name)


def make_quantile_summaries(float_values: Tensors, example_weights: Tensor, epsilon: Tensor,
                            name: Optional[str] = None) -> Tensors:
    """Returns the summary of a batch, [entry, 4], by feature."""
    def summaries(epsilon: Array, weights: Array, *features: Array) -> Array:
        return [weighted_quantiles.summary(
            values.reshape(-1), np.broadcast_to(weights.reshape(-1), values.size), float(epsilon))
            for values in features]
    inputs = [_tensor(each, tf.float32) for each in (epsilon, example_weights, *float_values)]
    return call(summaries, inputs, [(tf.float32, [None, 4])] * len(float_values), name)


def create_streams(quantile_stream_resource_handle: Tensor, epsilon: Tensor, num_streams: Tensor,
                   max_elements: Optional[int] = None, name: Optional[str] = None) -> Tensor:
    """Returns the op that creates quantile streams, unless they exist."""
    def made(epsilon: Array, count: Array) -> Array:
        limit = max_elements or 1 << 40
        streams = [weighted_quantiles.Stream(float(epsilon), limit) for _ in range(count)]
        return _text(pickle.dumps((streams, [np.zeros(0, np.float32)] * int(count))))
    inputs = [_tensor(epsilon, tf.float32), _tensor(num_streams, tf.int64)]
    return _create(quantile_stream_resource_handle, call(made, inputs, [(tf.string, [])])[0], name)


def add_summaries(quantile_stream_resource_handle: Tensor, summaries: Tensors, name: Optional[str] = None) -> Tensor:
    """Returns the op that adds summaries to the streams."""
    def added(state: bytes, *summaries: Array) -> Array:
        streams, edges = pickle.loads(state)
        for stream, rows in zip(streams, summaries):
            stream.add([tuple(row) for row in rows])
        return _text(pickle.dumps((streams, edges)))
    return _replace(quantile_stream_resource_handle, added, [_tensor(each, tf.float32) for each in summaries], name)


def set_boundaries(quantile_stream_resource_handle: Tensor, bucket_boundaries: Tensors,
                   name: Optional[str] = None) -> Tensor:
    """Returns the op that sets the boundaries of the buckets."""
    def changed(state: bytes, *edges: Array) -> Array:
        return _text(pickle.dumps((pickle.loads(state)[0], list(edges))))
    inputs = [_tensor(each, tf.float32) for each in bucket_boundaries]
    return _replace(quantile_stream_resource_handle, changed, inputs, name)


def flush_streams(quantile_stream_resource_handle: Tensor, num_buckets: Tensor,
                  generate_quantiles: Optional[bool] = None,
                  name: Optional[str] = None) -> Tensor:
    """Returns the op that takes the boundaries from the streams, and empties these."""
    generate = weighted_quantiles.quantiles if generate_quantiles else weighted_quantiles.boundaries

    def flushed(state: bytes, count: Array) -> Array:
        streams, _ = pickle.loads(state)
        edges = [generate(stream.merged(), int(count)) for stream in streams]
        return _text(pickle.dumps(([weighted_quantiles.Stream(each.epsilon, each.limit) for each in streams], edges)))
    return _replace(quantile_stream_resource_handle, flushed, [_tensor(num_buckets, tf.int64)], name)


def bucket_boundaries(quantile_stream_resource_handle: Tensor, num_features: int,
                      name: Optional[str] = None) -> Tensors:
    """Returns the boundaries of the buckets, by feature."""
    state = read(quantile_stream_resource_handle, [])
    return call(lambda state: pickle.loads(state)[1], [state], [(tf.float32, [None])] * num_features, name)


def _features(features: Tensors, logits_dimension: int) -> List[Tensor]:
    if logits_dimension != 1:
        raise NotImplementedError(f"logits_dimension must be 1 here, got {logits_dimension}: TensorFlow 2 does not "
                                  "have the kernels of boosted trees, and tf1grad's support one logit")
    return [_tensor(each, tf.int32) for each in features]


def _tensor(value: Tensor, dtype: Any) -> Tensor:
    return tf.convert_to_tensor(value, dtype)


def _text(value: bytes) -> Array:
    return np.array(value, object)  # NumPy's own strings lose zeros at the end


def call(function: Callable[..., Any], inputs: Sequence[Tensor], kinds: Sequence[Kind],
         name: Optional[str] = None) -> List[Tensor]:
    """Returns the outputs of a Python function, with their dtypes and static shapes."""
    outputs = tf.numpy_function(function, inputs, [dtype for dtype, _ in kinds], name=name)
    outputs = outputs if isinstance(outputs, (list, tuple)) else [outputs]
    for output, (_, shape) in zip(outputs, kinds):
        output.set_shape(shape)
    return list(outputs)


def read(resource: Tensor, after: Sequence[Tensor]) -> Tensor:
    """Returns the state of a resource, read after the tensors were computed."""
    with tf.control_dependencies(after):
        return tf.raw_ops.ReadVariableOp(resource=resource, dtype=tf.string)


def message_of(state: bytes) -> bytes:
    """Returns the serialized message of an ensemble."""
    return state[_STAMP.size:]


def _create(resource: Tensor, state: Tensor, name: Optional[str]) -> Tensor:
    def create() -> Tensor:
        return tf.group(tf.raw_ops.AssignVariableOp(resource=resource, value=state))
    return tf.group(tf.cond(tf.raw_ops.VarIsInitializedOp(resource=resource), tf.no_op, create), name=name)


def _replace(resource: Tensor, function: Callable[..., Any], inputs: Sequence[Tensor], name: Optional[str]) -> Tensor:
    state = call(function, [read(resource, inputs), *inputs], [(tf.string, [])])[0]
    return tf.raw_ops.AssignVariableOp(resource=resource, value=state, name=name)


def _change(resource: Tensor, function: Callable[..., Any], inputs: Sequence[Tensor], kinds: Sequence[Kind],
            name: Optional[str]) -> List[Tensor]:
    """Returns the op that assigns an ensemble which `function` changed, and the function's outputs."""
    def changed(state: bytes, *given: Array) -> Array:
        stamp, shared = _unpacked(state)
        message = type(shared)()
        message.CopyFrom(shared)
        output = function(message, *given)
        packed = _packed(stamp + 1, message.SerializeToString())
        return [packed, output] if kinds else packed
    state, *outputs = call(changed, [read(resource, inputs), *inputs], [(tf.string, []), *kinds])
    return [tf.raw_ops.AssignVariableOp(resource=resource, value=state, name=name), *outputs]


def _packed(stamp: int, serialized: bytes) -> Array:
    return _text(_STAMP.pack(int(stamp)) + serialized)


def _unpacked(state: bytes) -> Tuple[int, Message]:
    """Returns the stamp and the message of an ensemble. Ops share the message, so they must not change it."""
    return _STAMP.unpack_from(state)[0], _parsed(message_of(state))


@functools.lru_cache(maxsize=4)
def _parsed(serialized: bytes) -> Message:
    """Returns the message, parsed once for the ops of a step."""
    return _messages().TreeEnsemble.FromString(serialized)


@functools.lru_cache(maxsize=None)
def _messages() -> Any:
    return original_messages.module("core.kernels.boosted_trees.boosted_trees_pb2")

"""Builds the ops that predict with `tf.contrib.tensor_forest`, for which TensorFlow 2 has no kernels, from NumPy.

A tree is a variable of type string that holds its serialized message, as checkpoints do. Growing trees is not
supported.
"""

from __future__ import annotations

import functools
from typing import Any, Optional

import numpy as np

from tf1grad._compat import tf
from tf1grad.old_programs.gone_ops.of_numpy import boosted_trees, original_messages

_IS_LEFT = (np.less_equal, np.less, np.greater_equal, np.greater)  # by the number of an inequality's type


def deserialize(name: Optional[str] = None, **arguments: Any) -> Any:
    """Returns the op that sets a resource, the first argument, to the message in the second."""
    handle, message = list(arguments.values())[:2]
    return tf.raw_ops.AssignVariableOp(resource=handle, value=tf.convert_to_tensor(message, tf.string), name=name)


def serialize(name: Optional[str] = None, params: Any = None, **resource: Any) -> Any:
    """Returns the message of a resource."""
    return tf.raw_ops.ReadVariableOp(resource=list(resource.values())[0], dtype=tf.string, name=name)


def predict(tree_handle: Any, input_data: Any, sparse_input_indices: Any, sparse_input_values: Any,
            sparse_input_shape: Any, input_spec: Any, params: Any, name: Optional[str] = None) -> Any:
    """Returns the predictions of a tree, [example, output], and empty strings for the paths."""
    if "sparse: [{" in tf.compat.as_text(input_spec):
        raise NotImplementedError("the forest reads sparse columns. TensorFlow 2 does not have the kernels of "
                                  "tf.contrib.tensor_forest, and tf1grad's support dense columns: make them dense")
    options = _message("tensor_forest_params", "TensorForestParams").FromString(params)

    def predicted(tree: bytes, features: Any) -> Any:
        values = _leaf_values(_message("generic_tree_model", "Model").FromString(tree).decision_tree, features,
                              options.num_outputs)
        total = values.sum(axis=1, keepdims=True)
        return values if options.is_regression else values / np.where(total > 0, total, np.float32(1))

    features = tf.convert_to_tensor(input_data, tf.float32)
    tree = serialize(tree_handle=tree_handle)
    kind = (tf.float32, [features.shape[0], options.num_outputs or None])
    predictions = boosted_trees.call(predicted, [tree, features], [kind], name)[0]
    return predictions, tf.fill(tf.shape(features)[:1], "")


def _leaf_values(tree: Any, features: Any, count: int) -> Any:
    """Returns the values of the leaf that each example reaches, [example, output]."""
    nodes = {node.node_id.value: node for node in tree.nodes}
    reached: Any = np.zeros([len(features), count], np.float32)
    waiting = [(0, np.arange(len(features)))] if nodes else []
    while waiting:
        number, examples = waiting.pop()
        node = nodes[number]
        if node.HasField("leaf"):
            reached[examples] = _values(node.leaf, count)
        elif len(examples):
            test = node.binary_node.inequality_left_child_test
            column = features[examples, int(test.feature_id.id.value)]
            is_left = _IS_LEFT[test.type](column, np.float32(test.threshold.float_value))
            waiting += [(node.binary_node.left_child_id.value, examples[is_left]),
                        (node.binary_node.right_child_id.value, examples[~is_left])]
    return reached


def _values(leaf: Any, count: int) -> Any:
    found: Any = np.zeros(count, np.float32)
    pairs = leaf.sparse_vector.sparse_value.items() if leaf.HasField("sparse_vector") else enumerate(leaf.vector.value)
    for place, value in pairs:
        found[place] = value.float_value
    return found


@functools.lru_cache(maxsize=None)
def _message(file: str, name: str) -> Any:
    folder = "decision_trees" if file == "generic_tree_model" else "tensor_forest"
    return getattr(original_messages.module(f"contrib.{folder}.proto.{file}_pb2"), name)

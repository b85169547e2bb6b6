"""Computes the op that predicts with `tf.contrib.tensor_forest`,
for which TensorFlow 2 has no kernels.

The state of a tree is its serialized message, as in checkpoints. Growing trees is not supported.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tf1grad.run.gone_ops.of_numpy import numpy_ops

# By the number of an inequality's type.
_IS_LEFT = (np.less_equal, np.less, np.greater_equal, np.greater)


def _options(params: str) -> Any:
    messages = numpy_ops.original("contrib.tensor_forest.proto.tensor_forest_params_pb2")
    return messages.TensorForestParams.FromString(numpy_ops.as_bytes(params))


def _shapes(input_spec: str, params: str) -> list[list[Any]]:
    if "sparse: [{" in input_spec:
        raise NotImplementedError(
            "the forest reads sparse columns. TensorFlow 2 does not have the kernels of "
            "tf.contrib.tensor_forest, and tf1grad's support dense columns: make them dense"
        )
    return [[None, _options(params).num_outputs or None], [None]]


@numpy_ops.compute_in_python(shapes_for=_shapes)
def predict(
    state: bytes, features: Any, indices: Any, sparse: Any, shape: Any, params: str
) -> tuple[Any, Any]:
    """Returns the predictions of a tree, [example, output], and empty strings for the paths."""
    options = _options(params)
    tree = numpy_ops.original(
        "contrib.decision_trees.proto.generic_tree_model_pb2"
    ).Model.FromString(state)
    nodes = {node.node_id.value: node for node in tree.decision_tree.nodes}

    values: np.ndarray = np.zeros([len(features), options.num_outputs], np.float32)
    # A node, and the examples that reach it.
    waiting = [(0, np.arange(len(features)))] if nodes else []
    while waiting:
        number, examples = waiting.pop()
        if nodes[number].HasField("leaf"):
            for place, value in _values(nodes[number].leaf):
                values[examples, place] = value.float_value
            continue
        node = nodes[number].binary_node
        test = node.inequality_left_child_test
        column = features[examples, int(test.feature_id.id.value)]
        is_left = _IS_LEFT[test.type](column, np.float32(test.threshold.float_value))
        waiting.append((node.left_child_id.value, examples[is_left]))
        waiting.append((node.right_child_id.value, examples[~is_left]))
    total = values.sum(axis=1, keepdims=True)
    if not options.is_regression:
        values = values / np.where(total > 0, total, np.float32(1))
    return values, np.full(len(features), b"", object)


def _values(leaf: Any) -> Any:
    if leaf.HasField("sparse_vector"):
        return leaf.sparse_vector.sparse_value.items()
    return enumerate(leaf.vector.value)

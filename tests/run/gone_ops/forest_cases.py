"""Holds forests of `tf.contrib.tensor_forest` that TensorFlow 1.15.5 trained,
and what they predicted.

    PYTHONPATH=tests/helpers/programs python tests/run/gone_ops/forest_cases.py --record

run with TensorFlow 1.15.5, writes `tests/recorded/forests.json`, which has the options of the
forests' ops, and for each tree the message and the predictions of `EXAMPLES`.
"""

import base64
import sys

import numpy as np
import tensorflow.compat.v1 as tf

import records

EXAMPLES = np.random.RandomState(1).normal(size=[20, 4]).astype(np.float32)


def recorded(forest):
    """Returns the options of a forest, its columns, and (message, predictions) of each tree."""
    params, spec, trees = records.read("forests")[forest]
    return (
        base64.b64decode(params),
        spec.encode(),
        [(base64.b64decode(tree), np.float32(predictions)) for tree, predictions in trees],
    )


def _forest(is_regression):
    from tensorflow.contrib.tensor_forest.python import tensor_forest
    from tensorflow.contrib.tensor_forest.python.ops import gen_model_ops
    from tensorflow.python.ops import resources

    features = np.random.RandomState(0).normal(size=[300, 4]).astype(np.float32)
    product = features[:, 0] + features[:, 1] * features[:, 2]
    labels = product if is_regression else (product > 0).astype(np.int32) + (product > 1)
    with tf.Graph().as_default() as graph, tf.Session() as session:
        fed = [
            tf.placeholder(value.dtype, [None, *value.shape[1:]]) for value in (features, labels)
        ]
        options = tensor_forest.ForestHParams(
            num_classes=1 if is_regression else 3,
            num_features=4,
            num_trees=2,
            max_nodes=30,
            regression=is_regression,
        ).fill()
        forest = tensor_forest.RandomForestGraphs(options)
        train, _ = forest.training_graph(*fed), forest.inference_graph(fed[0])
        session.run(
            [
                tf.global_variables_initializer(),
                resources.initialize_resources(resources.shared_resources()),
            ]
        )
        for _ in range(20):
            session.run(train, dict(zip(fed, (features, labels))))
        found = [op for op in graph.get_operations() if op.type == "TreePredictionsV4"]
        messages = [gen_model_ops.tree_serialize(op.inputs[0]) for op in found]
        values = session.run([messages, [op.outputs[0] for op in found]], {fed[0]: EXAMPLES})
        return [
            base64.b64encode(found[0].get_attr("params")).decode(),
            found[0].get_attr("input_spec").decode(),
            [
                [base64.b64encode(tree).decode(), predictions.tolist()]
                for tree, predictions in zip(*values)
            ],
        ]


if __name__ == "__main__" and sys.argv[1:] == ["--record"]:
    assert tf.__version__.startswith("1.15"), tf.__version__
    records.write("forests", {"classes": _forest(False), "regression": _forest(True)})

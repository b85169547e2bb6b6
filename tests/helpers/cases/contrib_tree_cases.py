"""Holds ensembles of `tf.contrib.boosted_trees` and forests of `tensor_forest`, and what TensorFlow 1.15.5 predicted.

    PYTHONPATH=tests/helpers/programs python tests/helpers/cases/contrib_tree_cases.py --record

run with TensorFlow 1.15.5, writes `tests/recorded/contrib_trees.json`: the values of `CASES`, and the files of a
checkpoint with the ensemble of "every split". It trains the forests of `tests/recorded/forests.json`, which has the
options of their ops, and for each tree the message and the predictions of `EXAMPLES`.
"""

import base64
import os
import struct
import sys
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

import records

RANDOM = np.random.RandomState(1)
DENSE = [RANDOM.normal(size=[12, 1]).astype(np.float32) for _ in range(2)]
PLACES = np.array([[0, 0], [0, 1], [2, 1], [3, 0], [5, 1], [7, 0], [7, 1], [11, 1]])
NUMBERS = RANDOM.normal(size=len(PLACES)).astype(np.float32)
IDS = np.array([5, 7, 5, 9, 2**40, 5, 9, 7])


# Messages, written by hand: the wheel of TensorFlow 1.15.5 has no classes for them. --------------------------------


def _varint(value):
    found = b""
    while value > 127:
        found, value = found + bytes([value % 128 + 128]), value // 128
    return found + bytes([value])


def message(**fields):
    """Returns a serialized message: `_N=value` is the field N; a list repeats it."""
    found = b""
    for name, values in fields.items():
        number = int(name[1:])
        for value in values if isinstance(values, list) else [values]:
            if isinstance(value, bytes):
                found += _varint(8 * number + 2) + _varint(len(value)) + value
            elif isinstance(value, float):
                found += _varint(8 * number + 5) + struct.pack("<f", value)
            else:
                found += _varint(8 * number) + _varint(value)
    return found


def leaf(*values):
    """Returns a leaf with a value for each class."""
    return message(_1=message(_1=message(_1=list(values))))


def sparse_leaf(index, value):
    """Returns a leaf with a value for one class."""
    return message(_1=message(_2=message(_1=[index], _2=[value])))


def split(kind, column, value, left=0, right=0, dimension=0):
    """Returns a split; `kind` is the number of its field in `TreeNode`."""
    inner = message(_1=column, _2=value, _3=left, _4=right, _5=dimension)
    return message(**{f"_{kind}": message(_1=inner) if kind in (3, 4) else inner})


TREES = [
    [
        split(2, 1, 0.1, 1, 2),
        leaf(0.5, -0.25, 0.125),
        split(2, 0, -0.3, 3, 4),
        leaf(1.5, 2.5, 0.1),
        sparse_leaf(1, 3.7),
    ],
    [
        split(3, 0, 0.2, 1, 2, 1),
        split(4, 0, 0.1, 3, 4),
        leaf(0.3, 0.7, 0.0),
        leaf(-0.1, 0.0, 0.0),
        sparse_leaf(2, 0.6),
    ],
    [
        split(5, 0, 5, 1, 2),
        split(6, 0, [7, 9], 3, 4),
        split(5, 0, 2**40, 5, 6),
        leaf(1.1, 0.0, 0.0),
        leaf(2.2, 0.0, 0.0),
        leaf(0.0, 3.3, 0.0),
        leaf(0.0, 0.0, 4.4),
    ],
    [
        split(7, 0, 0.0),
        split(7, 1, 0.3),
        split(8, 0, 9),
        *(leaf(float(number), 0.5, 0.0) for number in range(8)),
    ],
    [leaf(0.01, 0.02, 0.03)],
]


def ensemble(trees):
    """Returns an ensemble; its last tree is not finalized."""
    return message(
        _1=[message(_1=nodes) for nodes in trees],
        _2=[0.1 * (number + 1) for number in range(len(trees))],
        _3=[message(_1=1, _2=1, _3=int(number < len(trees) - 1)) for number in range(len(trees))],
        _4=message(_1=7, _2=9),
    )


def config(averaging=None, growing=2, classes=3):
    """Returns a `LearnerConfig`."""
    options = {"_11": averaging} if averaging else {}
    return message(_1=classes, _9=growing, **options)


# Name: the trees, the configuration, and other attributes.
CASES = {
    "every split": (TREES, config(), {}),
    "finalized trees only": (TREES, config(growing=1), {}),
    "the last three averaged": (TREES, config(message(_1=3.0)), {"apply_averaging": True}),
    "the last half averaged": (TREES, config(message(_2=0.5)), {"apply_averaging": True}),
    "without averaging": (TREES, config(message(_1=3.0)), {}),
    "two classes, one output": (
        [[split(2, 0, 0.0, 1, 2), leaf(0.4), leaf(-0.7)], [leaf(0.2)]],
        config(classes=2),
        {"reduce_dim": True},
    ),
    "no trees": ([], config(), {}),
}


def columns():
    """Returns the features of the ops."""
    shape = np.array([12, 2])
    return dict(
        dense_float_features=DENSE,
        sparse_float_feature_indices=[PLACES],
        sparse_float_feature_values=[NUMBERS],
        sparse_float_feature_shapes=[shape],
        sparse_int_feature_indices=[PLACES],
        sparse_int_feature_values=[IDS],
        sparse_int_feature_shapes=[shape],
    )


def options(case):
    """Returns the attributes of a case."""
    return dict(
        dict(
            learner_config=CASES[case][1],
            apply_dropout=False,
            apply_averaging=False,
            center_bias=False,
            reduce_dim=False,
        ),
        **CASES[case][2],
    )


def values(case, model_ops, prediction_ops):
    """Returns the predictions of a case, with the leaves, from contrib's modules of ops."""
    with tf.Graph().as_default(), tf.Session() as session:
        handle = model_ops.tree_ensemble_variable(3, ensemble(CASES[case][0]), "trees")
        session.run([each.create for each in tf.get_collection(tf.GraphKeys.RESOURCES)])
        predictions, dropped = prediction_ops.gradient_trees_prediction(
            handle, 0, **columns(), **options(case)
        )
        verbose = prediction_ops.gradient_trees_prediction_verbose(
            handle, 0, **columns(), **options(case)
        )
        found = session.run(
            [predictions, dropped, *verbose, model_ops.tree_ensemble_stamp_token(handle)]
        )
    assert [found[0].tolist(), found[1].tolist()] == [found[2].tolist(), found[3].tolist()]
    return found[0].tolist(), found[1].tolist(), found[4].tolist(), int(found[5])


def restored(path, model_ops, prediction_ops):
    """Returns the predictions of the ensemble in a checkpoint."""
    with tf.Graph().as_default(), tf.Session() as session:
        handle = model_ops.tree_ensemble_variable(0, b"", "trees")
        saver = tf.train.Saver()
        saver.restore(session, path)
        predictions, _ = prediction_ops.gradient_trees_prediction(
            handle, 0, **columns(), **options("every split")
        )
        return session.run(predictions).tolist()


def recorded():
    """Returns the values of the cases, and the files of the checkpoint as bytes."""
    found = records.read("contrib_trees")
    return found["values"], {
        name: base64.b64decode(data) for name, data in found["checkpoint"].items()
    }


def _checkpoint(model_ops):
    folder = tempfile.mkdtemp()
    with tf.Graph().as_default(), tf.Session() as session:
        model_ops.tree_ensemble_variable(3, ensemble(TREES), "trees")
        session.run([each.create for each in tf.get_collection(tf.GraphKeys.RESOURCES)])
        tf.train.Saver().save(
            session, os.path.join(folder, "trees"), write_meta_graph=False, write_state=False
        )
    return records.packed(folder, sorted(os.listdir(folder)))


EXAMPLES = np.random.RandomState(1).normal(size=[20, 4]).astype(np.float32)


def recorded_forests():
    """Returns the forests by name, each as (params, input_spec, list of (message, predictions))."""
    return {
        name: (
            base64.b64decode(params),
            spec.encode(),
            [
                (base64.b64decode(tree), np.array(predictions, np.float32))
                for tree, predictions in trees
            ],
        )
        for name, (params, spec, trees) in records.read("forests").items()
    }


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
    from tensorflow.contrib.boosted_trees.python.ops import model_ops as models
    from tensorflow.contrib.boosted_trees.python.ops import prediction_ops as predictions_of

    results = {case: values(case, models, predictions_of) for case in CASES}
    records.write("contrib_trees", {"values": results, "checkpoint": _checkpoint(models)})
    records.write("forests", {"classes": _forest(False), "regression": _forest(True)})

"""Tests that trees of `tf.contrib.boosted_trees` and `tensor_forest` predict what TensorFlow 1.15.5's predicted."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import contrib_tree_cases
from contrib_modules import contrib_module

pytestmark = pytest.mark.period


def _ops():
    return [
        contrib_module(f"boosted_trees.python.ops.{name}_ops") for name in ("model", "prediction")
    ]


@pytest.mark.parametrize("case", sorted(contrib_tree_cases.CASES))
def test_values_are_those_of_1_15(case):
    predictions, dropped, leaves, stamp = contrib_tree_cases.values(case, *_ops())
    expected = contrib_tree_cases.recorded()[0][case]
    assert [dropped, leaves, stamp] == expected[1:]
    assert np.std(expected[0]) > 0.05 or case == "no trees"
    np.testing.assert_allclose(predictions, expected[0], rtol=1e-6, atol=1e-7)


def test_checkpoints_of_1_15_restore(tmp_path):
    values, files = contrib_tree_cases.recorded()
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    found = contrib_tree_cases.restored(str(tmp_path / "trees"), *_ops())
    np.testing.assert_allclose(found, values["every split"][0], rtol=1e-6)


def test_an_ensemble_is_saved_as_it_was_made(graph):
    models, _ = _ops()
    trees = contrib_tree_cases.ensemble(contrib_tree_cases.TREES)
    handle = models.tree_ensemble_variable(3, trees, "trees")
    with tf.Session() as session:
        session.run([each.create for each in tf.get_collection(tf.GraphKeys.RESOURCES)])
        assert session.run(models.tree_ensemble_serialize(handle)) == (3, trees)


SPLIT, LEAF = contrib_tree_cases.split, contrib_tree_cases.leaf(1.0)


@pytest.mark.parametrize(
    "nodes, message",
    [
        ([SPLIT(2, 0, 0.0, 1, 0), LEAF], "the node 0 of a tree has a child before it: 0"),
        ([SPLIT(2, 0, 0.0, 1, 2), LEAF], "the tree has 2 nodes, but no node 2"),
        ([b""], "neither a leaf nor a known split"),
        ([], "the tree has 0 nodes"),
    ],
)
def test_trees_that_make_no_sense_are_errors(graph, nodes, message):
    models, predictions = _ops()
    handle = models.tree_ensemble_variable(3, contrib_tree_cases.ensemble([nodes]), "trees")
    found, _ = predictions.gradient_trees_prediction(
        handle, 0, **contrib_tree_cases.columns(), **contrib_tree_cases.options("every split")
    )
    with tf.Session() as session:
        session.run([each.create for each in tf.get_collection(tf.GraphKeys.RESOURCES)])
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            session.run(found)


def test_training_is_refused(graph):
    models, predictions = _ops()
    handle = models.tree_ensemble_variable(3, b"", "trees")
    message = contrib_tree_cases.message
    dropout = message(_1=3, _6=message(_2=message(_1=0.5)))
    given = dict(contrib_tree_cases.columns(), **contrib_tree_cases.options("every split"))
    with pytest.raises(NotImplementedError, match="pass apply_dropout=False"):
        predictions.gradient_trees_prediction(
            handle, 0, **dict(given, learner_config=dropout, apply_dropout=True)
        )
    with pytest.raises(ValueError, match="num_classes=1"):
        predictions.gradient_trees_prediction(
            handle, 0, **dict(given, learner_config=message(_1=1))
        )
    with pytest.raises(
        NotImplementedError, match="the op GrowTreeEnsemble was called .*Its kernel was part of"
    ):
        contrib_module("boosted_trees.python.ops.training_ops").grow_tree_ensemble(
            handle, 0, 1, 0.1, 0, 8, 0, [], [], [], learner_config=b"", center_bias=False
        )


def _call(op, **arguments):
    from tf1grad.old_programs.originals import loader

    return loader.raw_ops.call(op, dict(arguments, name=None))


def _predict(tree, params, spec):
    handle = _call("DecisionTreeResourceHandleOp", container="", shared_name="tree")
    created = _call("CreateTreeVariable", tree_handle=handle, tree_config="", params=params)
    restored = _call("TreeDeserialize", tree_handle=handle, tree_config=tree, params=params)
    examples = tf.placeholder_with_default(contrib_tree_cases.EXAMPLES, [None, 4])
    predictions, paths = _call(
        "TreePredictionsV4",
        tree_handle=handle,
        input_data=examples,
        sparse_input_indices=np.zeros([0, 2], np.int64),
        sparse_input_values=np.zeros(0, np.float32),
        sparse_input_shape=np.zeros(0, np.int64),
        input_spec=spec,
        params=params,
    )
    return handle, created, restored, predictions, paths


@pytest.mark.parametrize("forest", ["classes", "regression"])
def test_trees_predict_what_they_predicted(forest):
    params, spec, trees = contrib_tree_cases.recorded_forests()[forest]
    for tree, expected in trees:
        with tf.Graph().as_default(), tf.Session() as session:
            handle, created, restored, predictions, paths = _predict(tree, params, spec)
            initialized = _call("TreeIsInitializedOp", tree_handle=handle)
            assert not session.run(initialized)
            session.run(created)
            assert session.run(initialized)
            session.run(restored)
            found, of_paths = session.run([predictions, paths])
            assert session.run(_call("TreeSerialize", tree_handle=handle)) == tree
        assert predictions.shape.as_list() == [None, expected.shape[1]]
        assert expected.std() > 0.1 and of_paths.tolist() == [b""] * len(expected)
        np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_forests_with_sparse_columns_and_their_training_are_refused(graph):
    params, _, trees = contrib_tree_cases.recorded_forests()["classes"]
    with pytest.raises(NotImplementedError, match="make them dense"):
        _predict(
            trees[0][0],
            params,
            b"dense_features_size: 0 dense: [] sparse: [{name: a original_type: 1 size: -1}]",
        )
    with pytest.raises(
        NotImplementedError,
        match="the op GrowTreeV4 was called .*Its kernel was part of TensorFlow 1",
    ):
        _call("GrowTreeV4")

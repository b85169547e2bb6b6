"""Tests that ensembles of `tf.contrib.boosted_trees` predict what TensorFlow 1.15.5's ops predicted."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import contrib_tree_cases
from tf1grad.old_programs import originals

pytestmark = pytest.mark.period


def _ops():
    return [originals.contrib_module(f"boosted_trees.python.ops.{name}_ops") for name in ("model", "prediction")]


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


@pytest.mark.parametrize("nodes, message", [
    ([SPLIT(2, 0, 0.0, 1, 0), LEAF], "the node 0 of a tree has a child before it: 0"),
    ([SPLIT(2, 0, 0.0, 1, 2), LEAF], "the tree has 2 nodes, but no node 2"),
    ([b""], "neither a leaf nor a known split"), ([], "the tree has 0 nodes"),
])
def test_trees_that_make_no_sense_are_errors(graph, nodes, message):
    models, predictions = _ops()
    handle = models.tree_ensemble_variable(3, contrib_tree_cases.ensemble([nodes]), "trees")
    found, _ = predictions.gradient_trees_prediction(handle, 0, **contrib_tree_cases.columns(),
                                                     **contrib_tree_cases.options("every split"))
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
        predictions.gradient_trees_prediction(handle, 0, **dict(given, learner_config=dropout, apply_dropout=True))
    with pytest.raises(ValueError, match="num_classes=1"):
        predictions.gradient_trees_prediction(handle, 0, **dict(given, learner_config=message(_1=1)))
    with pytest.raises(NotImplementedError, match="the op GrowTreeEnsemble was called .*Its kernel was part of"):
        originals.contrib_module("boosted_trees.python.ops.training_ops").grow_tree_ensemble(
            handle, 0, 1, 0.1, 0, 8, 0, [], [], [], learner_config=b"", center_bias=False)

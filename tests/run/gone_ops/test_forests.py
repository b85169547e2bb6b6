"""Tests that forests of `tf.contrib` predict what 1.15.5's predicted,
and that the rest of trees is refused.
"""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import forest_cases

pytestmark = pytest.mark.period


def _call(op, **arguments):
    from tf1grad.run.originals import loader

    return loader.raw_ops.call(op, dict(arguments, name=None))


def _predict(tree, params, spec):
    handle = _call("DecisionTreeResourceHandleOp", container="", shared_name="tree")
    created = _call("CreateTreeVariable", tree_handle=handle, tree_config="", params=params)
    restored = _call("TreeDeserialize", tree_handle=handle, tree_config=tree, params=params)
    examples = tf.placeholder_with_default(forest_cases.EXAMPLES, [None, 4])
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
    params, spec, trees = forest_cases.recorded(forest)
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


def test_sparse_columns_and_training_are_refused(graph):
    params, _, trees = forest_cases.recorded("classes")
    sparse = b"dense_features_size: 0 dense: [] sparse: [{name: a original_type: 1 size: -1}]"
    with pytest.raises(NotImplementedError, match="make them dense"):
        _predict(trees[0][0], params, sparse)
    kernel_gone = "the op GrowTreeV4 was called .*Its kernel was part of TensorFlow 1"
    with pytest.raises(NotImplementedError, match=kernel_gone):
        _call("GrowTreeV4")


def test_explanations_and_pruning_of_whole_trees_are_refused(graph):
    with pytest.raises(NotImplementedError, match="the op BoostedTreesExampleDebugOutputs was"):
        _call("BoostedTreesExampleDebugOutputs")
    lists = ("node_ids", "gains", "thresholds", "left_node_contribs", "right_node_contribs")
    with pytest.raises(NotImplementedError, match='pruning_mode="post" is not supported'):
        _call(
            "BoostedTreesUpdateEnsemble",
            tree_ensemble_handle=_call(
                "BoostedTreesEnsembleResourceHandleOp", container="", shared_name=""
            ),
            feature_ids=np.zeros(0, np.int32),
            max_depth=1,
            learning_rate=0.1,
            pruning_mode=2,
            **{name: [] for name in lists},
        )

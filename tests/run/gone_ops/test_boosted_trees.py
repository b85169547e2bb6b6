"""Tests single ops of boosted trees; the numbers are those of TensorFlow 1.15.5's kernels,
which pass them too.
"""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import gone_op_cases

IS_TF1 = tf.__version__.startswith("1.")
pytestmark = pytest.mark.period(on_1_15=True)


@pytest.fixture
def op(graph):
    if not IS_TF1:
        from tf1grad.run.originals import loader  # noqa: F401  it has the messages of trees
    return gone_op_cases.op_function()


def test_boundaries_represent_all_batches_of_a_stream(op, session):
    """The summaries of the batches overlap: they are merged, and compressed twice."""
    stream = op("BoostedTreesQuantileStreamResourceHandleOp", container="", shared_name="")
    created = op(
        "BoostedTreesCreateQuantileStreamResource",
        quantile_stream_resource_handle=stream,
        epsilon=0.25,
        num_streams=2,
        max_elements=1000,
    )
    values = tf.placeholder(tf.float32, [None])
    added = op(
        "BoostedTreesQuantileStreamResourceAddSummaries",
        quantile_stream_resource_handle=stream,
        summaries=op(
            "BoostedTreesMakeQuantileSummaries",
            float_values=[values, -2 * values],
            example_weights=values,
            epsilon=0.25,
        ),
    )
    flushed = op(
        "BoostedTreesQuantileStreamResourceFlush",
        quantile_stream_resource_handle=stream,
        num_buckets=4,
    )
    boundaries = op(
        "BoostedTreesQuantileStreamResourceGetBucketBoundaries",
        quantile_stream_resource_handle=stream,
        num_features=2,
    )
    session.run(created)
    for first in (1.0, 30.5, 12.25):
        session.run(added, {values: np.arange(first, first + 40)})
    session.run(flushed)
    assert [each.tolist() for each in session.run(boundaries)] == [
        [1.0, 29.25, 40.0, 51.25, 69.5],
        [-139.0, -97.0, -72.0, -38.0, -2.0],
    ]


def test_best_split_of_each_node_by_feature(op, session):
    gradients = [[[9, 9], [1, -4], [2, 2]], [[9, 9], [-3, 0], [-1, 5]]]
    stats = np.stack([gradients, np.ones_like(gradients)], axis=-1).astype(np.float32)
    found = op(
        "BoostedTreesCalculateBestGainsPerFeature",
        node_id_range=[1, 3],
        stats_summary_list=list(stats),
        l1=0.5,
        l2=1.0,
        tree_complexity=0.25,
        min_node_weight=1.0,
        max_splits=3,
    )
    nodes, gains, thresholds, left, right = (np.stack(each) for each in session.run(found))
    assert nodes.tolist() == [[1, 2], [1, 2]] and thresholds.tolist() == [[0, 1], [0, 0]]
    np.testing.assert_allclose(gains, [[3.916667, -0.25], [0.791667, 5.916667]], rtol=1e-6)
    for found, expected in (
        (left, [[-0.25, -7 / 6], [1.25, 0.25]]),
        (right, [[1.75, 0], [0, -2.25]]),
    ):
        np.testing.assert_allclose(found[:, :, 0], expected, rtol=1e-6)


def _empty_ensemble(op):
    """Returns the resource of an ensemble without trees, and the op that makes it."""
    trees = op("BoostedTreesEnsembleResourceHandleOp", container="", shared_name="")
    created = op(
        "BoostedTreesCreateEnsemble",
        tree_ensemble_handle=trees,
        stamp_token=np.int64(0),
        tree_ensemble_serialized="",
    )
    return trees, created


def test_a_tree_predicts_one_logit(op, session):
    trees, created = _empty_ensemble(op)
    grown = op(
        "BoostedTreesUpdateEnsemble",
        tree_ensemble_handle=trees,
        feature_ids=[1, 0],
        node_ids=[[0], [0]],
        gains=[[2.0], [3.0]],
        thresholds=[[0], [1]],
        left_node_contribs=[[[1.0]], [[2.0]]],
        right_node_contribs=[[[-1.0]], [[-4.0]]],
        max_depth=2,
        learning_rate=0.5,
        pruning_mode=0,
    )
    features = [[0, 1, 2], [0, 0, 0]]

    def predict(logits):
        return op(
            "BoostedTreesPredict",
            tree_ensemble_handle=trees,
            bucketized_features=features,
            logits_dimension=logits,
        )

    session.run(created)
    session.run(grown)
    logits = predict(1)
    assert session.run(logits).tolist() == [[1.0], [1.0], [-2.0]]
    if not IS_TF1:
        with pytest.raises(NotImplementedError, match="logits_dimension must be 1 here, got 3"):
            predict(3)


def test_a_tree_of_the_greatest_depth_is_followed_by_a_new_one(op, session):
    """The third layer is the first one of the second tree."""
    trees, created = _empty_ensemble(op)
    nodes = tf.placeholder(tf.int32, [None])
    count = tf.size(nodes)
    grown = op(
        "BoostedTreesUpdateEnsemble",
        tree_ensemble_handle=trees,
        feature_ids=[0],
        node_ids=[nodes],
        gains=[tf.ones([count])],
        thresholds=[tf.zeros([count], tf.int32)],
        left_node_contribs=[tf.ones([count, 1])],
        right_node_contribs=[-tf.ones([count, 1])],
        max_depth=2,
        learning_rate=0.5,
        pruning_mode=0,
    )
    state = op("BoostedTreesGetEnsembleStates", tree_ensemble_handle=trees)
    session.run(created)
    found = []
    for split in ([0], [1, 2], [0]):
        session.run(grown, {nodes: split})
        found.append([np.asarray(each).tolist() for each in session.run(list(state))])
    # The count of updates, of trees, of whole trees and of layers, and the nodes of the last layer.
    assert found == [[1, 1, 0, 1, [1, 3]], [2, 2, 1, 2, [0, 1]], [3, 2, 1, 3, [1, 3]]]

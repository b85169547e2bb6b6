"""Tests that the ops without kernels give what the kernels of TensorFlow 1.15.5 gave,
with the same errors.
"""

import importlib

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from contrib_modules import contrib_module

IS_TF1 = tf.__version__.startswith("1.")


@pytest.mark.period(on_1_15=True)
def test_gather_tree_is_one_op_of_the_graph(graph):
    fed = [tf.placeholder(tf.int32, shape) for shape in ([None, None, 3], [7, None, None])]
    gather_tree = contrib_module("seq2seq.python.ops.beam_search_ops").gather_tree
    trees = [gather_tree(*fed, max_sequence_lengths=[4, 3], end_token=end) for end in (9, 8)]
    assert [(op.type, op.name) for op in graph.get_operations()][2:] == [
        ("Const", "GatherTree/max_sequence_lengths"),
        ("Const", "GatherTree/end_token"),
        ("GatherTree", "GatherTree"),
        ("Const", "GatherTree_1/max_sequence_lengths"),
        ("Const", "GatherTree_1/end_token"),
        ("GatherTree", "GatherTree_1"),
    ]
    assert [tree.shape.as_list() for tree in trees] == [[7, 2, 3]] * 2
    with pytest.raises(ValueError, match="rank"):
        gather_tree(fed[0], fed[1][0], [4, 3], 9)


def _kernel(name):
    if IS_TF1:
        pytest.skip("TensorFlow 1 has the kernel itself")
    return importlib.import_module("tf1grad.run.gone_ops.of_tensorflow." + name)


def test_a_parent_that_is_no_beam_is_an_error_of_the_run(session):
    tree = _kernel("sequences").gather_tree(
        *map(tf.constant, ([[[1, 2]], [[3, 4]]], [[[0, 0]], [[0, -1]]], [2], 9))
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match="= -1 is not in"):
        session.run(tree)


def test_a_parent_that_no_beam_is_followed_to_may_be_anything(session):
    tree = _kernel("sequences").gather_tree(
        *map(tf.constant, ([[[1, 2]], [[3, 4]]], [[[-5, 7]], [[1, 0]]], [2], 9))
    )
    assert session.run(tree).tolist() == [[[2, 1]], [[3, 4]]]


def test_samples_of_what_is_not_there_are_zero(session):
    places = tf.constant([[[-1.0, 0.0], [0.0, 5.0], [np.nan, 0.0], [np.inf, 1.0]]])
    data = tf.fill([1, 2, 2, 1], np.inf)
    assert session.run(_kernel("resampler").build(data, places)).tolist() == [
        [[0.0], [0.0], [0.0], [0.0]]
    ]


def test_samples_in_half_precision_have_gradients_too(session):
    random = np.random.RandomState(0)
    data, warp = random.normal(size=[2, 3, 4, 5]), random.randint(-5, 20, size=[2, 6, 2]) / 4.0
    gradients = []
    for dtype in (tf.float16, tf.float32):
        given = [tf.constant(data.astype(np.float16), dtype), tf.constant(warp, dtype)]
        output = _kernel("resampler").build(*given)
        gradients.append(session.run(tf.gradients(output, given)))
    for half, single in zip(*gradients):
        assert half.dtype == np.float16
        np.testing.assert_allclose(half, single, rtol=2e-3, atol=1e-2)

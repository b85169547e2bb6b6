"""Tests that the ops without kernels give what the kernels of TensorFlow 1.15.5 gave, with the same errors."""

import importlib

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import kernel_cases
from tf1grad.old_programs import originals

IS_TF1 = tf.__version__.startswith("1.")
needs_originals = pytest.mark.skipif(not IS_TF1 and not originals.is_installed(),
                                     reason="TensorFlow 1.15's own contrib is not installed: tf1grad contrib install")


@needs_originals
@pytest.mark.parametrize("case", sorted(kernel_cases.CASES))
def test_values_are_those_of_1_15(case):
    found = kernel_cases.values(case, originals.contrib_module)
    expected = kernel_cases.recorded(case)
    assert len(found) == len(expected) >= 3
    for number, (value, reference) in enumerate(zip(found, expected)):
        if np.asarray(reference).dtype.kind == "f":
            np.testing.assert_allclose(value, reference, rtol=0, atol=1e-6, err_msg=str(number))
        else:
            assert value == reference, number


@needs_originals
def test_gather_tree_is_one_op_of_the_graph(graph):
    fed = [tf.placeholder(tf.int32, shape) for shape in ([None, None, 3], [7, None, None])]
    gather_tree = originals.contrib_module("seq2seq.python.ops.beam_search_ops").gather_tree
    trees = [gather_tree(*fed, max_sequence_lengths=[4, 3], end_token=end) for end in (9, 8)]
    assert [(op.type, op.name) for op in graph.get_operations()][2:] == [
        ("Const", "GatherTree/max_sequence_lengths"), ("Const", "GatherTree/end_token"), ("GatherTree", "GatherTree"),
        ("Const", "GatherTree_1/max_sequence_lengths"), ("Const", "GatherTree_1/end_token"),
        ("GatherTree", "GatherTree_1")]
    assert [tree.shape.as_list() for tree in trees] == [[7, 2, 3]] * 2
    with pytest.raises(ValueError, match="rank"):
        gather_tree(fed[0], fed[1][0], [4, 3], 9)


def _kernel(name):
    if IS_TF1:
        pytest.skip("TensorFlow 1 has the kernel itself")
    return importlib.import_module("tf1grad.old_programs.missing_ops.kernels." + name)


def test_a_parent_that_is_no_beam_is_an_error_of_the_run(session):
    tree = _kernel("gather_tree").build([[[1, 2]], [[3, 4]]], [[[0, 0]], [[0, -1]]], [2], 9)
    with pytest.raises(tf.errors.InvalidArgumentError,
                       match=r"parent id -1 at \(batch, time, beam\) == \(0, 0, 1\)"):
        session.run(tree)


def test_a_parent_that_no_beam_is_followed_to_may_be_anything(session):
    tree = _kernel("gather_tree").build([[[1, 2]], [[3, 4]]], [[[-5, 7]], [[1, 0]]], [2], 9)
    assert session.run(tree).tolist() == [[[2, 1]], [[3, 4]]]


def _followed(tokens, parents, lengths, end):
    """Computes what the kernel does, a beam at a time."""
    beams = np.full_like(tokens, end)
    for batch, beam in np.ndindex(tokens.shape[1:]):
        way = beam
        for time in reversed(range(min(len(tokens), lengths[batch]))):
            beams[time, batch, beam] = tokens[time, batch, way]
            way = parents[time, batch, way]
        ends = np.flatnonzero(beams[:, batch, beam] == end)
        beams[ends[0] if len(ends) else len(tokens):, batch, beam] = end
    return beams.tolist()


def test_beams_of_any_length(session):
    fed = [tf.placeholder(tf.int32, [None] * rank) for rank in (3, 3, 1)]
    tree = _kernel("gather_tree").build(*fed, end_token=4)
    random = np.random.RandomState(0)
    for shape in ((0, 2, 3), (1, 1, 1), (3, 0, 2), (15, 2, 3), (16, 2, 3), (17, 2, 3), (100, 3, 5), (257, 2, 2)):
        tokens, parents = random.randint(0, 40, shape), random.randint(0, shape[2], shape)
        lengths = random.randint(-1, shape[0] + 3, shape[1])
        found = session.run(tree, dict(zip(fed, (tokens, parents, lengths))))
        assert found.tolist() == _followed(tokens, parents, lengths, 4), shape


def test_lengths_and_sizes_known_only_in_the_run(session):
    tokens, parents = tf.placeholder(tf.int32, [None, None, None]), tf.placeholder(tf.int32, [None, None, None])
    tree = _kernel("gather_tree").build(tokens, parents, tf.placeholder_with_default([2], [None]), 9)
    fed = {tokens: [[[1, 2]], [[3, 4]], [[5, 6]]], parents: [[[0, 0]], [[1, 1]], [[0, 0]]]}
    assert session.run(tree, fed).tolist() == [[[2, 2]], [[3, 4]], [[9, 9]]]


def test_samples_have_the_gradients_of_finite_differences(session):
    random = np.random.RandomState(0)
    pixels, places = random.normal(size=[1, 3, 4, 2]), random.uniform(-0.9, 3.9, size=[1, 5, 2])
    assert (np.abs(places - places.round()) > 2e-3).all()  # where the derivative jumps, a difference is none
    data, warp = tf.constant(pixels), tf.constant(places)
    output = _kernel("resampler").build(data, warp)
    for given, value in ((data, pixels), (warp, places)):
        error = tf.test.compute_gradient_error(given, value.shape, output, [1, 5, 2], x_init_value=value)
        assert error < 1e-6


def test_samples_of_what_is_not_there_are_zero(session):
    places = tf.constant([[[-1.0, 0.0], [0.0, 5.0], [np.nan, 0.0], [np.inf, 1.0]]])
    data = tf.fill([1, 2, 2, 1], np.inf)
    assert session.run(_kernel("resampler").build(data, places)).tolist() == [[[0.0], [0.0], [0.0], [0.0]]]


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


def test_a_variable_starts_at_zero_once(variable_kind):
    kernel = _kernel("zero_initializer")
    with tf.Graph().as_default(), tf.Session() as session:
        variable = tf.get_variable("x", [2, 3])
        zero = kernel.build_resource(variable.handle, tf.float32, [2, 3]) if variable_kind == "resource" else \
            kernel.build(variable._ref())
        session.run(zero.op)
        assert session.run(variable).tolist() == [[0.0] * 3] * 2
        with pytest.raises(tf.errors.InvalidArgumentError, match="input is already initialized"):
            session.run(zero.op)


def test_an_op_without_a_kernel_names_itself():
    if IS_TF1:
        pytest.skip("TensorFlow 1 has the kernels")
    from tf1grad.old_programs.originals import raw_ops
    with pytest.raises(NotImplementedError, match="the op GrowTreeEnsemble was called .name='grow'.. Its kernel was "
                                                  "part of TensorFlow 1"):
        raw_ops.call("GrowTreeEnsemble", {"name": "grow"})

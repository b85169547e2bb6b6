"""The ops that lost their kernels give what the kernels of TensorFlow 1.15.5 gave, and complain as they did."""

import importlib

import numpy as np
import pytest

import kernel_cases
from conftest import tf
from tf1grad.migrate import originals

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


def _kernel(name):
    if IS_TF1:
        pytest.skip("TensorFlow 1 has the kernel itself")
    return importlib.import_module("tf1grad.migrate.originals.kernels." + name)


def test_a_parent_that_is_no_beam_is_an_error_of_the_run(session):
    tree = _kernel("gather_tree").build([[[1, 2]], [[3, 4]]], [[[0, 0]], [[0, -1]]], [2], 9)
    with pytest.raises(tf.errors.InvalidArgumentError,
                       match=r"parent id -1 at \(batch, time, beam\) == \(0, 0, 1\)"):
        session.run(tree)


def test_a_parent_that_no_beam_is_followed_to_may_be_anything(session):
    tree = _kernel("gather_tree").build([[[1, 2]], [[3, 4]]], [[[-5, 7]], [[1, 0]]], [2], 9)
    assert session.run(tree).tolist() == [[[2, 1]], [[3, 4]]]


def test_lengths_and_sizes_known_only_in_the_run(session):
    tokens, parents = tf.placeholder(tf.int32, [None, None, None]), tf.placeholder(tf.int32, [None, None, None])
    tree = _kernel("gather_tree").build(tokens, parents, tf.placeholder_with_default([2], [None]), 9)
    fed = {tokens: [[[1, 2]], [[3, 4]], [[5, 6]]], parents: [[[0, 0]], [[1, 1]], [[0, 0]]]}
    assert session.run(tree, fed).tolist() == [[[2, 2]], [[3, 4]], [[9, 9]]]


def test_samples_have_the_gradients_of_finite_differences(session):
    random = np.random.RandomState(0)
    data = tf.constant(random.normal(size=[1, 3, 4, 2]))
    warp = tf.constant(random.uniform(-0.9, 3.9, size=[1, 5, 2]))
    output = _kernel("resampler").build(data, warp)
    for given in (data, warp):
        shape = given.shape.as_list()
        assert tf.test.compute_gradient_error(given, shape, output, [1, 5, 2]) < 1e-6


def test_samples_of_what_is_not_there_are_zero(session):
    places = tf.constant([[[-1.0, 0.0], [0.0, 5.0], [np.nan, 0.0]]])
    assert session.run(_kernel("resampler").build(tf.ones([1, 2, 2, 1]), places)).tolist() == [[[0.0], [0.0], [0.0]]]


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
    from tf1grad.migrate.originals import raw_ops
    with pytest.raises(NotImplementedError, match="the op GrowTreeEnsemble was called .name='grow'.. Its kernel was "
                                                  "part of TensorFlow 1"):
        raw_ops.call("GrowTreeEnsemble", {"name": "grow"})

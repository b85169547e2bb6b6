"""Tests that small products of matrices are computed with Eigen's kernel, and no others."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from tf1grad._compat import VERSION
from tf1grad.programs.process import patches
from tf1grad.run.view import matrix_products

pytestmark = pytest.mark.skipif(VERSION < (2,), reason="TensorFlow 1.15 does not have oneDNN")


@pytest.fixture(autouse=True)
def undo_patches():
    before = len(patches.changes())
    yield
    patches.undo(before)


def numbers(*shape, dtype=np.float32):
    return np.random.RandomState(len(shape)).normal(size=shape).astype(dtype)


def types_made(graph):
    return [op.type for op in graph.get_operations() if op.name.startswith("tf1grad_checks/")]


def multiply(x, y, **adjoints):
    """Returns the product as 1.15's `tf.matmul` of these tensors builds it."""
    product = tf.raw_ops.BatchMatMulV2(x=x, y=y, **adjoints)
    matrix_products.compute_with_eigen(product.op)
    return product


@pytest.mark.parametrize("adj_x", [False, True])
@pytest.mark.parametrize("adj_y", [False, True])
@pytest.mark.parametrize("left, right", [((), ()), ((5,), (5,)), ((2, 1), (3,))])
@pytest.mark.parametrize("has_rank", [True, False])
def test_product_is_numpys(session, left, right, adj_x, adj_y, has_rank):
    x, y = numbers(*left, 4, 6), numbers(*right, 6, 3)
    expected = x @ y
    x, y = x.swapaxes(-1, -2) if adj_x else x, y.swapaxes(-1, -2) if adj_y else y
    fed = tf.placeholder(tf.float32, x.shape if has_rank else None)
    product = multiply(fed, tf.constant(y), adj_x=adj_x, adj_y=adj_y)
    np.testing.assert_allclose(session.run(product, {fed: x}), expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(session.run(product + 0, {fed: x}), expected, rtol=1e-5, atol=1e-6)
    assert types_made(session.graph) == ["BatchMatMulV3"]


@pytest.mark.parametrize("is_built_after_a_run", [False, True])
def test_gradients_are_those_of_the_product(session, is_built_after_a_run):
    x, y = tf.constant(numbers(5, 4, 6)), tf.constant(numbers(5, 6, 3))
    product, others = multiply(x, y), tf.raw_ops.BatchMatMulV2(x=x, y=y)
    if is_built_after_a_run:
        session.run(product + 0)
    for value, expected in zip(
        *session.run([tf.gradients(each**2, [x, y]) for each in (product, others)])
    ):
        np.testing.assert_allclose(value, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    "left, right, dtype, is_small",
    [
        ([9, 16, 32], [9, 32, 32], np.float32, True),
        ([9, 16, 32], [9, 32, 33], np.float32, False),
        ([None, 1, 64], [None, 64, 50], np.float32, True),
        ([None, None, 4], [None, 4, 4], np.float32, False),
        ([9, 2, 3], [9, 3, 2], np.float64, False),
        (None, [3, 2], np.float32, True),
        ([4, 3], None, np.float32, True),
    ],
)
def test_only_small_products_of_float32_change(session, left, right, dtype, is_small):
    x, y = (tf.placeholder(dtype, shape) for shape in (left, right))
    product = multiply(x, y) + 0
    fed = {
        tensor: np.ones([size or 2 for size in shape or other[-1:] * 2])
        for tensor, shape, other in ((x, left, [3]), (y, right, [3]))
    }
    session.run(product, fed)
    assert types_made(session.graph) == ["BatchMatMulV3"] * is_small


def test_product_waits_and_runs_in_a_loop(session):
    counter = tf.Variable(0, use_resource=True)
    weights = tf.constant(numbers(1, 3, 3) / 3)

    def step(i, y):
        with tf.control_dependencies([counter.assign_add(1)]):
            return i + 1, multiply(y, weights)

    start = numbers(1, 2, 3)
    result = tf.while_loop(lambda i, y: i < 3, step, [0, start])[1]
    session.run(counter.initializer)
    value, matrix = session.run([result, weights])
    np.testing.assert_allclose(value, start @ matrix @ matrix @ matrix, rtol=1e-5, atol=1e-6)
    assert session.run(counter) == 3 and types_made(session.graph) == ["BatchMatMulV3"]

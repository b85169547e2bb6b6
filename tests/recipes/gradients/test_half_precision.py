"""Compares products of half precision gradients and scalars with NumPy's float64,
at both ends of float16's range.
"""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import tf1grad
from steps import dense_value
from tf1grad.recipes.gradients.transforms import cast
from variable_kinds import BOTH_KINDS

# dtype -> the largest relative error of a rounding, and half of the smallest number.
ROUNDINGS = {tf.float16: (2.0**-11, 2.0**-25), tf.bfloat16: (2.0**-8, 0)}
HALVES = pytest.mark.parametrize("dtype", list(ROUNDINGS), ids=lambda dtype: dtype.name)
SHAPE = [20, 5]


def rounded(numbers, dtype):
    """Returns numbers of `dtype` in float64, because NumPy's bfloat16 of TensorFlow
    1.15 computes in float16.
    """
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(tf.cast(tf.cast(numbers, dtype), tf.float64))


def pairs_of(dtype, *numbers):
    """Makes a dense gradient and one of rows, with row 3 twice;
    returns them with their dense values in float64.
    """
    values = rounded(np.resize(np.float64(numbers), SHAPE), dtype)
    half = rounded(values[3:4] / 2, dtype)
    values[3:4] = 2 * half  # exact, also where the smallest numbers were halved
    dense = tf.get_variable("dense", SHAPE, dtype, tf.zeros_initializer())
    table = tf.get_variable("table", SHAPE, dtype, tf.zeros_initializer())
    rows = np.concatenate([values[:3], half, values[4:], half])
    slices = tf.IndexedSlices(
        tf.cast(rows, dtype),
        tf.constant(np.append(np.arange(SHAPE[0]), 3)),
        tf.constant(SHAPE, tf.int64),
    )
    return [(tf.cast(values, dtype), dense), (slices, table)], [values, values]


def check(session, pairs, expected, dtype, feed_dict=None, roundings=1):
    """Compares fetched gradients with float64;
    a product is rounded to float32, and then `roundings` times.
    """
    relative, absolute = ROUNDINGS[dtype]
    for (gradient, variable), exact in zip(pairs, expected):
        assert gradient.dtype == dtype == variable.dtype.base_dtype
        wide = cast(gradient, tf.float64)
        actual = dense_value(session.run(wide, feed_dict), SHAPE[0])
        np.testing.assert_allclose(
            actual, exact, rtol=relative * 1.001, atol=absolute * roundings * 1.001
        )


@HALVES
@pytest.mark.parametrize("largest", [5e3, 3e4, 6e-5])
@pytest.mark.parametrize("clip_norm", [1.0, 1e-5])
def test_clipped_by_the_global_norm(largest, clip_norm, dtype, session):
    pairs, exact = pairs_of(dtype, largest, -largest / 3, largest / 7)
    norm = np.sqrt(np.sum(np.square(exact)))
    clipped, actual = tf1grad.clip_by_global_norm(pairs, clip_norm)
    np.testing.assert_allclose(session.run(actual), norm, rtol=1e-6)
    factor = min(1, clip_norm / norm)
    check(session, clipped, [factor * value for value in exact], dtype)


@HALVES
@pytest.mark.parametrize("largest", [5e3, 3e4, 6e-5])
def test_clipped_by_the_norm_of_each(largest, dtype, session):
    pairs, exact = pairs_of(dtype, largest, -largest / 3, largest / 7)
    expected = [value * min(1, 1e-3 / np.linalg.norm(value)) for value in exact]
    check(session, tf1grad.clip_by_norm(pairs, 1e-3), expected, dtype)


@HALVES
@pytest.mark.parametrize("factor", [1e-8, 1 / 3, 1e8, np.float64(1e-8)], ids=repr)
def test_multiplied(factor, dtype, session):
    pairs, exact = pairs_of(dtype, *([3e-4, -2e-5] if factor > 1 else [3e4, -5e3, 100]))
    multiplied = tf1grad.multiply_gradients(pairs, {"dense": factor, "table": tf.constant(factor)})
    # Row 3 comes twice, and each part is rounded.
    check(session, multiplied, [value * factor for value in exact], dtype, roundings=2)


@HALVES
@pytest.mark.parametrize("gate", [1e-8, np.float64(1e-8), 1 / 3, 0.0], ids=repr)
def test_gated(gate, dtype, session):
    x = tf.get_variable("x", [2], dtype)
    upstream = rounded([3e4, -5e3], dtype)
    gradients = tf.gradients(tf1grad.gate_gradient(x, gate), x, tf.cast(upstream, dtype))
    check(session, [(gradients[0], x)], [upstream * gate], dtype)


@HALVES
@BOTH_KINDS
@pytest.mark.parametrize("weights", [[1e-6, 3e-6], [7e5, 1e5], [1, 2]], ids=repr)
@pytest.mark.parametrize("numbers", [[3e4, -5e3], [6e-5, -3e-6]], ids=repr)
def test_accumulated(numbers, weights, dtype, session):
    pairs, exact = pairs_of(dtype, *numbers)
    weight = tf.placeholder(tf.float64, [])
    accumulator = tf1grad.GradientAccumulator(pairs, weight=weight)
    session.run(tf.global_variables_initializer())
    session.run(accumulator.reset)
    for number in weights:
        session.run(accumulator.accumulate, {weight: number})
    check(session, accumulator.grads_and_vars, exact, dtype)


@HALVES
@pytest.mark.parametrize("stacked", [False, True], ids=["average", "stacked"])
@pytest.mark.parametrize("weights", [[1e-6, 3e-6], [7e5, 1e5]], ids=repr)
def test_fed(weights, stacked, dtype, session):
    pairs, exact = pairs_of(dtype, 3e4, -5e3)
    fed = tf1grad.feed_gradients(pairs, stacked=stacked)
    feed_dict = fed.feed_dict([session.run(fed.fetches)] * 2, weights)
    check(session, fed.grads_and_vars, exact, dtype, feed_dict)


@pytest.mark.parametrize("dtype", [tf.float32, tf.float64], ids=lambda dtype: dtype.name)
def test_wide_gradients_get_no_casts(dtype, graph):
    v = tf.get_variable("v", [3], dtype, tf.zeros_initializer())
    pairs = [(tf.placeholder(dtype, [3]), v)]
    tf1grad.clip_by_global_norm(pairs, 1.0)
    tf1grad.clip_by_norm(pairs, 1.0)
    tf1grad.multiply_gradients(pairs, {"v": 0.5})
    tf.gradients(tf1grad.gate_gradient(pairs[0][0], tf.constant(0.5, dtype)), pairs[0][0])
    assert not [op.name for op in graph.get_operations() if op.type == "Cast"]

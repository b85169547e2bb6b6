"""Tests that the window holds the weighted mean for all shapes, dtypes, weights and missing gradients."""

import contextlib

import numpy as np
import tensorflow.compat.v1 as tf
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tf1grad

QUICK = settings(max_examples=12, deadline=None, derandomize=True, database=None,
                 suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
DTYPES = st.sampled_from([tf.float16, tf.bfloat16, tf.float32, tf.float64])
SHAPES = st.lists(st.integers(0, 4), max_size=3).map(tuple)
WEIGHTS = st.lists(st.sampled_from([0, 1, 2, 7]), min_size=1, max_size=5)
EPSILON = {tf.float16: 2.0 ** -10, tf.bfloat16: 2.0 ** -7, tf.float32: 2.0 ** -23, tf.float64: 2.0 ** -52}


@contextlib.contextmanager
def _fresh(resource):
    """Opens a graph and a session for one example; Hypothesis runs many examples in one test."""
    (tf.enable_resource_variables if resource else tf.disable_resource_variables)()
    try:
        with tf.Graph().as_default(), tf.Session() as session:
            yield session
    finally:
        tf.disable_resource_variables()


def _draws(shape, dtype, count, seed):
    """Gradients that the dtype holds exactly, as float64."""
    values = np.random.RandomState(seed).randint(-128, 128, (count,) + shape) / 64.0
    return values if dtype != tf.bfloat16 else values.round()


def _assert_close(actual, expected, dtype, scale):
    # One rounding to the dtype, and one of the wider sum for each micro-batch and for the division.
    np.testing.assert_allclose(np.asarray(actual, np.float64), expected, rtol=8 * EPSILON[dtype],
                               atol=8 * EPSILON[dtype] * scale)


@QUICK
@given(dtype=DTYPES, shapes=st.lists(SHAPES, min_size=1, max_size=3), weights=WEIGHTS, resource=st.booleans(),
       missing=st.sets(st.integers(0, 2)), reduction=st.sampled_from(["mean", "sum"]))
def test_window_holds_the_weighted_mean_or_sum(dtype, shapes, weights, resource, missing, reduction):
    present = [index for index in range(len(shapes)) if index not in missing] or [0]
    with _fresh(resource) as session:
        weight, pairs, fed = tf.placeholder(tf.int32, []), [], {}
        for index, shape in enumerate(shapes):
            variable = tf.get_variable(f"v{index}", initializer=tf.zeros(shape, dtype))
            if index in present:
                fed[index] = tf.placeholder(dtype, shape)
            pairs.append((fed.get(index), variable))
        accumulator = tf1grad.GradientAccumulator(pairs, weight=weight, reduction=reduction)
        values = {index: _draws(shapes[index], dtype, len(weights), index) for index in present}
        for batch, number in enumerate(weights):
            feed_dict = {fed[index]: values[index][batch] for index in present}
            feed_dict[weight] = number
            session.run(accumulator.accumulate, feed_dict)
        assert session.run(accumulator.total_weight) == sum(weights)
        means = [gradient for gradient, _ in accumulator.grads_and_vars]
        assert [mean is not None for mean in means] == [index in present for index in range(len(shapes))]
        assert all(mean is None or mean.dtype == dtype for mean in means)
        divisor = sum(weights) if reduction == "mean" else 1
        if not sum(weights):
            return  # nothing to divide by: an error, which test_accumulate.py proves
        for index in present:
            mean = session.run(tf.cast(means[index], tf.float64))
            assert mean.shape == shapes[index]
            expected = np.tensordot(weights, values[index], 1) / divisor
            _assert_close(mean, expected, dtype, 2 * sum(weights) / divisor)


@QUICK
@given(dtype=DTYPES, width=st.lists(st.integers(0, 3), max_size=2).map(tuple), resource=st.booleans(),
       parts=st.lists(st.lists(st.integers(0, 6), max_size=9), min_size=1, max_size=6))
def test_sparse_window_is_the_dense_mean_with_each_row_once(dtype, width, resource, parts):
    with _fresh(resource) as session:
        variable = tf.get_variable("table", initializer=tf.zeros((7,) + width, dtype))
        values, indices = tf.placeholder(dtype, (None,) + width), tf.placeholder(tf.int64, [None])
        slices = tf.IndexedSlices(values, indices, tf.constant((7,) + width, tf.int64))
        accumulator = tf1grad.GradientAccumulator([(slices, variable)])
        total = np.zeros((7,) + width)
        for batch, rows in enumerate(parts):
            drawn = _draws((len(rows),) + width, dtype, 1, batch)[0]
            np.add.at(total, np.array(rows, int), drawn)
            session.run(accumulator.accumulate, {values: drawn, indices: rows})
        mean = accumulator.grads_and_vars[0][0]
        assert mean.values.dtype == dtype
        actual, places = session.run([tf.cast(mean.values, tf.float64), mean.indices])
        assert sorted(places) == sorted({row for rows in parts for row in rows})
        _assert_close(actual, total[places] / len(parts), dtype, 20)


@QUICK
@given(dtype=DTYPES, shape=SHAPES, weights=WEIGHTS, resource=st.booleans(), stacked=st.booleans())
def test_fed_gradients_are_the_weighted_mean(dtype, shape, weights, resource, stacked):
    weights = weights + [1]
    with _fresh(resource) as session:
        variable = tf.get_variable("v", initializer=tf.zeros(shape, dtype))
        fed = tf1grad.feed_gradients([(tf.zeros(shape, dtype), variable)], stacked=stacked)
        values = _draws(shape, dtype, len(weights), 0)
        fetched = [[np.asarray(value).astype(dtype.as_numpy_dtype)] for value in values]
        mean = session.run(tf.cast(fed.grads_and_vars[0][0], tf.float64), fed.feed_dict(fetched, weights))
        assert mean.shape == shape
        _assert_close(mean, np.tensordot(weights, values, 1) / sum(weights), dtype, 2)

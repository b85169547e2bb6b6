"""Tests that the error of a mean of many float32 micro-batches is within the bound that the docstring states."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import tf1grad
from tf1grad.sessions.prepared import PreparedRun

COUNT = 1000
# Always the same, so that all roundings go one way.
SAME = np.float32([0.1, 1 / 3.0, 0.7, 1e-3, 3.3, -0.1])
ROUNDING = 2.0**-24  # of a float32
ROWS = np.array([4, 1, 1, 0, 3, 1])  # row 1 three times a micro-batch


@pytest.mark.slow
@pytest.mark.parametrize(
    "parts",
    [np.tile(SAME, [COUNT, 1]), np.float32(1 + np.random.RandomState(0).randn(COUNT, len(SAME)))],
    ids=["equal", "different"],
)
def test_error_is_half_a_rounding_for_each_micro_batch_at_worst(parts, session):
    x = tf.placeholder(tf.float32, [len(SAME)])
    vector, table = [
        tf.get_variable(name, initializer=tf.zeros(shape))
        for name, shape in (("vector", [len(SAME)]), ("table", [6, 1]))
    ]
    rows = tf.IndexedSlices(x[:, tf.newaxis], tf.constant(ROWS), tf.constant([6, 1]))
    accumulator = tf1grad.GradientAccumulator([(tf.identity(x), vector), (rows, table)])
    apply = accumulator.apply(tf.train.GradientDescentOptimizer(1.0))
    accumulate = PreparedRun([accumulator.accumulate])
    session.run(tf.global_variables_initializer())
    for part in parts:
        accumulate(session, {x: part})
    session.run(apply)
    moved_vector, moved_table = session.run([vector, table])

    wide = np.float64(parts)
    mean, modulus = wide.mean(axis=0), abs(wide).mean(axis=0)
    # Four more for the division and the update.
    assert np.max(abs(moved_vector + mean) / modulus) < (COUNT / 2 + 4) * ROUNDING
    row_mean, row_modulus = np.zeros(6), np.zeros(6)
    np.add.at(row_mean, ROWS, mean)
    np.add.at(row_modulus, ROWS, modulus)
    error = abs(moved_table[:, 0] + row_mean) / np.maximum(row_modulus, 1e-9)
    assert np.max(error) < (3 * COUNT / 2 + 4) * ROUNDING  # row 1 comes three times

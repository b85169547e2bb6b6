"""Tests accumulation for small models, whose window is one vector: its numbers, its threads, and how little it runs."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import tf1grad
from tf1grad.accumulation.packed_window import MOST_ELEMENTS
from threads import together


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_means_are_numpys(session, dtype):
    shapes, k = [(3, 5), (), (7,), (2, 2, 2)], 20
    draws = [[np.random.normal(size=shape + (1,))[..., 0].astype(dtype) for shape in shapes] for _ in range(k)]
    weights = np.random.uniform(0.5, 2, k)
    variables = [tf.get_variable(f"w{index}", shape, dtype, tf.zeros_initializer())
                 for index, shape in enumerate(shapes)]
    unused = tf.get_variable("unused", [4], dtype, tf.zeros_initializer())
    fed = [tf.placeholder(dtype, shape) for shape in shapes]
    weight = tf.placeholder(tf.float64, [])
    pairs = [(tf.identity(value), variable) for value, variable in zip(fed, variables)] + [(None, unused)]
    accumulator = tf1grad.GradientAccumulator(pairs, loss=weight * 2, weight=weight)
    assert accumulator.grads_and_vars[-1] == (None, unused)
    means = [gradient for gradient, _ in accumulator.grads_and_vars[:-1]]
    session.run(tf.global_variables_initializer())
    for length in (1, k):
        session.run(accumulator.reset)
        for draw, number in zip(draws[:length], weights):
            session.run(accumulator.accumulate, dict(zip(fed + [weight], draw + [number])))
        found = session.run(means)
        parts = zip(*draws[:length])
        expected = [np.average(np.float64(part), axis=0, weights=weights[:length]) for part in parts]
        for ours, theirs, variable in zip(found, expected, variables):
            assert ours.dtype == dtype and ours.shape == tuple(variable.shape.as_list())
            np.testing.assert_allclose(ours, theirs, rtol=2 * np.finfo(dtype).eps, atol=np.finfo(dtype).eps)
        np.testing.assert_allclose(session.run(accumulator.total_weight), weights[:length].sum())


def _executed(session, fetches, feed_dict=None):
    """Returns the number of ops that one run executes."""
    options, metadata = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), tf.RunMetadata()
    session.run(fetches, feed_dict, options=options, run_metadata=metadata)
    return len({node.node_name for device in metadata.step_stats.dev_stats for node in device.node_stats})


def _pairs(x, count, size):
    """Returns gradients that are filled with x, 2 x, 3 x and so on."""
    return [(tf.fill([size], x * (index + 1)), tf.get_variable(f"w{index}", [size], initializer=tf.zeros_initializer()))
            for index in range(count)]


def test_a_micro_batch_executes_few_ops_more_than_its_gradients(session):
    x = tf.placeholder(tf.float32, [])
    for count in (2, 30):
        with tf.variable_scope(f"model{count}"):
            pairs = _pairs(x, count, 10)
        accumulator = tf1grad.GradientAccumulator(pairs)
        train_op = tf1grad.AccumulatingOptimizer(tf.train.GradientDescentOptimizer(0.1), 8).apply_gradients(pairs)
        session.run(tf.global_variables_initializer())
        gradients = _executed(session, [gradient.op for gradient, _ in pairs], {x: 1.0})
        for fetch, most in ((accumulator.accumulate, 24), (train_op, 60 + 3 * count)):  # the optimizer's inputs
            session.run(fetch, {x: 1.0})
            assert _executed(session, fetch, {x: 1.0}) <= gradients + most
        assert _executed(session, accumulator.reset) <= 6


def test_a_window_is_one_vector_up_to_a_size(session):
    x = tf.placeholder(tf.float32, [])
    for count, is_small in ((MOST_ELEMENTS // 8, True), (MOST_ELEMENTS // 8 + 1, False)):
        with tf.variable_scope(f"model{is_small}"):
            accumulator = tf1grad.GradientAccumulator(_pairs(x, 8, count))
        session.run(tf.global_variables_initializer())
        for value in (1.0, 2.0, 6.0):
            session.run(accumulator.accumulate, {x: value})
        assert (_executed(session, accumulator.accumulate, {x: 3.0}) < 75) == is_small
        assert [gradient.tolist() for gradient, _ in session.run(accumulator.grads_and_vars)] == [
            [3.0 * (index + 1)] * count for index in range(8)]


def test_threads_that_begin_together_lose_nothing(graph, control_flow):
    x = tf.placeholder(tf.float32, [])
    pairs = _pairs(x, 3, 5)
    initializer = tf.global_variables_initializer()  # made before the accumulator, it does not set its state
    accumulator = tf1grad.GradientAccumulator(pairs, reduction="sum")
    for _ in range(20):
        with tf.Session() as session:
            session.run(initializer)
            together(*[lambda: session.run(accumulator.accumulate, {x: 2.0})] * 6)
            assert session.run(accumulator.count) == 6
            assert session.run(accumulator.grads_and_vars[0][0]).tolist() == [12.0] * 5


def test_reads_and_resets_see_whole_micro_batches(session):
    x = tf.placeholder(tf.float32, [])
    accumulator = tf1grad.GradientAccumulator(_pairs(x, 4, 2000), reduction="sum")
    sums = [gradient for gradient, _ in accumulator.grads_and_vars]
    session.run(tf.global_variables_initializer())
    session.run(accumulator.accumulate, {x: 1.0})

    def accumulate():
        for _ in range(100):
            session.run(accumulator.accumulate, {x: 1.0})

    def read():
        for _ in range(100):
            found = session.run(sums)
            assert found[0][0] == int(found[0][0])
            assert all((part == found[0][0] * (index + 1)).all() for index, part in enumerate(found))

    together(accumulate, accumulate, read)
    assert session.run(sums)[0][0] == 201
    together(accumulate, lambda: [session.run(accumulator.reset) for _ in range(100)])
    session.run(accumulator.reset)
    session.run(accumulator.accumulate, {x: 1.0})
    assert session.run([accumulator.count, sums[3][0]]) == [1, 4]

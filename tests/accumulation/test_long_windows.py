"""Tests that the error of a mean of many float32 micro-batches is within the bound that the docstring states."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import tf1grad
from tf1grad.sessions.prepared import PreparedRun

SAME = np.float32([0.1, 1 / 3.0, 0.7, 1e-3, 3.3, -0.1])  # always the same, so that all roundings go one way
ROUNDING = 2.0 ** -24  # of a float32
ROWS = np.array([4, 1, 1, 0, 3, 1])  # row 1 three times a micro-batch


class Model:
    """A vector and a table with fed gradients."""

    def __init__(self):
        self.x = tf.placeholder(tf.float32, [len(SAME)])
        vector = tf.get_variable("vector", [len(SAME)], initializer=tf.zeros_initializer())
        table = tf.get_variable("table", [6, 1], initializer=tf.zeros_initializer())
        rows = tf.IndexedSlices(self.x[:, tf.newaxis], tf.constant(ROWS), tf.constant([6, 1]))
        self.variables, self.optimizer = [vector, table], tf.train.GradientDescentOptimizer(1.0)
        self.pairs = [(tf.identity(self.x), vector), (rows, table)]

    def assert_moved_by_the_mean_of(self, parts, session):
        """Checks the updates against float64, within n / 2 roundings of the mean of the moduli, and some for the rest.

        The rest are the division, the update, and the rows: the table's row 1 comes three times a micro-batch.
        """
        wide = np.float64(parts)
        rows, moduli = np.zeros(6), np.zeros(6)
        np.add.at(rows, ROWS, wide.mean(axis=0))
        np.add.at(moduli, ROWS, abs(wide).mean(axis=0))
        vector, table = session.run(self.variables)
        assert np.max(abs(vector + wide.mean(axis=0)) / abs(wide).mean(axis=0)) < (len(parts) / 2 + 4) * ROUNDING
        assert np.max(abs(table[:, 0] + rows) / np.maximum(moduli, 1e-9)) < (3 * len(parts) / 2 + 4) * ROUNDING


def explicit_ops(model, session, parts):
    accumulator = tf1grad.GradientAccumulator(model.pairs)
    apply, accumulate = accumulator.apply(model.optimizer), PreparedRun([accumulator.accumulate], [model.x])
    session.run(tf.global_variables_initializer())
    for part in parts:
        accumulate(session, part)
    session.run(apply)


def step(model, session, parts):
    run = tf1grad.GradientAccumulator(model.pairs).step(model.optimizer)
    session.run(tf.global_variables_initializer())
    run(session, ({model.x: part} for part in parts))


def wrapped(model, session, parts):
    train_op = tf1grad.AccumulatingOptimizer(model.optimizer, len(parts)).apply_gradients(model.pairs)
    train = PreparedRun([train_op], [model.x])
    session.run(tf.global_variables_initializer())
    for part in parts:
        train(session, part)


def fed(model, session, parts):
    gradients = tf1grad.feed_gradients(model.pairs)
    apply, fetch = model.optimizer.apply_gradients(gradients.grads_and_vars), PreparedRun(*_flat(gradients, model.x))
    session.run(tf.global_variables_initializer())
    fetched = ((values[0], tuple(values[1:])) for values in (fetch(session, part) for part in parts))
    session.run(apply, gradients.feed_dict(fetched))


def _flat(gradients, x):
    vector, table = gradients.fetches
    return [vector, table.values, table.indices], [x]


def split(model, session, parts):
    vector, table = model.variables
    batch = tf.placeholder(tf.float32, [None, len(SAME)])

    def loss(x):
        return tf.reduce_sum(x[0] * vector) + tf.reduce_sum(x[0] * tf.gather(table, ROWS)[:, 0])

    _, pairs = tf1grad.split_batch(loss, batch, 1)
    apply = model.optimizer.apply_gradients(pairs)
    session.run(tf.global_variables_initializer())
    session.run(apply, {batch: parts})


WAYS = [explicit_ops, step, wrapped, fed, split]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize("count", [16, 1000])
def test_error_of_many_equal_micro_batches_is_half_a_rounding_each_at_worst(way, count, session):
    model, parts = Model(), np.tile(SAME, [count, 1])
    way(model, session, parts)
    model.assert_moved_by_the_mean_of(parts, session)


@pytest.mark.parametrize("way", WAYS[:3], ids=lambda way: way.__name__)
def test_error_of_different_micro_batches_is_within_the_same_bound(way, session):
    model, parts = Model(), np.float32(1 + np.random.RandomState(0).randn(1000, len(SAME)))
    way(model, session, parts)
    model.assert_moved_by_the_mean_of(parts, session)


def test_second_window_begins_with_nothing_of_a_long_first(session):
    model = Model()
    accumulator = tf1grad.GradientAccumulator(model.pairs)
    means = [tf.convert_to_tensor(gradient) for gradient, _ in accumulator.grads_and_vars]
    session.run(tf.global_variables_initializer())
    for size in (40, 3, 20, 17, 16):
        session.run(accumulator.reset)
        for number in range(size):
            session.run(accumulator.accumulate, {model.x: SAME * size + number})
        vector, _ = session.run(means)
        np.testing.assert_allclose(vector, np.float64(SAME) * size + (size - 1) / 2.0, rtol=1e-6)


def test_fetched_array_can_be_changed(session):
    # Its memory is that of the gradient, which nobody else has: the window must have its own.
    x = tf.placeholder(tf.float32, [64, 64])
    w = tf.get_variable("w", [64, 64], initializer=tf.zeros_initializer())
    gradient = tf.matmul(x, x)
    accumulator = tf1grad.GradientAccumulator([(gradient, w)], reduction="sum")
    session.run(tf.global_variables_initializer())
    value = np.eye(64, dtype=np.float32)
    for _ in range(3):
        fetched = session.run([gradient, accumulator.accumulate], {x: value})[0]
        fetched[...] = -1000.0
    np.testing.assert_array_equal(session.run(accumulator.grads_and_vars[0][0]), 3 * value)


def test_an_open_long_window_is_saved_and_restored(session, tmp_path):
    model, parts = Model(), np.float32(1 + np.random.RandomState(1).randn(40, len(SAME)))
    accumulator = tf1grad.GradientAccumulator(model.pairs, persistent=True)
    apply, saver = accumulator.apply(model.optimizer), tf.train.Saver()
    session.run(tf.global_variables_initializer())
    for part in parts[:20]:
        session.run(accumulator.accumulate, {model.x: part})
    saver.save(session, str(tmp_path / "open"))
    with tf.Session() as later:
        saver.restore(later, str(tmp_path / "open"))
        for part in parts[20:]:
            later.run(accumulator.accumulate, {model.x: part})
        later.run(apply)
        model.assert_moved_by_the_mean_of(parts, later)


@pytest.mark.parametrize("shape", [[], [1], [1, 3], [3, 1]], ids=str)
def test_split_batch_keeps_shapes_with_one(shape, session):
    x, w = tf.placeholder(tf.float32, [None, 3]), tf.get_variable("w", shape, initializer=tf.ones_initializer())
    _, ((gradient, _),) = tf1grad.split_batch(lambda x: tf.reduce_sum(x * tf.reshape(w, [-1])), x, 1, reduction="sum")
    assert gradient.shape == w.shape
    session.run(w.initializer)
    value = session.run(gradient, {x: np.ones([40, 3])})
    np.testing.assert_array_equal(value, np.full(shape, 40.0 * 3 / np.size(value)))

"""Tests micro-batches that several threads feed to one train op:
each counts once, each step is applied once.
"""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import tf1grad
import waiting
from threads import together

THREADS, ROUNDS, ROWS = 4, 121, 50


class Training:
    """Feeds integers, which w is lowered by the mean or sum of,
    and the row of a table that each of them names by 1.
    """

    def __init__(self, batches_per_step, **options):
        self.x = tf.placeholder(tf.float64, [])
        self.w = tf.get_variable("w", initializer=tf.zeros([3], tf.float64))
        self.table = tf.get_variable("table", initializer=tf.zeros([ROWS], tf.float64))
        row = tf.cast(self.x, tf.int32) % ROWS
        rows = tf.IndexedSlices(tf.ones([2], tf.float64), tf.stack([row, row]), tf.constant([ROWS]))
        self.step = tf.train.get_or_create_global_step()
        self.optimizer = tf1grad.AccumulatingOptimizer(
            tf.train.GradientDescentOptimizer(1.0), batches_per_step, **options
        )
        self.train_op = self.optimizer.apply_gradients(
            [(self.x * tf.ones([3], tf.float64), self.w), (rows, self.table)], self.step
        )
        self.flush = self.optimizer.flush()


def feed(session, training, values):
    for value in values:
        session.run(training.train_op, {training.x: value})


@pytest.mark.parametrize("batches, flushes", [(1, 0), (3, 0), (4, 0), (3, 20)])
def test_each_micro_batch_counts_once(batches, flushes, graph, control_flow):
    """Tests "sum", with which a missing or doubled micro-batch shows in the weights."""
    training = Training(batches, reduction="sum")
    values = np.random.randint(1, 1000, [THREADS, ROUNDS])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        together(
            *[lambda row=row: feed(session, training, row) for row in values],
            lambda: [session.run(training.flush) for _ in range(flushes)],
        )
        session.run(training.flush)
        w, table, steps = session.run([training.w, training.table, training.step])
    np.testing.assert_array_equal(w, -values.sum())
    np.testing.assert_array_equal(table, -2 * np.bincount(values.ravel() % ROWS, minlength=ROWS))
    assert flushes or steps == -(-values.size // batches)


def test_failed_micro_batch_does_not_block_other_threads(graph, control_flow):
    x = tf.placeholder(tf.float64, [])
    w = tf.get_variable("w", initializer=tf.zeros([], tf.float64))
    optimizer = tf1grad.AccumulatingOptimizer(tf.train.GradientDescentOptimizer(1.0), 2, weight=x)
    train_op = optimizer.apply_gradients([(x, w)])

    def run(values):
        failed = 0
        for value in values:
            try:
                session.run(train_op, {x: value})
            except tf.errors.InvalidArgumentError:
                failed += 1
        return failed

    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        failed = together(*[lambda: run([1.0, -1.0] * 20)] * THREADS)
        assert failed == [20] * THREADS
        np.testing.assert_allclose(session.run(w), -20 * THREADS / 2.0)


def test_gradients_are_computed_in_parallel():
    """Lets two micro-batches wait for each other before their gradients exist:
    one at a time would never end.

    The session has threads of its own, since those of the process are as many as processors, and
    others use them.
    """
    import threading

    meeting = threading.Barrier(2, timeout=waiting.SECONDS)

    def meet(value):
        meeting.wait()
        return value

    x = tf.placeholder(tf.float64, [])
    w = tf.get_variable("w", initializer=tf.zeros([], tf.float64))
    gradient = tf.py_func(meet, [x], tf.float64, stateful=True)
    gradient.set_shape([])
    optimizer = tf1grad.AccumulatingOptimizer(tf.train.GradientDescentOptimizer(1.0), 2)
    train_op = optimizer.apply_gradients([(gradient, w)])
    threads = tf.ConfigProto(inter_op_parallelism_threads=4, use_per_session_threads=True)
    with tf.Session(config=threads) as session:
        session.run(tf.global_variables_initializer())
        together(*[lambda: [session.run(train_op, {x: 1.0}) for _ in range(10)]] * 2)
        assert session.run(w) == -10.0

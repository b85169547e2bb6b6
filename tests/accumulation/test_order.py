"""Tests that the parts of one `session.run` happen in the order that `after` says, in 200 of 200 runs."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import tf1grad

pytestmark = pytest.mark.kind_matters

RUNS = 200
RATE = 0.25


class Ordered:
    """A loss w . x with the gradient x, so that every number is known: the caller draws x for each run."""

    def __init__(self, kind):
        self.x = tf.placeholder(tf.float64, [5])
        self.w = tf.get_variable("w", initializer=tf.zeros([5], tf.float64))
        table = tf.get_variable("table", initializer=tf.zeros([4, 5], tf.float64))
        # The loss reads w, so that a late read of an updated variable would show.
        self.loss = tf.reduce_sum(self.w * self.x) + 1.0
        if kind == "sparse":
            self.loss += tf.reduce_sum(tf.gather(table, [2, 2, 0]) * self.x)
        self.optimizer = tf.train.GradientDescentOptimizer(RATE)
        self.accumulator = tf1grad.GradientAccumulator(self.optimizer.compute_gradients(self.loss), loss=self.loss)


class Expected:
    """Predicts the same in Python, for a window and a variable."""

    def __init__(self):
        self.w, self.window, self.losses = np.zeros(5), [], []

    def accumulate(self, x):
        self.losses.append(self.w @ x + 1.0)
        self.window.append(x)

    def reset(self):
        self.window, self.losses = [], []

    def apply(self):
        self.w = self.w - RATE * np.mean(self.window, axis=0)

    def average_loss(self):
        return np.mean(self.losses)


ORDERS = [
    ("accumulate", "apply", "average_loss", "reset"), ("accumulate", "average_loss", "apply", "reset"),
    ("reset", "accumulate", "apply", "average_loss"), ("reset", "accumulate", "average_loss", "apply"),
    ("accumulate", "accumulate", "apply", "reset"),
]


@pytest.mark.parametrize("order", ORDERS, ids="-".join)
def test_one_run_does_one_thing_after_the_other(order, session, control_flow):
    model, expected = Ordered("dense"), Expected()
    fetches = _chain(model, order)
    session.run(tf.global_variables_initializer())
    random, state = np.random.RandomState(0), [model.accumulator.count, model.w.read_value()]
    for run in range(RUNS):
        x = random.randn(5)
        results = session.run(fetches, {model.x: x})
        _check_run(order, results, expected, x, run)
        count, w = session.run(state)
        assert count == len(expected.window), f"run {run}"
        np.testing.assert_allclose(w, expected.w, rtol=1e-9, atol=1e-9, err_msg=f"run {run}")


def _chain(model, order):
    """Returns the named op or tensor of each place, built to run after those of the places before."""
    built, view = [], model.accumulator
    for name in order:
        fetch = view.apply(model.optimizer) if name == "apply" else getattr(view, name)
        built.append(fetch)
        view = view.after(fetch)
    return built


def _check_run(order, results, expected, x, run):
    for name, result in zip(order, results):
        if name == "accumulate":
            expected.accumulate(x)
        elif name == "average_loss":
            np.testing.assert_allclose(result, expected.average_loss(), rtol=1e-9, err_msg=f"run {run}")
        else:
            getattr(expected, name)()


def test_sparse_and_dense_gradients_keep_the_order_together(session):
    model = Ordered("sparse")
    order = ("reset", "accumulate", "accumulate", "apply", "average_loss")
    fetches = _chain(model, order)
    session.run(tf.global_variables_initializer())
    table = [variable for variable in tf.trainable_variables() if variable.op.name == "table"][0]
    rows, random, value = np.zeros([4, 5]), np.random.RandomState(0), table.read_value()
    for run in range(RUNS):
        x = random.randn(5)
        session.run(fetches, {model.x: x})
        rows[2] -= RATE * 2 * x
        rows[0] -= RATE * x
        np.testing.assert_allclose(session.run(value), rows, rtol=1e-9, atol=1e-9, err_msg=str(run))


def test_gradients_read_after_the_last_accumulate_hold_it(session):
    model = Ordered("dense")
    accumulator = model.accumulator
    gradient = accumulator.after(accumulator.accumulate).grads_and_vars[0][0]
    session.run(tf.global_variables_initializer())
    seen = []
    for run in range(RUNS):
        seen.append(np.random.randn(5))
        mean, _ = session.run([gradient, accumulator.accumulate], {model.x: seen[-1]})
        np.testing.assert_allclose(mean, np.mean(seen, axis=0), rtol=1e-9, atol=1e-12, err_msg=str(run))


@pytest.mark.parametrize("batches_per_step", [1, 2])
def test_wrapped_train_op_computes_every_gradient_before_it_writes(batches_per_step, session, control_flow):
    # Each variable's gradient is the other variable: an update of one that the other's gradient sees is an error.
    left = tf.get_variable("left", initializer=tf.constant(1.0, tf.float64))
    right = tf.get_variable("right", initializer=tf.constant(-2.0, tf.float64))
    inner = tf.train.GradientDescentOptimizer(2.0 ** -6)
    train_op = tf1grad.AccumulatingOptimizer(inner, batches_per_step).minimize(left * right)
    session.run(tf.global_variables_initializer())
    expected = np.array([1.0, -2.0])
    for run in range(1, RUNS + 1):
        session.run(train_op)
        if run % batches_per_step == 0:
            expected = expected - 2.0 ** -6 * expected[::-1]
        np.testing.assert_allclose(session.run([left, right]), expected, rtol=1e-12, err_msg=f"run {run}")

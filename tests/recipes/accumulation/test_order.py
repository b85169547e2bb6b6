"""Tests that the parts of one `session.run` happen in the order that `after`
says, in each of 100 runs.
"""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import tf1grad

RUNS = 100
RATE = 0.25


class Ordered:
    """A loss with gradients x, 2 x and x, so that every number is known:
    the caller draws x for each run.
    """

    def __init__(self):
        self.x = tf.placeholder(tf.float64, [5])
        w = tf.get_variable("w", initializer=tf.zeros([5], tf.float64))
        table = tf.get_variable("table", initializer=tf.zeros([4, 5], tf.float64))
        self.values = [w.read_value(), table.read_value()]
        # The loss reads the variables, so that a late read of an updated one would show.
        self.loss = (
            tf.reduce_sum(w * self.x) + tf.reduce_sum(tf.gather(table, [2, 2, 0]) * self.x) + 1.0
        )
        self.optimizer = tf.train.GradientDescentOptimizer(RATE)
        self.accumulator = tf1grad.GradientAccumulator(
            self.optimizer.compute_gradients(self.loss), loss=self.loss
        )


class Expected:
    """Predicts the same in Python: row 2 of the table is always 2 w, row 0 is w,
    and the loss 6 w . x + 1.
    """

    def __init__(self):
        self.w, self.window, self.losses = np.zeros(5), [], []

    def accumulate(self, x):
        self.losses.append(6 * self.w @ x + 1.0)
        self.window.append(x)

    def reset(self):
        self.window, self.losses = [], []

    def apply(self):
        self.w = self.w - RATE * np.mean(self.window, axis=0)

    def average_loss(self):
        return np.mean(self.losses)


ORDERS = [
    ("accumulate", "apply", "average_loss", "reset"),
    ("accumulate", "average_loss", "apply", "reset"),
    ("reset", "accumulate", "apply", "average_loss"),
    ("reset", "accumulate", "average_loss", "apply"),
    ("accumulate", "accumulate", "apply", "reset"),
    ("reset", "accumulate", "accumulate", "apply", "average_loss"),
]


@pytest.mark.parametrize(
    "order",
    ORDERS[::2] + [pytest.param(order, marks=pytest.mark.slow) for order in ORDERS[1::2]],
    ids="-".join,
)
def test_one_run_does_one_thing_after_the_other(order, session, control_flow):
    model, expected = Ordered(), Expected()
    fetches = _chain(model, order)
    session.run(tf.global_variables_initializer())
    state = [model.accumulator.count, *model.values]
    for run in range(RUNS):
        x = np.random.randn(5)
        results = session.run(fetches, {model.x: x})
        _check_run(order, results, expected, x, run)
        count, w, table = session.run(state)
        assert count == len(expected.window), f"run {run}"
        for value, factor in [(w, 1), (table[0], 1), (table[2], 2), (table[1], 0), (table[3], 0)]:
            np.testing.assert_allclose(
                value, factor * expected.w, rtol=1e-9, atol=1e-9, err_msg=f"run {run}"
            )


def _chain(model, order):
    """Returns the named op or tensor of each place,
    built to run after those of the places before.
    """
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
            np.testing.assert_allclose(
                result, expected.average_loss(), rtol=1e-9, err_msg=f"run {run}"
            )
        else:
            getattr(expected, name)()


@pytest.mark.parametrize("batches_per_step", [1, 2])
def test_wrapped_train_op_computes_every_gradient_before_it_writes(
    batches_per_step, session, control_flow
):
    # Each variable's gradient is the other variable: an update of one that the other's gradient
    # sees is an error.
    left = tf.get_variable("left", initializer=tf.constant(1.0, tf.float64))
    right = tf.get_variable("right", initializer=tf.constant(-2.0, tf.float64))
    inner = tf.train.GradientDescentOptimizer(2.0**-6)
    train_op = tf1grad.AccumulatingOptimizer(inner, batches_per_step).minimize(left * right)
    session.run(tf.global_variables_initializer())
    expected = np.array([1.0, -2.0])
    for run in range(1, RUNS + 1):
        session.run(train_op)
        if run % batches_per_step == 0:
            expected = expected - 2.0**-6 * expected[::-1]
        np.testing.assert_allclose(
            session.run([left, right]), expected, rtol=1e-12, err_msg=f"run {run}"
        )

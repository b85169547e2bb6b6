"""Tests apply_gradients: it counts `global_step` once a step,
and writes nothing before every gradient is computed.
"""

import pytest
import tensorflow.compat.v1 as tf

import models
from steps import Forgetful, unchanged
from tf1grad.recipes.gradients.apply import apply_gradients
from variable_kinds import BOTH_KINDS

pytestmark = BOTH_KINDS


class ReadingInCond(Forgetful):
    """Reads global_step inside a conditional and does not count it."""

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        scale = tf.cond(
            tf.constant(True), lambda: 1.0 + tf.cast(global_step, tf.float32), lambda: 1.0
        )
        return super().apply_gradients(
            [(scale * gradient, variable) for gradient, variable in grads_and_vars],
            global_step,
            name,
        )


class NotATensorFlowOptimizer:
    """Has only `apply_gradients`."""

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        return tf.group(
            *[variable.assign_sub(gradient) for gradient, variable in grads_and_vars], name=name
        )


@pytest.mark.parametrize(
    "optimizer",
    [
        tf.train.GradientDescentOptimizer,
        Forgetful,
        ReadingInCond,
        lambda _: NotATensorFlowOptimizer(),
    ],
    ids=["counting", "forgetful", "reading_in_cond", "duck"],
)
def test_global_step_counts_once(optimizer, session):
    w = tf.get_variable("w", initializer=1.0)
    global_step = tf.train.get_or_create_global_step()
    op = apply_gradients(optimizer(1.0), [(tf.constant(0.5), w)], global_step)
    session.run(tf.global_variables_initializer())
    for steps in (1, 2, 3):
        session.run(op)
        assert session.run(global_step) == steps
    assert session.run(w) < 1.0


def test_without_global_step_nothing_is_counted(session):
    w = tf.get_variable("w", initializer=1.0)
    global_step = tf.train.get_or_create_global_step()
    op = apply_gradients(
        tf.train.GradientDescentOptimizer(1.0), [(tf.constant(0.5), w)], name="train"
    )
    session.run(tf.global_variables_initializer())
    session.run(op)
    assert op.name == "train" and session.run([global_step, w]) == [0, 0.5]


def test_none_reaches_the_optimizer(session):
    w, u = tf.get_variable("w", initializer=1.0), tf.get_variable("u", initializer=1.0)
    optimizer = tf.train.AdamOptimizer(0.1)
    apply_gradients(optimizer, [(None, u), (tf.constant(0.5), w)])
    assert optimizer.get_slot(u, "m") is None and optimizer.get_slot(w, "m") is not None


def test_failing_gradient_changes_nothing(session):
    model, optimizer = models.Model(), tf.train.AdamOptimizer(0.1)
    pairs = optimizer.compute_gradients(model.loss)
    global_step = tf.train.get_or_create_global_step()
    op = apply_gradients(optimizer, pairs, global_step)
    session.run(tf.global_variables_initializer())
    session.run(op, model.feed_dict(models.random_batch(5, 0)))
    x, ids, y = models.random_batch(5, 1)
    with unchanged(session, *tf.global_variables()):
        for _ in range(20):  # sparse Adam's decay alone does not wait for the gradient
            with pytest.raises(tf.errors.InvalidArgumentError):
                session.run(op, model.feed_dict((x, ids + 100, y)))

"""Tests that initialising variables in the middle of a window empties it:
its gradients belong to the old values.
"""

import pytest
import tensorflow.compat.v1 as tf

import tf1grad


def _loss():
    w = tf.get_variable("w", initializer=tf.constant(1.0, tf.float64))
    x = tf.placeholder(tf.float64, [], name="x")
    return w, x, w * x


def explicit(loss, **options):
    optimizer = tf.train.GradientDescentOptimizer(1.0)
    accumulator = tf1grad.GradientAccumulator(optimizer.compute_gradients(loss), **options)
    return accumulator.accumulate, accumulator.apply(optimizer), accumulator.reset


def wrapped(loss, **options):
    optimizer = tf1grad.AccumulatingOptimizer(tf.train.GradientDescentOptimizer(1.0), 9, **options)
    return optimizer.minimize(loss), optimizer.flush(), optimizer.reset()


@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize(
    "initializer",
    [lambda w: tf.global_variables_initializer(), lambda w: w.initializer],
    ids=["all", "one"],
)
@pytest.mark.parametrize("build", [explicit, wrapped])
def test_a_window_does_not_outlive_the_values_it_was_computed_with(
    build, initializer, persistent, session
):
    w, x, loss = _loss()
    accumulate, apply, _ = build(loss, persistent=persistent)
    if persistent and initializer(w) is w.initializer:
        pytest.skip("a persistent window is a variable of its own")
    session.run(tf.global_variables_initializer())
    session.run(accumulate, {x: 100.0})
    session.run(initializer(w))
    session.run(accumulate, {x: 0.25})
    session.run(apply)
    assert session.run(w) == 0.75


@pytest.mark.parametrize("build", [explicit, wrapped])
def test_reset_empties_the_window_after_restoring(build, session, tmpdir):
    w, x, loss = _loss()
    accumulate, apply, reset = build(loss)
    saver = tf.train.Saver()
    session.run(tf.global_variables_initializer())
    path = saver.save(session, str(tmpdir.join("model")))
    session.run(accumulate, {x: 100.0})
    saver.restore(session, path)
    session.run(reset)
    session.run(accumulate, {x: 0.25})
    session.run(apply)
    assert session.run(w) == 0.75


def test_schedule_restarts_with_the_variables(session):
    w, x, loss = _loss()
    optimizer = tf1grad.AccumulatingOptimizer(
        tf.train.GradientDescentOptimizer(1.0), lambda updates: tf.where(updates < 1, 1, 2)
    )
    train_op = optimizer.minimize(loss)
    for _ in range(2):
        session.run(tf.global_variables_initializer())
        values = []
        for _ in range(3):
            session.run(train_op, {x: 1.0})
            values.append(session.run(w))
        assert values == [0.0, 0.0, -1.0]


def test_the_initializer_waits_for_nothing_that_surrounds_the_train_op(session):
    """Tests update ops such as batch normalisation's,
    which need initialised variables and fed values.
    """
    w, x, loss = _loss()
    with tf.control_dependencies([w.assign_add(x)]):
        explicit(loss)
        wrapped(loss)
    session.run(tf.global_variables_initializer())
    assert session.run(w) == 1

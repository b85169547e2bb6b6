"""Tests the errors of our graph assertions:
the sentence comes first, the rest of the error is unchanged.
"""

import re

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import tf1grad


def empty_window(x):
    w = tf.get_variable("w", initializer=1.0)
    optimizer = tf.train.GradientDescentOptimizer(1.0)
    accumulator = tf1grad.GradientAccumulator(optimizer.compute_gradients(w * x))
    return (
        accumulator.apply(optimizer),
        "GradientAccumulator: nothing was accumulated in the window",
        "nothing_was_acc",
    )


def infinite_norm(x):
    w = tf.get_variable("w", initializer=1.0)
    ((clipped, _),) = tf1grad.clip_by_norm([(x / 0.0, w)], 1.0)
    return clipped, "clip_by_norm: a norm is not finite", "norm_is_not_finite"


@pytest.mark.parametrize("build", [empty_window, infinite_norm], ids=lambda build: build.__name__)
def test_the_sentence_is_the_first_line(build, graph):
    x = tf.placeholder(tf.float32, [])
    fetch, sentence, name = build(x)
    errors = []
    with tf.Session() as plain, tf1grad.fast_session(tf.Session()) as quick:
        # The first runs of a fast session are plain ones.
        for session in (
            plain,
            quick,
            quick,
            quick,
        ):
            session.run(tf.global_variables_initializer())
            with pytest.raises(tf.errors.InvalidArgumentError) as caught:
                session.run(fetch, {x: 1.0})
            errors.append(caught.value)
    for error in errors:
        assert re.search(sentence, error.message) and name in error.op.name
        assert type(error) is type(errors[0]) and error.op is errors[0].op
    for error in errors[1:]:
        first, rest = error.message.split("\n\n", 1)
        assert re.match(sentence, first) and "assertion failed" not in first
        assert re.sub(r"\d+", "", rest) == re.sub(r"\d+", "", errors[0].message)
        assert str(error).startswith(first)


def test_other_errors_are_unchanged(graph):
    x = tf.placeholder(tf.float32, [])
    theirs = tf.debugging.Assert(x > 1, ["Mine: not ours", x])
    infinite_norm(x)
    messages = []
    with tf.Session() as plain, tf1grad.fast_session(tf.Session()) as quick:
        for session in (plain, quick, quick):
            with pytest.raises(tf.errors.InvalidArgumentError) as caught:
                session.run(theirs, {x: 1.0})
            messages.append(caught.value.message)
    assert messages[0] == messages[1] == messages[2]


def test_a_prepared_run(session):
    x = tf.placeholder(tf.float32, [])
    w = tf.get_variable("w", initializer=1.0)
    optimizer = tf.train.GradientDescentOptimizer(1.0)
    step = tf1grad.GradientAccumulator(optimizer.compute_gradients(w * x), weight=x).step(optimizer)
    session.run(w.initializer)
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match="^GradientAccumulator: weight must be finite and not neg",
    ):
        step(session, [{x: -1.0}])


@pytest.mark.parametrize("by_function", [True, False])
def test_a_loss_of_which_only_the_run_knows_that_it_is_a_vector(by_function, session):
    pytest.importorskip("scipy", reason="the external optimizer is SciPy's")
    x = tf.placeholder(tf.float32)
    w = tf.get_variable("w", initializer=2.0)

    def loss(w):
        return tf.square(w - x)

    optimizer = tf1grad.ScipyOptimizerInterface(loss if by_function else loss(w), [w])
    session.run(w.initializer)
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match="reshape is a tensor with 3 values",
    ):
        optimizer.minimize(session, {x: [1.0, 2.0, 3.0]})
    optimizer.minimize(session, {x: [1.0]})
    np.testing.assert_allclose(session.run(w), 1.0, atol=1e-5)

"""Tests one interface in several threads: each evaluation has its own vector,
each search its own result.
"""

import contextlib

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import tf1grad
from threads import together

pytest.importorskip("scipy.optimize")

THREADS, ROUNDS, SIZE = 4, 100, 5
SCALES = np.arange(1.0, SIZE + 1)


def interface(by_function, cls=tf1grad.ExternalOptimizerInterface):
    """Returns the loss sum(scale * v^2), with the gradient 2 * scale * v."""
    v = tf.get_variable("v", initializer=tf.zeros([SIZE], tf.float64))

    def loss(vector):
        return tf.reduce_sum(tf.constant(SCALES) * vector**2)

    return cls(loss if by_function else loss(v), [v])


def wrong(function, seed):
    points = np.random.RandomState(seed).randint(-50, 50, [ROUNDS, SIZE]).astype(np.float64)
    found = [function(point) for point in points]
    return sum(
        loss != np.sum(SCALES * point**2) or not np.array_equal(gradient, 2 * SCALES * point)
        for point, (loss, gradient) in zip(points, found)
    )


@pytest.mark.parametrize("by_function", [False, True])
def test_loss_and_gradient(session, by_function):
    optimizer = interface(by_function)
    session.run(tf.global_variables_initializer())
    shared = optimizer.loss_and_gradient(session)
    functions = [
        shared,
        shared,
        optimizer.loss_and_gradient(session),
        optimizer.loss_and_gradient(session),
    ]
    assert (
        together(
            *[
                lambda index=index, function=function: wrong(function, index)
                for index, function in enumerate(functions)
            ]
        )
        == [0] * THREADS
    )


def test_tensor_function_beside_the_loss(session):
    optimizer = interface(False)
    v = tf.trainable_variables()[0]
    doubled = 2 * v
    session.run(tf.global_variables_initializer())
    function, double = (
        optimizer.loss_and_gradient(session),
        optimizer.tensor_function(doubled, session),
    )

    def wrong_doubles():
        points = np.random.RandomState(9).randint(-50, 50, [ROUNDS, SIZE]).astype(np.float64)
        return sum(not np.array_equal(double(point), 2 * point) for point in points)

    assert together(lambda: wrong(function, 1), wrong_doubles, wrong_doubles) == [0, 0, 0]


@pytest.mark.parametrize("by_function", [False, True])
def test_a_search_in_each_thread_and_session(graph, by_function):
    optimizer = interface(by_function, tf1grad.ScipyOptimizerInterface)
    initializer = tf.global_variables_initializer()
    with contextlib.ExitStack() as stack:
        sessions = [stack.enter_context(tf.Session(graph=graph)) for _ in range(THREADS)]
        for session in sessions:
            session.run(initializer)
        for _ in range(3):
            for index, session in enumerate(sessions):
                optimizer.assign(np.full(SIZE, index + 1.0), session)
            results = together(
                *[lambda session=session: optimizer.minimize(session) for session in sessions]
            )
            for session, result in zip(sessions, results):
                np.testing.assert_allclose(result.x, np.zeros(SIZE), atol=1e-4)
                np.testing.assert_array_equal(result.x, optimizer.vector(session))

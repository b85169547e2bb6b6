"""Compares searches by TF 1.15's own `tf.contrib.opt.ScipyOptimizerInterface`,
on ref variables, with ours.
"""

import importlib

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from tf1grad.recipes.external.scipy_interface import ScipyOptimizerInterface

if not tf.__version__.startswith("1."):  # this name would import the originals
    pytest.skip("TensorFlow's own tf.contrib is in TensorFlow 1 only", allow_module_level=True)

contrib_opt = importlib.import_module("tensorflow.contrib.opt")


def rosenbrock(dtype):
    v = tf.get_variable("v", initializer=np.linspace(-1.5, 1.5, 40).astype(dtype))
    loss = tf.reduce_sum(100 * tf.square(v[1:] - tf.square(v[:-1])) + tf.square(1 - v[:-1]))
    return loss, {}


def network(dtype):
    random = np.random.RandomState(0)
    x = tf.constant(random.randn(64, 3), dtype)
    y = tf.sin(tf.reduce_sum(x, axis=1, keepdims=True))
    hidden = tf.tanh(
        tf.matmul(x, tf.get_variable("w1", initializer=random.randn(3, 8).astype(dtype)))
        + tf.get_variable("b1", initializer=np.zeros(8, dtype))
    )
    prediction = tf.matmul(
        hidden, tf.get_variable("w2", initializer=random.randn(8, 1).astype(dtype))
    )
    return tf.reduce_mean(tf.square(prediction - y)), {}


def constrained(dtype):
    v = tf.get_variable("v", initializer=np.array([7.0, 7.0, 2.0], dtype))
    loss = tf.reduce_sum(tf.square(v)) + v[0] * v[2]
    return loss, {
        "equalities": [v[1] - 1.0],
        "inequalities": [v[0] - 1.0, v[0] + v[2] - 2.5],
        "var_to_bounds": {v: (-10.0, [8.0, 8.0, 1.0])},
    }


def bounded(dtype):
    v = tf.get_variable("v", initializer=np.array([[1.0, 2.0], [3.0, -4.0]], dtype))
    loss = tf.reduce_sum(tf.square(v - [[3.0, 3.0], [-1.0, -3.0]])) + tf.reduce_prod(tf.cos(v))
    return loss, {"var_to_bounds": {v: ([[0.0], [-0.5]], np.infty)}}


def bounded_nowhere(dtype):
    return bounded(dtype)[0], {}


def search(interface, model, dtype, log, **kwargs):
    """Returns a search's end point, its points after each iteration,
    the number of evaluations, and its log lines.
    """
    del log[:]
    with tf.Graph().as_default(), tf.Session() as session:
        loss, arguments = model(dtype)
        variables = tf.trainable_variables()
        optimizer = interface(loss, **dict(arguments, **kwargs))
        session.run(tf.global_variables_initializer())
        points, losses = [], []
        optimizer.minimize(
            session,
            fetches=[loss],
            loss_callback=losses.append,
            step_callback=lambda x: points.append(np.array(x)),
        )
        end = np.concatenate([np.ravel(value) for value in session.run(variables)])
    return (
        end,
        points,
        len(losses),
        [line for line in log if line.startswith("Optimization terminated")],
    )


CASES = [
    (rosenbrock, "L-BFGS-B", np.float32),
    (rosenbrock, "L-BFGS-B", np.float64),
    (network, "L-BFGS-B", np.float32),
    (network, "CG", np.float32),
    (bounded_nowhere, "Newton-CG", np.float64),
    (constrained, "SLSQP", np.float64),
    (bounded, "SLSQP", np.float64),
    (bounded, "L-BFGS-B", np.float64),
]


@pytest.mark.parametrize("model, method, dtype", CASES)
def test_same_iterations_evaluations_log_and_end(log, model, method, dtype):
    options = {"maxiter": 60}
    theirs = search(
        contrib_opt.ScipyOptimizerInterface, model, dtype, log, method=method, options=options
    )
    ours = search(ScipyOptimizerInterface, model, dtype, log, method=method, options=options)
    assert len(ours[1]) == len(theirs[1]) and ours[2] == theirs[2]
    assert ours[3] == theirs[3] and len(ours[3]) == 1
    np.testing.assert_allclose(ours[0], theirs[0], rtol=0, atol=1e-6)
    for our, their in zip(ours[1], theirs[1]):
        np.testing.assert_allclose(our, their, rtol=0, atol=1e-6)


def test_newton_cg_on_float32_variables_moves_where_contrib_stands_still(log):
    start = np.float32([[1.0, 2.0], [3.0, -4.0]]).ravel()
    theirs, *_ = search(
        contrib_opt.ScipyOptimizerInterface, bounded_nowhere, np.float32, log, method="Newton-CG"
    )
    np.testing.assert_array_equal(theirs, start)
    ours = search(ScipyOptimizerInterface, bounded_nowhere, np.float32, log, method="Newton-CG")
    wide = search(ScipyOptimizerInterface, bounded_nowhere, np.float64, log, method="Newton-CG")
    np.testing.assert_allclose(ours[0], wide[0], atol=2e-3)

"""Tests wrappers around optimizers whose `compute_gradients` takes other arguments
than `tf.train.Optimizer`'s.
"""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import tf1grad
from variable_kinds import BOTH_KINDS

BATCH = np.float32([1, 2, 3, 4])


class Scaled(tf.train.MomentumOptimizer):
    """Takes a `scale`, and neither `colocate_gradients_with_ops` nor `gate_gradients`."""

    def compute_gradients(self, loss, var_list=None, scale=1.0):
        return super().compute_gradients(loss * scale, var_list)


def contrib(make):
    def made():
        if not tf.__version__.startswith("1."):
            pytest.skip("tf.contrib is of TensorFlow 1")
        import tensorflow

        return make(tensorflow.contrib)

    return made


INNER = {
    "own": lambda: Scaled(0.01, 0.9),
    "adam": lambda: tf.train.AdamOptimizer(0.1),
    "optimizer_v2 adam": contrib(lambda contrib: contrib.optimizer_v2.AdamOptimizer(0.1)),
    "optimizer_v2 momentum": contrib(
        lambda contrib: contrib.optimizer_v2.MomentumOptimizer(0.01, 0.9)
    ),
    "GGT": contrib(lambda contrib: contrib.opt.GGTOptimizer(0.1)),
}


def plain(name):
    """Makes the optimizer alone; that of `Scaled` has no `minimize` that works."""
    return tf.train.MomentumOptimizer(0.01, 0.9) if name == "own" else INNER[name]()


def clipping(inner):
    return tf1grad.ClippingOptimizer(inner, 1e6)


def accumulating(inner):
    return tf1grad.AccumulatingOptimizer(inner, 2)


def both(inner):
    return accumulating(clipping(inner))


def trained(optimizer, parts, **arguments):
    """Returns the variables after three steps on BATCH in so many parts,
    and the number of steps.
    """
    with tf.Graph().as_default(), tf.Session() as session:
        w = tf.get_variable("w", initializer=[1.0, 2.0])
        tf.get_variable("idle", initializer=3.0)
        x, global_step = tf.placeholder(tf.float32, [None]), tf.train.get_or_create_global_step()
        loss = tf.reduce_mean(tf.square(tf.reduce_sum(w) * x - 1) + w[0] * x)
        train_op = optimizer().minimize(loss, global_step, **arguments)
        session.run(tf.global_variables_initializer())
        for part in list(np.split(BATCH, parts)) * 3:
            session.run(train_op, {x: part})
        return session.run([w, global_step])


@BOTH_KINDS
@pytest.mark.parametrize("wrap", [accumulating, clipping, both])
@pytest.mark.parametrize("name", sorted(INNER))
def test_a_wrapped_optimizer_trains_as_on_one_large_batch(variable_kind, name, wrap):
    parts = 1 if wrap is clipping else 2
    found = trained(lambda: wrap(INNER[name]()), parts)
    expected = trained(lambda: plain(name), 1)
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-5)
    assert found[1] == expected[1] == 3


@pytest.mark.parametrize("wrap", [accumulating, clipping, both])
def test_arguments_of_the_inner_optimizer_reach_it(wrap):
    parts = 1 if wrap is clipping else 2
    found, _ = trained(lambda: wrap(INNER["own"]()), parts, scale=3.0)
    # A gradient of three times the size is a rate of three times the size.
    expected, _ = trained(lambda: tf.train.MomentumOptimizer(0.03, 0.9), 1)
    np.testing.assert_allclose(found, expected, rtol=1e-5)


@pytest.mark.parametrize("wrap", [accumulating, clipping, both])
@pytest.mark.parametrize("argument", ["colocate_gradients_with_ops", "gate_gradients", "sclae"])
def test_an_argument_that_the_inner_optimizer_does_not_take_is_an_error(graph, wrap, argument):
    loss = tf.reduce_sum(tf.get_variable("v", initializer=[1.0]))
    with pytest.raises(TypeError, match=argument):
        wrap(INNER["own"]()).minimize(loss, **{argument: True})

"""Tests that `tf.GraphKeys.TRAIN_OP` holds the op that takes a step, as after any `minimize`,
and not a part of it.

TensorFlow's optimizers put into it what they return. What they return inside a conditional cannot
be fetched.
"""

import pytest
import tensorflow.compat.v1 as tf

import tf1grad
from steps import Forgetful, Outer
from tf1grad.recipes.gradients.apply import apply_gradients


def sgd():
    return tf.train.GradientDescentOptimizer(0.5)


def accumulating(inner=sgd):
    return tf1grad.AccumulatingOptimizer(inner(), 1)


def skipping(inner=sgd):
    return tf1grad.ClippingOptimizer(inner(), 1e9, nonfinite="skip")


WAYS = {
    "TensorFlow": lambda loss, step: sgd().minimize(loss, step),
    "accumulating": lambda loss, step: accumulating().minimize(loss, step),
    "skipping": lambda loss, step: skipping().minimize(loss, step),
    "accumulating of skipping": lambda loss, step: accumulating(skipping).minimize(loss, step),
    "skipping of accumulating": lambda loss, step: skipping(accumulating).minimize(loss, step),
    "of a moving average": lambda loss, step: accumulating(lambda: Wrapper(sgd())).minimize(
        loss, step
    ),
    "guarded": lambda loss, step: tf1grad.drop_nonfinite(sgd().compute_gradients(loss)).apply(
        sgd(), step
    ),
    "gated": lambda loss, step: tf1grad.gate_variables(
        sgd().compute_gradients(loss), {"w": True}, sgd, step
    ),
    "players": lambda loss, step: (
        tf1grad.alternate(
            {"one": (loss, "w"), "two": (loss, "w")}, sgd, step, allow_shared=True
        ).train_ops
    ),
    "forgetful": lambda loss, step: apply_gradients(
        Forgetful(0.5), sgd().compute_gradients(loss), step
    ),
    "hook": lambda loss, step: (
        tf1grad.AccumulateHook(
            tf1grad.GradientAccumulator(sgd().compute_gradients(loss), loss=loss), sgd(), 1, step
        ).train_op
    ),
}


class Wrapper(Outer):
    """Tests `MovingAverageOptimizer`'s case: the inner train op,
    registered by its optimizer, is only a part.
    """

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        return tf.group(super().apply_gradients(grads_and_vars, global_step), name=name)


@pytest.mark.parametrize("way", sorted(WAYS))
def test_the_collection_holds_what_takes_a_step(way, session, control_flow):
    w = tf.get_variable("w", initializer=tf.constant(1.0))
    step = tf.train.get_or_create_global_step()
    made = WAYS[way](2 * w, step)
    found = tf.get_collection(tf.GraphKeys.TRAIN_OP)
    train_ops = list(made.values()) if isinstance(made, dict) else [made]
    assert found == [getattr(train_op, "op", train_op) for train_op in train_ops]
    session.run(tf.global_variables_initializer())
    for count, train_op in enumerate(found, 1):
        session.run(train_op)
        assert session.run([w, step]) == [1 - count, count]


def test_collection_holds_only_train_ops(session):
    """Tests an applying op that only a function with its own feeds runs,
    or that runs at the end of an epoch.
    """
    w = tf.get_variable("w", initializer=tf.constant(1.0))
    accumulator = tf1grad.GradientAccumulator(sgd().compute_gradients(2 * w))
    accumulator.step(sgd())
    assert tf.get_collection(tf.GraphKeys.TRAIN_OP) == []
    optimizer = accumulating()
    train_op = optimizer.minimize(2 * w)
    optimizer.flush()
    assert tf.get_collection(tf.GraphKeys.TRAIN_OP) == [train_op]


def test_other_entries_stay_in_the_collection(session):
    w = tf.get_variable("w", initializer=tf.constant(1.0))
    before = [sgd().minimize(w), skipping().minimize(w)]
    after = [accumulating().minimize(w), sgd().minimize(w)]
    found = tf.get_collection(tf.GraphKeys.TRAIN_OP)
    assert found == before + after

"""Gradients of a loop, taken under control dependencies that wait for the loop,
are an error that names the remedy.

TensorFlow's own optimizers end such a run silently, and train nothing.
"""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import tf1grad
from variable_kinds import BOTH_KINDS

TURNS = 40  # more than the parallel_iterations of any loop


def while_loop(w, x):
    return tf.while_loop(lambda i, a: i < TURNS, lambda i, a: (i + 1, a * w), [0, x])[1]


def scan(w, x):
    return tf.scan(lambda a, _: a * w, tf.range(TURNS), x)[-1]


def in_a_conditional(w, x):
    return tf.cond(tf.reduce_sum(x) > 0, lambda: while_loop(w, x), lambda: x * w)


def nested(w, x):
    def turn(i, a):
        return i + 1, while_loop(tf.sqrt(w), a)

    return tf.while_loop(lambda i, a: i < 2, turn, [0, x])[1]


LOOPS = pytest.mark.parametrize("loop", [while_loop, scan, in_a_conditional])


class Model:
    """A loss behind a loop, with an update that is computed from `after`,
    the loop's result if it is None.
    """

    def __init__(self, loop=while_loop, after=None):
        self.w = tf.get_variable("w", initializer=[0.9, 1.1])
        self.x = tf.placeholder_with_default([1.0, 0.01], [2])
        result = loop(self.w, self.x)
        self.loss = tf.reduce_sum(result)
        average = tf.get_variable("average", initializer=0.0, trainable=False)
        after = result if after is None else after
        self.update = average.assign_add(0.1 * (tf.reduce_mean(after) - average))
        self.inner = tf.train.GradientDescentOptimizer(0.01)
        self.global_step = tf.train.get_or_create_global_step()

    def around(self):
        return tf.control_dependencies([self.update])


def minimized(optimizer):
    return lambda model: optimizer(model.inner).minimize(model.loss, model.global_step)


def of_pairs(use):
    return lambda model: use(model.inner.compute_gradients(model.loss), model.inner)


USES = {
    "AccumulatingOptimizer": minimized(lambda inner: tf1grad.AccumulatingOptimizer(inner, 2)),
    "ClippingOptimizer": minimized(lambda inner: tf1grad.ClippingOptimizer(inner, 5.0)),
    "both": minimized(
        lambda inner: tf1grad.AccumulatingOptimizer(tf1grad.ClippingOptimizer(inner, 5.0), 2)
    ),
    "GradientAccumulator": of_pairs(lambda pairs, inner: tf1grad.GradientAccumulator(pairs)),
    "step": of_pairs(lambda pairs, inner: tf1grad.GradientAccumulator(pairs).step(inner)),
    "clip_by_global_norm": of_pairs(lambda pairs, inner: tf1grad.clip_by_global_norm(pairs, 5.0)),
    "drop_nonfinite": of_pairs(lambda pairs, inner: tf1grad.drop_nonfinite(pairs).apply(inner)),
    "GuardedGradients": of_pairs(
        lambda pairs, inner: tf1grad.GuardedGradients(
            pairs, tf.constant(True), tf.constant(0, tf.int64)
        ).apply(inner)
    ),
    "gate_variables": of_pairs(
        lambda pairs, inner: tf1grad.gate_variables(pairs, {"w": True}, lambda: inner)
    ),
    "feed_gradients": of_pairs(lambda pairs, inner: tf1grad.feed_gradients(pairs)),
    "alternate": lambda model: tf1grad.alternate(
        {"only": (model.loss, [model.w])}, lambda: model.inner
    ),
    "ScipyOptimizerInterface": lambda model: tf1grad.ScipyOptimizerInterface(model.loss),
}


@BOTH_KINDS
@LOOPS
def test_tensorflow_trains_nothing_without_an_error(loop, session):
    model = Model(loop)
    with model.around():
        train_op = model.inner.minimize(model.loss, model.global_step)
    session.run(tf.global_variables_initializer())
    session.run(train_op)
    np.testing.assert_array_equal(session.run(model.w), np.float32([0.9, 1.1]))
    assert session.run(model.global_step) == 0


@BOTH_KINDS
@LOOPS
def test_the_remedy_trains(loop, session):
    model = Model(loop)
    clipping = tf1grad.ClippingOptimizer(model.inner, 1e6)
    pairs = clipping.compute_gradients(model.loss)
    (gradient,) = [gradient for gradient, _ in pairs]
    with model.around():
        train_op = clipping.apply_gradients(pairs, model.global_step)
    session.run(tf.global_variables_initializer())
    start, gradient = session.run([model.w, gradient])
    session.run(train_op)
    assert (gradient != 0).all()
    np.testing.assert_allclose(session.run(model.w), start - 0.01 * gradient, rtol=1e-6)
    assert session.run(model.global_step) == 1


@LOOPS
def test_each_kind_of_loop_is_found(loop, graph):
    model = Model(loop)
    with model.around(), pytest.raises(ValueError, match="the end of a loop"):
        tf1grad.ClippingOptimizer(model.inner, 5.0).minimize(model.loss)


@pytest.mark.parametrize("use", USES.values(), ids=list(USES))
def test_each_function_tells_when_it_is_built(use, graph):
    model = Model()
    with model.around():
        with pytest.raises(
            ValueError, match=r"wait for .*AssignAdd.* the end of a loop.*compute_gradients"
        ):
            use(model)


@pytest.mark.parametrize("use", USES.values(), ids=list(USES))
def test_loops_that_wait_for_nothing_are_no_error(use, graph):
    """The update is computed before the loop, as that of a convolution before an RNN is."""
    model = Model(after=tf.constant(1.0))
    with model.around():
        use(model)


def test_an_inner_loop_may_wait_for_its_earlier_runs(session):
    """In the turns of an outer loop an inner one runs again,
    after its result of the turn before.
    """
    w = tf.get_variable("w", initializer=[0.9, 1.1])
    loss = tf.reduce_sum(nested(w, tf.constant([1.0, 0.01])))
    (pairs, _) = tf1grad.clip_by_global_norm([(tf.gradients(loss, w)[0], w)], 5.0)
    session.run(tf.global_variables_initializer())
    assert np.isfinite(session.run(pairs[0][0])).all()

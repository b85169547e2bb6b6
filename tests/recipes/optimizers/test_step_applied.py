"""Tests `step_applied`: what follows a train op in the runs that apply, beside one large batch."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import tf1grad
from steps import OPTIMIZERS
from variable_kinds import BOTH_KINDS

MICRO_BATCHES = np.float32([[1, 2], [3, 4], [0, 2], [5, 1], [2, 2], [7, 3]])
DECAY = 0.75


def accumulating(inner):
    return tf1grad.AccumulatingOptimizer(inner, 2)


WRAPPERS = {
    "accumulating": accumulating,
    "accumulating, then clipping": lambda inner: accumulating(
        tf1grad.ClippingOptimizer(inner, 1e6)
    ),
    "clipping, then accumulating": lambda inner: tf1grad.ClippingOptimizer(
        accumulating(inner), 1e6
    ),
    "accumulating, then skipping": lambda inner: accumulating(
        tf1grad.ClippingOptimizer(inner, 1e6, nonfinite="skip")
    ),
    "skipping, then accumulating": lambda inner: tf1grad.ClippingOptimizer(
        accumulating(inner), 1e6, nonfinite="skip"
    ),
}


class Model:
    """A model with a moving average of its variables, `values`,
    and an op that trains and averages.
    """

    def __init__(self, optimizer):
        w, idle = (
            tf.get_variable("w", initializer=[1.0, 2.0]),
            tf.get_variable("i", initializer=1.0),
        )
        self.x, self.step = tf.placeholder(tf.float32, [None]), tf.train.get_or_create_global_step()
        loss = tf.reduce_mean(tf.square(tf.reduce_sum(w) * self.x - 1) + w[0] * self.x) / 100
        self.train_op = optimizer.minimize(loss, self.step)
        self.average = tf.train.ExponentialMovingAverage(DECAY)
        self.variables = [w, idle]

    def trained(self, train_and_average, batches):
        averages = [self.average.average(variable) for variable in self.variables]
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for batch in batches:
                session.run(train_and_average, {self.x: batch})
            return session.run([self.step] + self.variables + averages)


def on_large_batches(make_optimizer, batches):
    with tf.Graph().as_default():
        model = Model(make_optimizer())
        with tf.control_dependencies([model.train_op]):
            train_and_average = model.average.apply(model.variables)
        return model.trained(train_and_average, batches)


@BOTH_KINDS
@pytest.mark.parametrize("make_optimizer", OPTIMIZERS)
@pytest.mark.parametrize("wrap", WRAPPERS.values(), ids=list(WRAPPERS))
def test_a_moving_average_decays_once_a_step(
    graph, variable_kind, control_flow, wrap, make_optimizer
):
    if (variable_kind, control_flow) == ("ref", "v2"):
        pytest.skip("tf.cond of version 2 writes no ref variables")
    optimizer = wrap(make_optimizer())
    model = Model(optimizer)
    train_and_average = tf.cond(
        optimizer.step_applied, lambda: model.average.apply(model.variables), tf.no_op
    )
    found = model.trained(train_and_average, MICRO_BATCHES)
    expected = on_large_batches(make_optimizer, MICRO_BATCHES.reshape(3, 4))
    for ours, theirs in zip(found, expected):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5)


def test_a_step_that_is_skipped_is_not_applied(graph, control_flow):
    optimizer = WRAPPERS["accumulating, then skipping"](tf.train.AdamOptimizer(0.1))
    model = Model(optimizer)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        fed = [[1, 2], [np.inf, 1], [3, 4], [1, 1]]
        found = [session.run(optimizer.step_applied, {model.x: batch}) for batch in fed]
        assert (found, session.run(model.step)) == ([False, False, False, True], 1)


def test_a_clip_alone_applies_in_each_run_and_skips_bad_ones(graph):
    optimizer = tf1grad.ClippingOptimizer(tf.train.AdamOptimizer(0.1), 1.0, nonfinite="skip")
    with pytest.raises(ValueError, match=r"ClippingOptimizer.step_applied: call minimize"):
        print(optimizer.step_applied)
    model = Model(optimizer)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        found = [session.run(optimizer.step_applied, {model.x: [x]}) for x in (1, np.inf, 2)]
        assert (found, session.run(model.step)) == ([True, False, True], 2)


def test_a_hook_says_it_too(graph):
    inner = tf.train.MomentumOptimizer(0.1, 0.9)
    w, x = tf.get_variable("w", initializer=[1.0, 2.0]), tf.placeholder(tf.float32, [None])
    loss = tf.reduce_mean(tf.reduce_sum(w) * x)
    accumulator = tf1grad.GradientAccumulator(inner.compute_gradients(loss), loss=loss)
    hook = tf1grad.AccumulateHook(accumulator, inner, 2)
    count = tf.get_variable("count", initializer=0)
    counted = tf.cond(hook.step_applied, lambda: count.assign_add(1).op, tf.no_op)
    with tf.train.MonitoredTrainingSession(hooks=[hook]) as session:
        for batch in MICRO_BATCHES:
            session.run([loss, counted], {x: batch})
        assert session.run(count) == hook.applied == 3

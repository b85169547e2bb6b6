"""Tests that a micro-batch of weight 0 adds nothing to a window, also where its loss and
gradients are not finite.
"""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import tf1grad
from steps import adam, descent, everything, momentum, unchanged
from variable_kinds import BOTH_KINDS

NUMBERS, WEIGHTS = [np.nan, 2.0, np.inf, 6.0, np.nan], [0.0, 1.0, 0.0, 3.0, 0.0]
REAL = [(2.0, 1.0), (6.0, 3.0)]
REDUCTIONS = pytest.mark.parametrize("reduction", ["mean", "sum"])


class Padded:
    """A loss over a dense variable and a row of a table.
    The row of padding, the last, is in no other micro-batch.
    """

    def __init__(self, dtype=tf.float32):
        self.number = tf.placeholder(dtype, [])
        self.weight = tf.placeholder_with_default(1.0, [])
        self.v = tf.get_variable("v", initializer=tf.ones([2], dtype))
        self.table = tf.get_variable("table", initializer=tf.ones([8, 2], dtype))
        padding = tf.logical_not(tf.is_finite(self.number))
        row = tf.where(
            padding, 7, tf.cast(tf.where(padding, tf.zeros([], dtype), self.number), tf.int32)
        )
        rows = tf.gather(self.table, [row, row])
        self.loss = self.number * (tf.reduce_sum(self.v) + tf.reduce_sum(rows))

    def feeds(self, numbers=NUMBERS, weights=WEIGHTS):
        return [{self.number: n, self.weight: w} for n, w in zip(numbers, weights)]

    def real_feeds(self):
        return self.feeds(*zip(*REAL))


def explicit(padded, optimizer, session, reduction, dense=False):
    pairs = optimizer.compute_gradients(padded.loss)
    accumulator = tf1grad.GradientAccumulator(
        pairs, padded.loss, padded.weight, reduction, dense=dense
    )
    apply = accumulator.apply(optimizer)

    def train(feeds):
        session.run(accumulator.reset)
        for feed_dict in feeds:
            session.run(accumulator.accumulate, feed_dict)
        session.run(apply)
        return session.run(accumulator.average_loss)

    return train


def dense(padded, optimizer, session, reduction):
    return explicit(padded, optimizer, session, reduction, dense=True)


def in_steps(padded, optimizer, session, reduction):
    accumulator = tf1grad.GradientAccumulator(
        optimizer.compute_gradients(padded.loss), padded.loss, padded.weight, reduction
    )
    step = accumulator.step(optimizer)
    return lambda feeds: step(session, feeds)


def wrapped(padded, optimizer, session, reduction):
    wrapper = tf1grad.AccumulatingOptimizer(optimizer, 100, padded.weight, reduction)
    train_op = wrapper.minimize(padded.loss)
    flush = wrapper.flush()

    def train(feeds):
        for feed_dict in feeds:
            session.run(train_op, feed_dict)
        session.run(flush)

    return train


def fetched(padded, optimizer, session, reduction, stacked=False):
    pairs = optimizer.compute_gradients(padded.loss)
    fed = tf1grad.feed_gradients(pairs, stacked, reduction)
    apply = optimizer.apply_gradients(fed.grads_and_vars)

    def train(feeds):
        values = [session.run(fed.fetches, feed_dict) for feed_dict in feeds]
        weights = [feed_dict[padded.weight] for feed_dict in feeds]
        session.run(apply, fed.feed_dict(values, weights))

    return train


def stacked(padded, optimizer, session, reduction):
    return fetched(padded, optimizer, session, reduction, stacked=True)


@REDUCTIONS
@pytest.mark.parametrize("make_optimizer", [descent, momentum, adam])
@pytest.mark.parametrize("form", [explicit, dense, in_steps, wrapped, fetched, stacked])
def test_window_is_that_of_the_other_micro_batches(form, make_optimizer, reduction, session):
    """Momentum and Adam move rows that have a gradient of zero:
    the row of padding must not come at all.
    """
    padded, optimizer = Padded(), make_optimizer()
    train = form(padded, optimizer, session, reduction)
    moved = everything(optimizer)
    losses, values = [], []
    for feeds in (padded.feeds(), padded.real_feeds()):
        session.run(tf.global_variables_initializer())
        losses.append([train(feeds), train(feeds)])
        values.append(session.run(moved))
    # None where the form has none; a sum of rows has no fixed order.
    for loss, expected in zip(*losses):
        assert loss is expected is None or loss == pytest.approx(expected, rel=1e-6)
    for name, value in values[1].items():
        assert np.isfinite(value).all()
        np.testing.assert_allclose(values[0][name], value, rtol=1e-6, err_msg=name)


def in_a_hook(padded, optimizer, reduction):
    accumulator = tf1grad.GradientAccumulator(
        optimizer.compute_gradients(padded.loss), padded.loss, padded.weight, reduction
    )
    return tf1grad.AccumulateHook(accumulator, optimizer, 2)


def assert_weightless_windows_fail(train, window, moved, session):
    """Checks that a window of weights of 0 raises the error and moves nothing,
    and that a real one then does.
    """
    train([(1.0, 1.0), (2.0, 1.0)])  # so that there is momentum
    with unchanged(session, *moved):
        for numbers in ([1.0, 2.0], [np.nan, np.inf]):
            with pytest.raises(tf.errors.InvalidArgumentError, match="only weights of 0"):
                train([(number, 0.0) for number in numbers])
    before = session.run(moved)
    train(window)
    assert all(np.any(old != new) for old, new in zip(before, session.run(moved)))


@BOTH_KINDS
@REDUCTIONS
@pytest.mark.parametrize("form", [explicit, in_steps])
def test_window_without_weight_is_an_error_in_explicit_steps(
    form, reduction, variable_kind, session
):
    padded, optimizer = Padded(), momentum()
    train = form(padded, optimizer, session, reduction)
    moved = list(everything(optimizer).values())
    session.run(tf.global_variables_initializer())
    assert_weightless_windows_fail(
        lambda parts: train(padded.feeds(*zip(*parts))), REAL, moved, session
    )


@BOTH_KINDS
@REDUCTIONS
def test_window_without_weight_is_an_error_of_the_train_op(reduction, variable_kind, session):
    padded, optimizer = Padded(), momentum()
    wrapper = tf1grad.AccumulatingOptimizer(optimizer, 2, padded.weight, reduction)
    train_op, flush = wrapper.minimize(padded.loss), wrapper.flush()
    moved = list(everything(optimizer).values())
    session.run(tf.global_variables_initializer())

    def train(parts):
        for feed_dict in padded.feeds(*zip(*parts)):
            session.run(train_op, feed_dict)

    # The micro-batch that has a weight closes the window.
    assert_weightless_windows_fail(train, [(6.0, 3.0)], moved, session)
    train([(1.0, 0.0)])
    with unchanged(session, *moved):
        session.run(flush)
        train([(2.0, 1.0)])  # opens a window: the one of weight 0 is gone


@REDUCTIONS
@pytest.mark.filterwarnings("error")
def test_window_without_weight_is_an_error_in_a_hook(reduction, graph):
    padded, optimizer = Padded(), momentum()
    hook = in_a_hook(padded, optimizer, reduction)
    moved = list(everything(optimizer).values())
    with tf.train.MonitoredSession(hooks=[hook]) as session:
        losses = []

        def train(parts):
            for feed_dict in padded.feeds(*zip(*parts)):
                losses.append(session.run(padded.loss, feed_dict))

        assert_weightless_windows_fail(train, [(6.0, 3.0)], moved, session)
        assert (hook.applied, hook.average_loss) == (2, pytest.approx(losses[-1]))
        train([(1.0, 0.0)])  # is dropped at the end
    assert hook.applied == 2


@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_positive_weight_keeps_what_is_not_finite(number, session):
    padded = Padded()
    accumulator = tf1grad.GradientAccumulator(
        descent().compute_gradients(padded.loss), padded.loss, weight=padded.weight
    )
    session.run(tf.global_variables_initializer())
    for feed_dict in padded.feeds([1.0, number, np.nan], [1.0, 0.5, 0.0]):
        session.run(accumulator.accumulate, feed_dict)
    for gradient, _ in accumulator.grads_and_vars:
        values = session.run(tf.convert_to_tensor(gradient))
        np.testing.assert_array_equal(values[-1], np.full_like(values[-1], number))
    np.testing.assert_array_equal(session.run(accumulator.average_loss), number)


@pytest.mark.parametrize("weighted", [False, True])
def test_a_micro_batch_that_a_guard_drops_has_no_weight(weighted, session):
    padded = Padded()
    guarded = tf1grad.drop_nonfinite(descent().compute_gradients(padded.loss))
    accumulator = tf1grad.GradientAccumulator(guarded, weight=padded.weight if weighted else None)
    session.run(tf.global_variables_initializer())
    for feed_dict in padded.feeds([2.0, np.nan, 6.0], [1.0, 5.0, 3.0]):
        session.run(accumulator.accumulate, feed_dict)
    weights = [1.0, 3.0] if weighted else [1.0, 1.0]
    of_dense = session.run(accumulator.grads_and_vars[0][0])
    np.testing.assert_allclose(of_dense, [np.average([2.0, 6.0], weights=weights)] * 2, rtol=1e-6)
    assert session.run(accumulator.total_weight) == sum(weights)


def test_empty_batch_is_split_as_the_plain_loss_takes_it(session):
    x = tf.placeholder(tf.float32, [None])
    w = tf.get_variable("w", initializer=1.0)
    for reduce, expected in ((tf.reduce_mean, np.nan), (tf.reduce_sum, 0.0)):
        reduction = "mean" if reduce is tf.reduce_mean else "sum"
        loss, ((gradient, _),) = tf1grad.split_batch(
            lambda part: reduce(w * part), x, 2, reduction=reduction
        )
        session.run(w.initializer)
        np.testing.assert_array_equal(session.run([loss, gradient], {x: []}), [expected, expected])

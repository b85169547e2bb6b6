"""Tests AccumulatedStep: one large step as a call over an iterable of feed_dicts."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import models
import tf1grad
from numpy_optimizers import RULES
from steps import unchanged


class Trained:
    """The model with a step of Adam."""

    def __init__(self, session=None):
        self.model = models.Model()
        self.optimizer = RULES["adam"][1]()
        self.global_step = tf.train.get_or_create_global_step()
        self.accumulator = tf1grad.GradientAccumulator(
            self.optimizer.compute_gradients(self.model.loss),
            loss=self.model.loss,
            weight=self.model.samples,
        )
        self.step = self.accumulator.step(self.optimizer, self.global_step)
        if session:
            session.run(tf.global_variables_initializer())

    def feed_dicts(self, batch, sizes=(4, 4, 2)):
        return [self.model.feed_dict(part) for part in models.split(batch, sizes)]

    def go_on(self, session):
        for batch in BATCHES[1:]:
            self.step(session, self.feed_dicts(batch))
        self.check(session)

    def check(self, session, steps=3):
        expected, _ = models.train_in_numpy(RULES["adam"][0](), BATCHES[:steps])
        models.assert_same_values(self.model.values(session), expected)


BATCHES = [models.random_batch(10, seed) for seed in range(3)]


def test_lists_generators_and_other_numbers_of_micro_batches(session, control_flow):
    trained = Trained(session)
    expected = models.train_in_numpy(RULES["adam"][0](), BATCHES)[1]
    losses = [
        trained.step(session, trained.feed_dicts(BATCHES[0])),
        trained.step(session, iter(trained.feed_dicts(BATCHES[1], [10]))),
        trained.step(session, (feed for feed in trained.feed_dicts(BATCHES[2], [1] * 10))),
    ]
    np.testing.assert_allclose(losses, expected, rtol=1e-9)
    trained.check(session)
    assert session.run(trained.global_step) == 3


def test_batches_from_a_pipeline_need_no_feeds(session):
    dataset = tf.data.Dataset.from_tensor_slices(np.arange(1.0, 7.0))
    value = tf.data.make_one_shot_iterator(dataset).get_next()
    w = tf.get_variable("w", initializer=tf.constant(0.0, tf.float64))
    optimizer = tf.train.GradientDescentOptimizer(1.0)
    step = tf1grad.GradientAccumulator(optimizer.compute_gradients(w * value)).step(optimizer)
    session.run(tf.global_variables_initializer())
    for expected in (-2.0, -7.0):  # minus the mean of 1, 2, 3, then also minus that of 4, 5, 6
        assert step(session, [None, {}, {}]) is None  # no loss was given
        assert session.run(w) == expected


def test_step_begins_a_window_of_its_own_and_leaves_it_empty(session):
    trained = Trained(session)
    session.run(trained.accumulator.accumulate, trained.model.feed_dict(models.random_batch(5, 99)))
    trained.step(session, trained.feed_dicts(BATCHES[0]))
    assert session.run(trained.accumulator.count) == 0
    trained.check(session, 1)


def test_monitored_session(graph):
    trained = Trained()
    with tf.train.MonitoredTrainingSession() as session:
        for batch in BATCHES:
            trained.step(session, trained.feed_dicts(batch))
        trained.check(session)


@pytest.mark.parametrize(
    "error, taken", [(ValueError, 0), (KeyboardInterrupt, 1), (SystemExit, 2), (ValueError, 3)]
)
def test_iterable_that_raises_changes_no_variable(error, taken, session):
    trained = Trained(session)
    trained.step(session, trained.feed_dicts(BATCHES[0]))

    def broken():
        yield from trained.feed_dicts(models.random_batch(10, 99))[:taken]
        raise error("no more")

    with unchanged(session, *tf.global_variables()), pytest.raises(error, match="no more"):
        trained.step(session, broken())
    trained.go_on(session)


def test_weights_of_zero_are_an_error_of_the_run_that_applies(session):
    trained = Trained(session)
    trained.step(session, trained.feed_dicts(BATCHES[0]))
    empty = trained.model.feed_dict(models.random_batch(0, 0))
    with unchanged(session, *tf.global_variables()), pytest.raises(
        tf.errors.InvalidArgumentError, match="nothing was accumulated"
    ):
        trained.step(session, [empty, empty])


def numbers_loss(numbers, rate=1.0):
    """Returns a variable w of value 1, and a step of gradient descent for the loss w * numbers."""
    w = tf.get_variable("w", initializer=tf.constant(1.0, tf.float64))
    optimizer = tf.train.GradientDescentOptimizer(rate)
    loss = w * tf.reduce_mean(numbers)
    accumulator = tf1grad.GradientAccumulator(optimizer.compute_gradients(loss), loss=loss)
    return w.read_value(), accumulator.step(optimizer)


def queue_of(*numbers):
    """Returns a queue's next element, which is of shape [1]."""
    queue = tf.FIFOQueue(8, [tf.float64], [[1]])
    tf.get_default_session().run(queue.enqueue_many([np.reshape(numbers, [-1, 1])]))
    return queue.dequeue()


def refilled_array(session):
    x, array = tf.placeholder(tf.float64, [1]), np.zeros(1)

    def feeds():
        for number in (1, 2, 6):
            array[:] = number
            yield {x: array}
        array[:] = np.nan

    return x, feeds


def variable_cache(session):
    cache = tf1grad.VariableBatchCache(queue_of(1, 2, 6))
    return cache.tensors[0], lambda: (cache.advance(session) for _ in range(3))


def released_handle_cache(session):
    cache = tf1grad.HandleBatchCache(queue_of(1, 2, 6))

    def feeds():
        for _ in range(3):
            with cache.advance(session) as feed_dict:
                yield feed_dict

    return cache.tensors[0], feeds


def deleted_handle(session):
    x, number = tf.placeholder(tf.float64, [1]), tf.placeholder(tf.float64, [1])
    kept = tf.get_session_handle(number)

    def feeds():
        for value in (1, 2, 6):
            handle = session.run(kept, {number: [value]})
            yield {x: handle}
            handle.delete()

    return x, feeds


@pytest.mark.parametrize(
    "source",
    [
        refilled_array,
        variable_cache,
        released_handle_cache,
        deleted_handle,
    ],
)
def test_nothing_is_read_ahead(source, session):
    numbers, feeds = source(session)
    w, step = numbers_loss(numbers)
    session.run(tf.global_variables_initializer())
    assert step(session, feeds()) == 3  # the mean of 1, 2, 6
    assert session.run(w) == -2


def test_micro_batch_is_accumulated_before_the_next_is_asked_for(session):
    trained = Trained(session)
    counts = []

    def feeds():
        for feed_dict in trained.feed_dicts(BATCHES[0]):
            counts.append(session.run(trained.accumulator.count))
            yield feed_dict
        counts.append(session.run(trained.accumulator.count))
        assert session.run(trained.global_step) == 0

    trained.step(session, feeds())
    assert counts == [0, 1, 2, 3]
    trained.check(session, 1)


@pytest.mark.parametrize("keyed_by", ["tensor", "name"])
def test_fed_learning_rate_is_that_of_the_last_feed_dict(keyed_by, session):
    x, rate = tf.placeholder(tf.float64, [1]), tf.placeholder(tf.float64, [], name="rate")
    w, step = numbers_loss(x, rate)
    session.run(tf.global_variables_initializer())
    key = rate if keyed_by == "tensor" else "rate:0"
    rates = [10.0, 10.0, 0.5]
    step(session, ({x: [number], key: value} for number, value in zip((1, 2, 6), rates)))
    assert session.run(w) == 1 - 0.5 * 3

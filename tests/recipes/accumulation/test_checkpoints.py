"""Tests that checkpoints hold the state of accumulation only if the user asks for it."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import models
import tf1grad
from accumulation_methods import explicit_ops, prepared_step, wrapped_optimizer
from numpy_optimizers import RULES

BATCHES = [models.random_batch(8, seed) for seed in range(3)]


def _plain(model, optimizer, global_step):
    train_op = optimizer.minimize(model.loss, global_step=global_step)

    def step(session, parts):
        whole = [np.concatenate([part[index] for part in parts]) for index in range(3)]
        session.run(train_op, model.feed_dict(whole))

    return step


def _train(make, batches, save=None, restore=None):
    """Builds a graph, initialises or restores it with a plain Saver, trains,
    and returns the values and global_step.
    """
    with tf.Graph().as_default(), tf.Session() as session:
        model, global_step = models.Model(), tf.train.get_or_create_global_step()
        step, saver = make(model, RULES["adam"][1](), global_step), tf.train.Saver()
        if restore is None:
            session.run(tf.global_variables_initializer())
        else:
            saver.restore(session, restore)
        for batch in batches:
            step(session, models.split(batch, [4, 4]))
        if save is not None:
            saver.save(session, save, write_meta_graph=False)
        return model.values(session), session.run(global_step)


@pytest.mark.parametrize(
    "before, after",
    [
        pytest.param(_plain, explicit_ops, marks=pytest.mark.slow),
        pytest.param(_plain, prepared_step, marks=pytest.mark.slow),
        (_plain, wrapped_optimizer),
        (wrapped_optimizer, _plain),
    ],
)
def test_checkpoints_cross_with_a_plain_saver(before, after, variable_kind, tmpdir):
    # What a checkpoint of `_plain` restores saves nothing of its accumulation.
    path = str(tmpdir.join("model"))
    _train(before, BATCHES[:2], save=path)
    values, global_step = _train(after, BATCHES[2:], restore=path)
    models.assert_same_values(values, models.train_in_numpy(RULES["adam"][0](), BATCHES)[0])
    assert global_step == 3


def test_no_state_is_reported_as_uninitialized(session):
    model = models.Model()
    explicit_ops(model, tf.train.AdamOptimizer())
    session.run(tf.global_variables_initializer())
    assert len(session.run(tf.report_uninitialized_variables())) == 0


class Window:
    """Makes an accumulator with dense and sparse sums,
    which may be saved while its window is open.
    """

    def __init__(self, persistent):
        self.model = models.Model()
        optimizer = RULES["nesterov"][1]()
        self.accumulator = tf1grad.GradientAccumulator(
            optimizer.compute_gradients(self.model.loss),
            loss=self.model.loss,
            persistent=persistent,
        )
        self.apply = self.accumulator.apply(optimizer)
        self.saver = tf.train.Saver()

    def accumulate(self, session, parts):
        for part in parts:
            session.run(self.accumulator.accumulate, self.model.feed_dict(part))


@pytest.mark.parametrize(
    "persistent, opened",
    [
        pytest.param(True, 0, marks=pytest.mark.slow),
        (True, 1),
        pytest.param(True, 3, marks=pytest.mark.slow),
        (False, 1),
    ],
)
def test_a_window_goes_on_in_another_session_if_it_is_persistent(
    persistent, opened, variable_kind, tmpdir
):
    path, parts = str(tmpdir.join("open")), models.split(models.random_batch(16, 5), [4] * 4)
    with tf.Graph().as_default(), tf.Session() as session:
        window = Window(persistent)
        session.run(tf.global_variables_initializer())
        window.accumulate(session, parts[:opened])
        window.saver.save(session, path)
    with tf.Graph().as_default(), tf.Session() as session:
        window = Window(persistent)
        window.saver.restore(session, path)
        kept = opened if persistent else 0
        assert session.run(window.accumulator.count) == kept
        window.accumulate(session, parts[kept:])
        loss, _ = session.run([window.accumulator.average_loss, window.apply])
        values = window.model.values(session)
    expected, losses = models.train_in_numpy(RULES["nesterov"][0](), [models.random_batch(16, 5)])
    models.assert_same_values(values, expected)
    np.testing.assert_allclose(loss, losses[0], rtol=1e-9)


def test_persistent_window_of_the_wrapped_optimizer(variable_kind, tmpdir):
    path, parts = str(tmpdir.join("open")), models.split(models.random_batch(8, 5), [4, 4])
    for index in range(2):  # one micro-batch in each session
        with tf.Graph().as_default(), tf.Session() as session:
            model = models.Model()
            train_op = tf1grad.AccumulatingOptimizer(
                RULES["nesterov"][1](), 2, persistent=True
            ).minimize(model.loss)
            saver = tf.train.Saver()
            if index:
                saver.restore(session, path)
            else:
                session.run(tf.global_variables_initializer())
            session.run(train_op, model.feed_dict(parts[index]))
            saver.save(session, path)
            values = model.values(session)
    models.assert_same_values(
        values, models.train_in_numpy(RULES["nesterov"][0](), [models.random_batch(8, 5)])[0]
    )

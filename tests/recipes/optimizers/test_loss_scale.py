"""Tests TensorFlow's loss scale around our optimizers:
overflowed micro-batches are left out, the rest is unscaled.
"""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import models
import tf1grad
from numpy_optimizers import RULES

experimental = getattr(tf.train, "experimental", None)
pytestmark = pytest.mark.skipif(
    getattr(experimental, "MixedPrecisionLossScaleOptimizer", None) is None,
    reason="this TensorFlow has no tf.train.experimental.MixedPrecisionLossScaleOptimizer",
)

SCALE, K = 1024.0, 3
RTOL = 1e-5  # TensorFlow scales float32 only; the reference is in float64


def dynamic(**options):
    return experimental.DynamicLossScale(initial_loss_scale=SCALE, **options)


@pytest.fixture
def scaled_control_flow(control_flow, variable_kind):
    if (control_flow, variable_kind) == ("v2", "ref"):
        pytest.skip(
            "TensorFlow writes no ref variable in a version 2 cond, and this optimizer applies in a tf.cond"
        )


def scaled(optimizer, loss_scale):
    return experimental.MixedPrecisionLossScaleOptimizer(optimizer, loss_scale)


def overflowed():
    x, ids, y = models.random_batch(4, 99)
    # Its gradient overflows when the scaled loss is differentiated.
    return (
        np.full_like(x, 1e30),
        ids,
        y,
    )


@pytest.mark.parametrize("fixed", [True, False])
def test_a_window_of_scaled_losses_is_the_large_batch(fixed, scaled_control_flow, session):
    model, global_step = models.Model(tf.float32), tf.train.get_or_create_global_step()
    loss_scale = experimental.FixedLossScale(SCALE) if fixed else dynamic()
    optimizer = scaled(tf1grad.AccumulatingOptimizer(RULES["adam"][1](), K), loss_scale)
    train_op = optimizer.minimize(model.loss, global_step=global_step)
    session.run(tf.global_variables_initializer())
    batches = [models.random_batch(12, seed) for seed in range(2)]
    for batch in batches:
        for part in models.split(batch, [4] * K):
            session.run(train_op, model.feed_dict(part))
    models.assert_same_values(
        model.values(session), models.train_in_numpy(RULES["adam"][0](), batches)[0], RTOL
    )
    assert session.run(global_step) == 2


@pytest.mark.parametrize("place", [0, 2, 3])
def test_overflowed_micro_batch_is_left_out_and_lowers_the_scale(
    place, scaled_control_flow, session
):
    model, global_step = models.Model(tf.float32), tf.train.get_or_create_global_step()
    loss_scale = dynamic(increment_period=2 * K)
    optimizer = scaled(tf1grad.AccumulatingOptimizer(RULES["adam"][1](), K), loss_scale)
    train_op = optimizer.minimize(model.loss, global_step=global_step)
    scale = loss_scale()
    session.run(tf.global_variables_initializer())
    batches = [models.random_batch(12, seed) for seed in range(2)]
    parts = [part for batch in batches for part in models.split(batch, [4] * K)]
    for index, part in enumerate(parts):
        if index == place:
            session.run(train_op, model.feed_dict(overflowed()))
            assert session.run([scale, global_step]) == [SCALE / 2, place // K]
        session.run(train_op, model.feed_dict(part))
    models.assert_same_values(
        model.values(session), models.train_in_numpy(RULES["adam"][0](), batches)[0], RTOL
    )
    assert session.run(global_step) == 2
    # 2 K whole micro-batches in a row raise it again; `place` of them came before the overflow.
    assert session.run(scale) == (SCALE if place == 0 else SCALE / 2)


@pytest.mark.parametrize(
    "wrap",
    [
        lambda optimizer: tf1grad.AccumulatingOptimizer(optimizer, K),
        lambda optimizer: tf1grad.ClippingOptimizer(optimizer, 1.0),
    ],
    ids=["accumulating", "clipping"],
)
@pytest.mark.parametrize("fixed", [True, False])
def test_wrong_order_is_refused(wrap, fixed, graph):
    optimizer = scaled(
        tf.train.AdamOptimizer(), experimental.FixedLossScale(SCALE) if fixed else dynamic()
    )
    with pytest.raises(
        ValueError,
        match=r"Put the loss scale outside: MixedPrecisionLossScaleOptimizer\(\w+Optimizer",
    ):
        wrap(optimizer)


def test_skipped_step_does_not_hide_from_the_scale(graph):
    model, optimizer = models.Model(tf.float32), scaled(tf.train.AdamOptimizer(), dynamic())
    with pytest.raises(ValueError, match="would not lower its scale"):
        tf1grad.drop_nonfinite(optimizer.compute_gradients(model.loss)).apply(optimizer)


def test_accumulator_hands_an_overflowed_window_to_the_scale(session):
    model, global_step = models.Model(tf.float32), tf.train.get_or_create_global_step()
    loss_scale = dynamic()
    optimizer = scaled(tf.train.AdamOptimizer(0.1), loss_scale)
    step = tf1grad.GradientAccumulator(optimizer.compute_gradients(model.loss)).step(
        optimizer, global_step
    )
    scale = loss_scale()
    session.run(tf.global_variables_initializer())
    step(session, [model.feed_dict(part) for part in (models.random_batch(4, 0), overflowed())])
    models.assert_same_values(model.values(session), models.START, RTOL)
    assert session.run([scale, global_step]) == [SCALE / 2, 0]
    step(session, [model.feed_dict(models.random_batch(4, 0))])
    assert session.run([scale, global_step]) == [SCALE / 2, 1]


@pytest.mark.parametrize(
    "batches_per_step, fed, d", [(1, [np.nan, 3], -2), (2, [np.inf, 1, np.nan, 3], -1)]
)
def test_a_players_turn_ends_with_an_applied_step(
    batches_per_step, fed, d, scaled_control_flow, session
):
    x, step = tf.placeholder(tf.float32, []), tf.train.get_or_create_global_step()
    values = {name: tf.get_variable(name, initializer=1.0) for name in "dg"}
    players = tf1grad.alternate(
        {name: (value * x, [value]) for name, value in values.items()},
        lambda: scaled(
            tf1grad.AccumulatingOptimizer(tf.train.GradientDescentOptimizer(1.0), batches_per_step),
            dynamic(),
        ),
        step,
    )
    session.run(tf.global_variables_initializer())
    fed = iter(fed + [5] * batches_per_step)
    for player in players.order:
        while not session.run(players.step_applied[player], {x: next(fed)}):
            pass
    assert session.run([players.steps, step]) == [{"d": 1, "g": 1}, 2]
    assert session.run(values) == {"d": d, "g": -4}
    assert list(fed) == []

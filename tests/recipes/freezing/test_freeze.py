"""Tests freezing, gates and players: frozen variables do not move by one bit."""

import re

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from steps import OPTIMIZERS, everything, unchanged
from tf1grad.recipes.freezing.freeze import trainable_in, without
from tf1grad.recipes.freezing.gate import HeldGate, gate_gradient, gate_variables
from tf1grad.recipes.freezing.players import alternate


def names(variables):
    return [variable.op.name for variable in variables]


@pytest.fixture
def model(graph):
    """Makes variables with names that are easily mistaken for each other."""
    for name in ("D/w", "D/b", "Dense/w", "D_1/w", "a.b/w", "axb/w", "D/inner/w"):
        tf.get_variable(name, initializer=np.float32([1, 2]))
    tf.get_variable("D/moving_mean", initializer=np.float32([0, 0]), trainable=False)


def test_trainable_in_a_scope_with_its_boundary(model):
    assert names(trainable_in("D")) == names(trainable_in("D/")) == ["D/w", "D/b", "D/inner/w"]
    assert names(trainable_in("a.b")) == ["a.b/w"]
    loose = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, "D")
    assert "Dense/w" in names(loose)  # what it replaces


def test_trainable_in_several_selectors(model):
    dense = tf.trainable_variables()[2]
    assert names(trainable_in(dense, "D/b")) == ["D/b", "Dense/w"]
    assert names(trainable_in(re.compile(r"^D\w*/w$"), "axb/w:0")) == [
        "D/w",
        "Dense/w",
        "D_1/w",
        "axb/w",
    ]
    assert names(trainable_in(lambda variable: variable.op.name.endswith("/b"))) == ["D/b"]


@pytest.mark.parametrize("make_optimizer", OPTIMIZERS)
def test_without_freezes_where_a_zero_gradient_does_not(session, make_optimizer):
    free, frozen = [
        tf.get_variable(name, initializer=np.float32([1, 2])) for name in ("free", "frozen")
    ]
    optimizer = make_optimizer()
    pairs = optimizer.compute_gradients(tf.reduce_sum(tf.square(free) + tf.square(frozen)))
    train = optimizer.apply_gradients(pairs)
    train_free = optimizer.apply_gradients(without(pairs, "frozen"))
    zeroed = optimizer.apply_gradients([pairs[0], (pairs[1][0] * 0, frozen)])
    session.run(tf.global_variables_initializer())
    session.run(train)
    before = session.run([free, frozen])
    for _ in range(3):
        session.run(train_free)
    np.testing.assert_array_equal(session.run(frozen), before[1])
    assert np.all(session.run(free) < before[0])
    session.run(zeroed)
    moved = np.any(session.run(frozen) != before[1])
    assert moved == (not isinstance(optimizer, tf.train.GradientDescentOptimizer))


@pytest.mark.parametrize(
    "gate, factor, dtype",
    [
        (True, 1, np.float32),
        (False, 0, np.float64),
        (0.25, 0.25, np.float32),
        (np.float64(0), 0, np.float16),
        ([[1], [0]], [[1], [0]], np.float32),
        ([True, False, True], [1, 0, 1], np.float16),
    ],
)
def test_gate_gradient_scales_the_gradient_and_keeps_the_value(session, gate, factor, dtype):
    x = tf.constant(np.random.randn(2, 3).astype(dtype))
    gated = gate_gradient(x, gate)
    gradient = tf.gradients(tf.reduce_sum(gated**3), x)[0]
    value, kept, slope = session.run([x, gated, gradient])
    np.testing.assert_array_equal(kept, value)
    np.testing.assert_allclose(
        slope, 3 * value**2 * np.broadcast_to(factor, [2, 3]), rtol=10 * np.finfo(dtype).eps
    )


def test_a_closed_gate_gives_no_nan(session):
    x = tf.constant([np.inf, np.nan, 1.0, 0.0])
    gate = tf.placeholder(tf.float32, [])
    upstream = tf.constant([1.0, 1.0, np.inf, np.nan])
    gated = gate_gradient(x, gate)
    gradient = tf.gradients(gated, x, grad_ys=upstream)[0]
    np.testing.assert_array_equal(session.run(gated, {gate: 0}), session.run(x))
    np.testing.assert_array_equal(session.run(gradient, {gate: 0}), [0, 0, 0, 0])
    recipe = gate * x + (1 - gate) * tf.stop_gradient(x)
    assert np.isnan(session.run(recipe, {gate: 0})[0])  # what it replaces


def two_groups(make_optimizer, encoder_gate, head_gate=True):
    """Builds a train op with two gated groups;
    returns it, the groups' optimizers and the global step.
    """
    encoder = tf.get_variable("encoder/w", initializer=np.float32([1, 2]))
    head = tf.get_variable("head/w", initializer=np.float32([3, 4]))
    x = tf.placeholder_with_default(np.float32([0.5, -1]), [2])
    pairs = tf.train.GradientDescentOptimizer(1.0).compute_gradients(
        tf.reduce_sum(tf.square(encoder * head * x))
    )
    made = []

    def factory():
        made.append(make_optimizer())
        return made[-1]

    global_step = tf.train.get_or_create_global_step()
    train = gate_variables(
        pairs, {"encoder": encoder_gate, "head": head_gate}, factory, global_step
    )
    return train, made, global_step


@pytest.mark.parametrize("make_optimizer", OPTIMIZERS)
@pytest.mark.parametrize("dtype", [tf.bool, tf.int32, tf.float32])
def test_a_closed_group_does_not_move_by_one_bit(session, control_flow, make_optimizer, dtype):
    gate, gate_of_head = tf.placeholder(dtype, []), tf.placeholder_with_default(True, [])
    train, (encoder_optimizer, _), global_step = two_groups(make_optimizer, gate, gate_of_head)
    encoder, head = tf.trainable_variables()
    session.run(tf.global_variables_initializer())
    for _ in range(2):
        session.run(train, {gate: 1})
    before = session.run([encoder.read_value(), head.read_value()])
    with unchanged(session, encoder, *encoder_optimizer.variables()):
        for _ in range(3):
            session.run(train, {gate: 0})
    assert np.all(session.run(head) != before[1])
    assert session.run(global_step) == 5
    with unchanged(session, *tf.global_variables()):  # which includes global_step
        session.run(train, {gate: 0, gate_of_head: False})
    session.run(train, {gate: 1})
    assert np.all(session.run(encoder) != before[0])


def test_gated_groups_have_the_names_of_plain_optimizers(graph):
    """Checkpoints know the variables by them."""
    two_groups(lambda: tf.train.AdamOptimizer(0.1), True)
    made = set(names(tf.global_variables()))
    assert {"beta1_power", "beta1_power_1", "encoder/w/Adam", "head/w/Adam_1"} <= made


def test_a_held_gate_stays_until_it_is_redrawn(session, control_flow):
    held = HeldGate(tf.random_uniform([4], seed=1) < 0.5)
    with pytest.raises(tf.errors.FailedPreconditionError, match="held_gate"):
        session.run(held.value)
    draws = []
    for _ in range(20):
        session.run(held.redraw)
        draws.append(session.run(held.value))
        for _ in range(3):
            np.testing.assert_array_equal(session.run(held.value), draws[-1])
    assert 0 < np.mean(draws) < 1 and len({tuple(draw) for draw in draws}) > 3
    assert tf.global_variables() == []


def adversaries(make_optimizer, **options):
    """Builds a discriminator and a generator, each with a moving mean that UPDATE_OPS keep."""
    players = {}
    x = tf.placeholder_with_default(np.float32([[0.5, -1]]), [None, 2])
    for name, sign in (("discriminator", 1.0), ("generator", -1.0)):
        with tf.variable_scope("gan/" + name):
            weights = tf.get_variable("w", initializer=np.float32([1, 2]))
            mean = tf.get_variable("bn/mean", initializer=np.float32([0, 0]), trainable=False)
            tf.add_to_collection(
                tf.GraphKeys.UPDATE_OPS, mean.assign(0.5 * mean + tf.reduce_mean(x, 0))
            )
            players[name] = [sign, weights, mean]
    value = tf.reduce_sum(x * players["discriminator"][1] * players["generator"][1])
    return alternate(
        {name: (sign * value, "gan/" + name) for name, (sign, _, _) in players.items()},
        make_optimizer,
        tf.train.get_or_create_global_step(),
        **options,
    ), players


@pytest.mark.parametrize("make_optimizer", OPTIMIZERS)
def test_a_player_moves_its_own_and_nothing_else(session, make_optimizer):
    factories = dict.fromkeys(["discriminator", "generator"], make_optimizer)
    alternation, players = adversaries(factories)
    global_step = tf.train.get_or_create_global_step()
    own = {
        name: dict(everything(alternation.optimizers[name]), mean=players[name][2])
        for name in players
    }
    for name in players:
        own[name] = {
            key: value
            for key, value in own[name].items()
            if not key.startswith("gan/") or key.startswith("gan/" + name)
        }
    session.run(tf.global_variables_initializer())
    for count, (mover, other) in enumerate(
        [("discriminator", "generator"), ("generator", "discriminator")], 1
    ):
        before = session.run(own[mover])
        with unchanged(session, *own[other].values()):
            session.run(alternation.train_ops[mover])
        after = session.run(own[mover])
        assert [key for key, value in before.items() if np.any(after[key] == value)] == []
        assert session.run(global_step) == count
    assert session.run(alternation.steps) == {"discriminator": 1, "generator": 1}


def test_an_update_op_that_belongs_to_nobody_has_to_be_given(session):
    own = tf.get_variable("g/w", initializer=np.float32([1, 2]))
    stray = tf.get_variable("elsewhere/mean", initializer=np.float32([1]), trainable=False)
    update = stray.assign(stray * 2)
    tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, update)
    players = {"g": (tf.reduce_sum(own), "g")}
    with pytest.raises(
        ValueError, match=r"elsewhere.*names no single player of g. Pass update_ops="
    ):
        alternate(players, OPTIMIZERS[0])
    alternation = alternate(players, OPTIMIZERS[0], update_ops={"g": [update]})
    without_updates = alternate(players, OPTIMIZERS[0], update_ops={})
    session.run(tf.global_variables_initializer())
    session.run(without_updates.train_ops["g"])
    assert session.run(stray) == [1]
    session.run(alternation.train_ops["g"])
    assert session.run(stray) == [2]


def test_shared_variables_need_allow_shared(session):
    shared = tf.get_variable("shared", initializer=np.float32([1, 2]))
    players = {
        "one": (tf.reduce_sum(shared), "shared"),
        "two": (-2 * tf.reduce_sum(shared), [shared]),
    }
    with pytest.raises(ValueError, match="shared:0 belongs to both one and two.*allow_shared=True"):
        alternate(players, OPTIMIZERS[0])
    alternation = alternate(players, OPTIMIZERS[0], allow_shared=True)
    session.run(tf.global_variables_initializer())
    session.run(alternation.train_ops["one"])
    session.run(alternation.train_ops["two"])
    np.testing.assert_allclose(session.run(shared), [1.1, 2.1], rtol=1e-6)


@pytest.mark.parametrize(
    "options, error, message",
    [
        (
            dict(optimizer_factory={"one": OPTIMIZERS[0]}),
            ValueError,
            "optimizer_factory has no function for two. Give one for each player",
        ),
        (
            dict(optimizer_factory={"three": OPTIMIZERS[0]}),
            ValueError,
            "names 'three', which is no player; the players",
        ),
        (dict(steps=[2, 1]), TypeError, "steps must be a dict by player; got"),
        (
            dict(players={"one": "loss"}),
            TypeError,
            "each player must be name: .loss, variables.; got 'one'",
        ),
        (
            dict(players={"one": ([np.float32([1, 2])], "loss")}),
            TypeError,
            "the loss of player one must be a tensor; got list.*. The order is .loss, variables.",
        ),
    ],
)
def test_wrong_descriptions_of_players_are_refused(options, error, message, graph):
    weights = [tf.get_variable(name, initializer=np.float32([1, 2])) for name in ("one", "two")]
    given = dict(
        players={one.op.name: (tf.reduce_sum(one), [one]) for one in weights},
        optimizer_factory=OPTIMIZERS[0],
    )
    with pytest.raises(error, match="alternate.*" + message):
        alternate(**dict(given, **options))


def test_nothing_to_select_from(graph):
    with pytest.raises(
        ValueError, match="This graph has no variables yet: build the model first, in this graph."
    ):
        trainable_in("D")

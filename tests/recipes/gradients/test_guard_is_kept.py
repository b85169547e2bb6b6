"""No Python code between a guard and the optimizer loses the guard."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import tf1grad
from steps import everything, unchanged
from tf1grad.recipes.gradients.guarded_gradients import apply_guarded


def scaled(gradient):
    if isinstance(gradient, tf.IndexedSlices):
        return tf.IndexedSlices(gradient.values * 0.5, gradient.indices, gradient.dense_shape)
    return tf.clip_by_value(gradient, -1.0, 1.0)


def clipped_by_tensorflow(pairs):
    gradients, variables = zip(*pairs)
    return zip(tf.clip_by_global_norm(gradients, 1.0)[0], variables)


REWRITES = {
    "comprehension": lambda pairs: [(scaled(gradient), variable) for gradient, variable in pairs],
    "zip": lambda pairs: list(zip(*list(zip(*pairs)))),
    "iterator": lambda pairs: zip(*zip(*pairs)),
    "clipped by TensorFlow": clipped_by_tensorflow,
    "left out": lambda pairs: pairs[1:],
    "added": lambda pairs: (
        [(tf.constant(1.0), tf.get_variable("other", initializer=2.0))] + list(pairs)
    ),
}


@pytest.fixture
def fed(graph):
    """A placeholder that makes the gradients of `pairs` bad."""
    return tf.placeholder_with_default(np.float32(1), [])


@pytest.fixture
def pairs(fed):
    """A gradient that is bad where `fed` is, one that is not, and a sparse one."""
    table = tf.get_variable("table", initializer=np.zeros([4, 2], np.float32))
    slices = tf.IndexedSlices(tf.ones([3, 2]), tf.constant([1, 3, 1]), tf.constant([4, 2]))
    return [
        (tf.stack([fed, 2.0]), tf.get_variable("bad", initializer=np.float32([1, 2]))),
        (tf.constant([3.0]), tf.get_variable("good", initializer=np.float32([3]))),
        (slices, table),
    ]


def check_skips(session, train_op, fed, *moved):
    """Asserts that a run with bad gradients moves nothing,
    and one with good ones each of `moved`.
    """
    session.run(tf.global_variables_initializer())
    session.run(train_op)
    before = session.run([variable.read_value() for variable in moved])
    with unchanged(session, *tf.global_variables()):
        session.run(train_op, {fed: np.nan})
    session.run(train_op)
    assert all(np.any(session.run(variable) != value) for variable, value in zip(moved, before))


@pytest.mark.parametrize("rewrite", REWRITES.values(), ids=list(REWRITES))
def test_a_step_is_skipped_for_any_list_made_of_guarded_gradients(fed, pairs, session, rewrite):
    optimizer, global_step = tf.train.AdamOptimizer(0.1), tf.train.get_or_create_global_step()
    train_op = apply_guarded(optimizer, rewrite(tf1grad.drop_nonfinite(pairs)), global_step)
    check_skips(session, train_op, fed, global_step)


@pytest.mark.parametrize(
    "guard",
    [
        tf1grad.drop_nonfinite,
        lambda pairs: tf1grad.clip_by_norm(pairs, 1e3, nonfinite="skip"),
        lambda pairs: tf1grad.clip_by_global_norm(pairs, 1e3, nonfinite="skip")[0],
    ],
    ids=["drop_nonfinite", "clip_by_norm", "clip_by_global_norm"],
)
def test_wrapped_optimizers_skip_the_step(fed, pairs, session, guard):
    inner, global_step = tf.train.AdamOptimizer(0.1), tf.train.get_or_create_global_step()
    optimizer = tf1grad.ClippingOptimizer(
        inner, transform=lambda pairs: REWRITES["comprehension"](guard(pairs))
    )
    train_op = optimizer.apply_gradients(pairs, global_step)
    check_skips(session, train_op, fed, global_step)
    assert session.run(optimizer.dropped) == 1


@pytest.mark.parametrize(
    "rewrite", list(REWRITES.values()) + [lambda pairs: pairs], ids=list(REWRITES) + ["unchanged"]
)
def test_a_plain_optimizer_refuses_guarded_gradients_and_names_a_remedy(
    fed, pairs, session, rewrite
):
    guarded, optimizer = tf1grad.drop_nonfinite(pairs), tf.train.AdamOptimizer(0.1)
    rewritten = list(rewrite(guarded))
    with pytest.raises(ValueError, match=r"is guarded.*guarded\.apply\(optimizer"):
        optimizer.apply_gradients(rewritten)
    remedy = tf1grad.GuardedGradients(rewritten, guarded.finite, guarded.dropped)
    check_skips(session, remedy.apply(optimizer), fed)


def test_other_gradients_are_applied_as_before(fed, pairs, session):
    """The unguarded gradients of the same variables, other variables,
    and what depends on a guarded step.
    """
    guarded = tf1grad.drop_nonfinite(pairs)
    train_op = guarded.apply(tf.train.AdamOptimizer(0.1))
    other = tf.get_variable("unrelated", initializer=1.0)
    average = tf.get_variable("average", initializer=0.0, trainable=False)
    update = average.assign(tf1grad.global_norm(guarded))
    with tf.control_dependencies([train_op, update]):
        after = tf.train.AdamOptimizer(0.1).apply_gradients([(tf.constant(1.0), other)])
    tf.train.AdamOptimizer(0.1).apply_gradients(pairs)
    session.run(tf.global_variables_initializer())
    session.run(after)
    assert session.run(other) < 1


def test_windows_leave_bad_micro_batches_out(fed, pairs, session, control_flow):
    guarded = tf1grad.drop_nonfinite(pairs[:2])
    rewritten = REWRITES["comprehension"](guarded)
    inner, global_step = tf.train.AdamOptimizer(0.1), tf.train.get_or_create_global_step()
    wrapped = tf1grad.AccumulatingOptimizer(tf1grad.ClippingOptimizer(inner, 1e3), 2)
    train_op = wrapped.apply_gradients(rewritten, global_step)
    session.run(tf.global_variables_initializer())
    with unchanged(session, *everything(inner, global_step).values()):
        for _ in range(2):
            session.run(train_op, {fed: np.inf})
    session.run(train_op)
    session.run(train_op, {fed: np.inf})
    # With the one good micro-batch, though the last one was bad.
    assert session.run(global_step) == 1
    plain = tf1grad.GradientAccumulator(rewritten)
    tf.train.AdamOptimizer(0.1).apply_gradients(plain.grads_and_vars)


@pytest.mark.parametrize("reduction", ["mean", "sum"])
def test_a_window_of_dropped_micro_batches_is_empty(fed, pairs, session, variable_kind, reduction):
    accumulator = tf1grad.GradientAccumulator(tf1grad.drop_nonfinite(pairs), reduction=reduction)
    optimizer, global_step = tf.train.AdamOptimizer(0.1), tf.train.get_or_create_global_step()
    apply = accumulator.apply(optimizer, global_step)
    session.run(tf.global_variables_initializer())
    with unchanged(session, *everything(optimizer, global_step).values()):
        session.run(accumulator.accumulate, {fed: np.inf})
        with pytest.raises(tf.errors.InvalidArgumentError, match="only weights of 0"):
            session.run(apply)
    session.run(accumulator.accumulate)
    session.run(apply)
    assert session.run(global_step) == 1


def test_gates_and_players_obey_the_guard_of_a_list(fed, pairs, session):
    global_step = tf.train.get_or_create_global_step()
    rewritten = REWRITES["comprehension"](tf1grad.drop_nonfinite(pairs))
    train_op = tf1grad.gate_variables(
        rewritten,
        {"bad": True, "good": True, "table": True},
        lambda: tf.train.AdamOptimizer(0.1),
        global_step,
    )
    check_skips(session, train_op, fed, global_step)
    weights = pairs[0][1]
    players = tf1grad.alternate(
        {"only": (tf.reduce_sum(weights * fed), "bad")},
        lambda: tf.train.AdamOptimizer(0.1),
        transform=lambda pairs: REWRITES["comprehension"](tf1grad.drop_nonfinite(pairs)),
    )
    check_skips(session, players.train_ops["only"], fed)
    assert session.run(players.steps["only"]) == 2


def test_lists_under_two_guards_need_both(session):
    """Their order does not matter, and a run counts once in the list of both."""
    fed = [tf.placeholder_with_default(np.float32(1), []) for _ in range(2)]
    variables = [tf.get_variable(name, initializer=1.0) for name in "ab"]
    lists = [
        tf1grad.drop_nonfinite([(tf.identity(value), variable)])
        for value, variable in zip(fed, variables)
    ]
    both = tf1grad.map_gradients(lambda gradient: gradient * 2, lists[0] + lists[1])
    again = tf1grad.drop_nonfinite(list(both))
    train_op = apply_guarded(tf.train.MomentumOptimizer(0.1, 0.9), list(again))
    session.run(tf.global_variables_initializer())
    session.run(train_op)
    with unchanged(session, *variables):
        session.run(train_op, {fed[0]: np.nan})
        session.run(train_op, {fed[0]: np.nan, fed[1]: np.nan})
    assert session.run([lists[0].dropped, lists[1].dropped, again.dropped]) == [2, 1, 2]

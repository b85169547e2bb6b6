"""Tests that `ClippingOptimizer` equals clipping by hand,
alone and with accumulation in either order.
"""

from types import SimpleNamespace

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import records
import tf1grad
import training_graphs
from steps import OPTIMIZERS, everything, unchanged
from tf1grad.recipes.optimizers.accumulating import AccumulatingOptimizer
from tf1grad.recipes.optimizers.clipping import ClippingOptimizer
from variable_kinds import BOTH_KINDS


@pytest.fixture
def model(graph):
    """Builds a loss over a dense variable, an embedding with rows that come twice, and a
    variable it does not reach.
    """
    x = tf.placeholder(tf.float32, [None, 2])
    dense = tf.get_variable("dense", initializer=np.float32([1, -2]))
    table = tf.get_variable("table", initializer=np.float32([[1, 1], [2, 2], [3, 3]]))
    absent = tf.get_variable("absent", initializer=np.float32([5]))
    rows = tf.nn.embedding_lookup(table, tf.constant([1, 2, 1]))
    loss = tf.reduce_mean(tf.reduce_sum(x * dense, 1)) * tf.reduce_sum(rows) + tf.reduce_sum(
        tf.square(rows)
    )
    return x, loss, [dense, table, absent]


def dense_gradients(pairs):
    return [
        (None if gradient is None else tf.convert_to_tensor(gradient), variable)
        for gradient, variable in pairs
    ]


def by_hand(optimizer, loss, variables, clip_norm, global_step=None):
    """TensorFlow's own recipe, made dense first, where its norm is right."""
    pairs = dense_gradients(optimizer.compute_gradients(loss, variables))
    clipped, _ = tf.clip_by_global_norm([gradient for gradient, _ in pairs], clip_norm)
    return optimizer.apply_gradients(list(zip(clipped, variables)), global_step)


BATCHES = [
    np.float32([[1, 2], [3, -4]]),
    np.float32([[0.1, 0.2], [0, 0.5]]),
    np.float32([[5, 5], [-1, 0]]),
]


@pytest.mark.parametrize("make_optimizer", OPTIMIZERS[:1] + OPTIMIZERS[2:])
@pytest.mark.parametrize("nonfinite", ["raise", "skip", "propagate"])
@pytest.mark.parametrize("clip_norm", [0.5, 1e6])
def test_equals_the_recipe(model, session, make_optimizer, nonfinite, clip_norm):
    x, loss, variables = model
    optimizer, step = (
        ClippingOptimizer(make_optimizer(), clip_norm, nonfinite=nonfinite),
        tf.train.create_global_step(),
    )
    results = []
    for train in (
        optimizer.minimize(loss, step),
        by_hand(make_optimizer(), loss, variables, clip_norm, step),
    ):
        session.run(tf.global_variables_initializer())
        for batch in BATCHES:
            session.run(train, {x: batch})
        results.append(session.run(variables + [step]))
    for ours, theirs in zip(*results):
        np.testing.assert_allclose(ours, theirs, rtol=2e-5)


def mean_of_gradients(model, session, clip_norm=None):
    """Returns the mean of the batches' gradients, each clipped or not,
    from TensorFlow's own dense clip.
    """
    x, loss, variables = model
    pairs = dense_gradients(
        tf.train.GradientDescentOptimizer(1.0).compute_gradients(loss, variables)
    )[:2]
    gradients = [gradient for gradient, _ in pairs]
    if clip_norm is not None:
        gradients, _ = tf.clip_by_global_norm(gradients, clip_norm)
    session.run(tf.global_variables_initializer())
    return [
        np.mean(values, axis=0)
        for values in zip(*[session.run(gradients, {x: batch}) for batch in BATCHES])
    ]


@pytest.mark.parametrize("order", ["clip the mean", "clip each"])
def test_each_order_does_what_its_name_says(model, session, control_flow, order):
    x, loss, variables = model
    sgd = tf.train.GradientDescentOptimizer(1.0)
    if order == "clip the mean":
        optimizer = AccumulatingOptimizer(ClippingOptimizer(sgd, 2.0), 3)
        expected = mean_of_gradients(model, session)
        norm = np.sqrt(sum(np.sum(value**2) for value in expected))
        assert norm > 2
        expected = [value * 2 / norm for value in expected]
    else:
        optimizer = ClippingOptimizer(AccumulatingOptimizer(sgd, 3), 2.0)
        expected = mean_of_gradients(model, session, 2.0)
    step = tf.train.create_global_step()
    train = optimizer.minimize(loss, step)
    session.run(tf.global_variables_initializer())
    before = session.run(variables)
    for batch in BATCHES:
        session.run(train, {x: batch})
    for was, now, gradient in zip(before, session.run(variables), expected):
        np.testing.assert_allclose(was - now, gradient, rtol=2e-5, atol=1e-5)
    assert session.run(step) == 1


def clipped_outside(optimizer, pairs, step):
    optimizer = ClippingOptimizer(optimizer, 100.0, nonfinite="skip")
    train = optimizer.apply_gradients(pairs, step)
    return train, optimizer.step_applied, optimizer.dropped


def clipped_twice(optimizer, pairs, step):
    return clipped_outside(ClippingOptimizer(optimizer, 1e6), pairs, step)


def applied_by_the_guard(optimizer, pairs, step):
    guarded = tf1grad.drop_nonfinite(pairs)
    train = guarded.apply(optimizer, step)
    return train, train.outputs[0], guarded.dropped


def dropped_inside(optimizer, pairs, step):
    guarded = tf1grad.drop_nonfinite(pairs)
    train = optimizer.apply_gradients(guarded, step)
    return train, optimizer.step_applied, guarded.dropped


@BOTH_KINDS
@pytest.mark.parametrize("make_optimizer", OPTIMIZERS)
@pytest.mark.parametrize(
    "skip", [clipped_outside, clipped_twice, applied_by_the_guard, dropped_inside]
)
def test_a_bad_micro_batch_counts_with_the_weight_0(
    session, control_flow, variable_kind, skip, make_optimizer
):
    variable = tf.get_variable("v", initializer=np.float32([1, 2]))
    gradient, step = tf.placeholder(tf.float32, [2]), tf.train.create_global_step()
    accumulating = AccumulatingOptimizer(make_optimizer(), 2)
    train, applied, dropped = skip(accumulating, [(gradient, variable)], step)
    plain = make_optimizer().apply_gradients([(gradient, variable)])
    session.run(tf.global_variables_initializer())
    fed = [[1, 1], [np.nan, 1], [3, 5], [1, 3], [np.inf, 0], [0, -np.inf], [np.nan, 0], [2, 4]]
    found = [session.run([train, applied], {gradient: value})[1] for value in fed]
    assert found == [False, True, False, True, False, False, False, True]
    assert session.run([step, dropped]) == [3, 4]
    got = session.run(variable)
    session.run(tf.global_variables_initializer())
    for value in ([1, 1], [2, 4], [2, 4]):
        session.run(plain, {gradient: value})
    np.testing.assert_allclose(got, session.run(variable), rtol=1e-6)


@pytest.mark.parametrize("make_optimizer", OPTIMIZERS)
def test_a_bad_window_is_not_applied(session, control_flow, make_optimizer):
    variable, gradient = (
        tf.get_variable("v", initializer=np.float32([1, 2])),
        tf.placeholder(tf.float32, [2]),
    )
    clipping = ClippingOptimizer(make_optimizer(), 100.0, nonfinite="skip")
    step = tf.train.create_global_step()
    train = AccumulatingOptimizer(clipping, 2).apply_gradients([(gradient, variable)], step)
    session.run(tf.global_variables_initializer())
    for value in ([1, 1], [3, 5]):
        session.run(train, {gradient: value})
    with unchanged(session, *everything(clipping, step).values()):
        for value in ([1, 1], [np.nan, 5]):
            session.run(train, {gradient: value})
    assert session.run([step, clipping.dropped]) == [1, 1]
    for value in ([1, 1], [3, 5]):
        session.run(train, {gradient: value})
    assert session.run(step) == 2


def test_it_trains_as_contribs_clip_gradients_by_norm_did(graph, variable_kind):
    """Compares with TensorFlow 1.15.5's recorded values; no row comes twice there."""
    contrib = SimpleNamespace(estimator=SimpleNamespace(clip_gradients_by_norm=ClippingOptimizer))
    found = training_graphs.trained("estimator", variable_kind == "resource", contrib)
    recorded = records.read("whole_graphs")[f"estimator, {variable_kind}"]["values"]
    assert found == pytest.approx(recorded, rel=1e-5, abs=1e-6)

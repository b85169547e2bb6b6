"""Compares the old `tf.contrib` names with TensorFlow 1.15.5's recorded values, and with their formulas."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import records
import training_graphs
from steps import unchanged
from tf1grad import contrib
from tf1grad.contrib import estimator, layers, slim, training

RECORDED = records.read("whole_graphs")


@pytest.mark.parametrize(
    "name", [name for name in training_graphs.TRAINING if name != "layers, noise"]
)
def test_training_is_that_of_1_15(graph, variable_kind, name):
    """Tests all but noise, which has other numbers in a graph of other ops."""
    found = training_graphs.trained(name, variable_kind == "resource", contrib)
    assert found == pytest.approx(
        RECORDED[f"{name}, {variable_kind}"]["values"], rel=1e-5, abs=1e-6
    )


def test_gradient_noise(session):
    variable = tf.get_variable("v", initializer=np.zeros(4000, np.float32))
    step = layers.optimize_loss(
        tf.reduce_sum(variable * 0.0), None, 1.0, "SGD", gradient_noise_scale=0.5
    )
    session.run(tf.global_variables_initializer())
    session.run(step)
    values = session.run(variable)
    assert np.max(np.abs(values)) <= 1.0  # two standard deviations
    np.testing.assert_allclose(np.std(values), 0.5 * 0.8796, rtol=0.05)
    np.testing.assert_allclose(np.mean(values), 0, atol=0.04)


@pytest.mark.parametrize(
    "create_train_op",
    [training.create_train_op, slim.learning.create_train_op],
    ids=["training", "slim"],
)
def test_a_loss_that_is_not_finite_applies_nothing(session, create_train_op):
    factor, variable = tf.placeholder(tf.float32, []), tf.get_variable("v", initializer=[1.0, 2.0])
    train = create_train_op(tf.reduce_sum(variable * factor), tf.train.AdamOptimizer(0.1))
    assert tf.get_collection(tf.GraphKeys.TRAIN_OP)[-1] is train
    session.run(tf.global_variables_initializer())
    with unchanged(session, *tf.global_variables()), pytest.raises(
        tf.errors.InvalidArgumentError, match="LossTensor is inf or nan"
    ):
        session.run(train, {factor: np.inf})


def test_duplicate_rows_are_summed_before_the_norm(session):
    """Tests it where contrib takes the norm of the unmerged rows."""
    table = tf.get_variable("table", initializer=np.zeros([4, 2], np.float32))
    slices = tf.IndexedSlices(
        tf.constant([[3.0, 4.0], [3.0, 4.0]]), tf.constant([1, 1]), tf.constant([4, 2])
    )
    ((clipped, _),) = training.clip_gradient_norms([(slices, table)], 5.0)
    np.testing.assert_allclose(session.run(tf.convert_to_tensor(clipped))[1], [3, 4], rtol=1e-6)


ADAPTIVE = {
    "plain": {},
    "static": dict(static_max_norm=1.5),
    "other numbers": dict(std_factor=0.5, decay=0.5, epsilon=1e-3),
    "counted": dict(std_factor=0.1),
    "named": dict(name="mine", report_summary=True),
}


@pytest.mark.parametrize("case", sorted(ADAPTIVE))
def test_adaptive_clipping(case, session):
    dense, absent, table = [
        tf.get_variable(name, initializer=np.zeros(shape, np.float32))
        for name, shape in (("dense", [2]), ("absent", [1]), ("table", [3, 1]))
    ]
    fed, step = tf.placeholder(tf.float32, [2]), tf.train.create_global_step()
    slices = tf.IndexedSlices(tf.constant([[2.0]]), tf.constant([1]), tf.constant([3, 1]))
    options = dict(ADAPTIVE[case], global_step=step) if case == "counted" else ADAPTIVE[case]
    clipped = layers.adaptive_clipping_fn(**options)(
        [(fed, dense), (None, absent), (slices, table)]
    )
    assert clipped[1][0] is None and isinstance(clipped[2][0], tf.IndexedSlices)
    session.run(tf.global_variables_initializer())
    scope = "mine" if case == "named" else "AdaptiveMaxNorm"
    assert {variable.op.name for variable in tf.global_variables()} >= {
        scope + "/mean",
        scope + "/sq_mean",
    }
    assert len(tf.get_collection(tf.GraphKeys.SUMMARIES)) == (case == "named")
    mean = square = 0.0
    for number, values in enumerate([(3, 4), (1, 0.5), (300, 400), (0.1, 0.1), (1, 1)]):
        session.run(step.assign(number))
        found = session.run([clipped[0][0], clipped[2][0].values], {fed: values})
        norm = np.sqrt(np.sum(np.square(values)) + 4)
        epsilon, decay = options.get("epsilon", 1e-8), options.get("decay", 0.95)
        decay = min(decay, number / (number + 1.0)) if case == "counted" else decay
        mean = decay * mean + (1 - decay) * np.log(norm + epsilon)
        square = decay * square + (1 - decay) * np.log(norm + epsilon) ** 2
        limit = np.exp(
            mean + options.get("std_factor", 2.0) * np.sqrt(max(epsilon, square - mean**2))
        )
        factor = min(
            1.0 if norm < limit else np.exp(mean) / norm,
            options.get("static_max_norm", np.inf) / norm,
        )
        np.testing.assert_allclose(found[0], np.multiply(values, factor), rtol=2e-4)
        np.testing.assert_allclose(found[1], [[2 * factor]], rtol=2e-4)


def test_adaptive_clipping_keeps_its_averages_from_what_is_not_finite(session):
    v, fed = tf.get_variable("v", initializer=np.float32([0])), tf.placeholder(tf.float32, [1])
    ((clipped, _),) = layers.adaptive_clipping_fn()([(fed, v)])
    session.run(tf.global_variables_initializer())
    averages = [variable for variable in tf.global_variables() if variable is not v]
    session.run(clipped, {fed: [3]})
    with unchanged(session, *averages), pytest.raises(
        tf.errors.InvalidArgumentError, match="adaptive_clipping_fn"
    ):
        session.run(clipped, {fed: [np.inf]})


def test_global_norm_decorator(session):
    variables = [tf.get_variable(name, initializer=np.float32([0, 0])) for name in "ab"]
    optimizer = estimator.clip_gradients_by_norm(tf.train.GradientDescentOptimizer(1.0), 6.5)
    assert optimizer.get_name() == "ClipByNormGradientDescent"
    gradients = [tf.constant([3.0, 4.0]), tf.constant([0.0, 12.0])]
    train = optimizer.apply_gradients(list(zip(gradients, variables)))
    session.run(tf.global_variables_initializer())
    session.run(train)
    np.testing.assert_allclose(session.run(variables), [[-1.5, -2], [0, -6]], rtol=1e-6)

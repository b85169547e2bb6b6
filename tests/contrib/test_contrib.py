"""Compares the old `tf.contrib` names with their formulas and, where TF 1.15 is installed, with its `tf.contrib`."""

import importlib

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from steps import summary_values, unchanged
from tf1grad.contrib import estimator, layers, slim, training

# With a newer TensorFlow, this name would import the originals.
theirs = importlib.import_module("tensorflow.contrib") if tf.__version__.startswith("1.") else None


needs_contrib = pytest.mark.skipif(theirs is None, reason="tf.contrib exists only up to TensorFlow 1.15")


class Model:
    """Two layers and an embedding, an update op, and a few batches; built twice it is the same twice."""

    def __init__(self):
        self.x = tf.placeholder_with_default(np.float32([[1, 2], [-1, 3]]), [None, 2])
        with tf.variable_scope("model"):
            self.dense = tf.get_variable("dense", initializer=np.float32([1.5, -2]))
            self.table = tf.get_variable("table", initializer=np.float32([[1, 1], [2, -1], [3, 3]]))
            self.mean = tf.get_variable("mean", initializer=np.float32([0, 0]), trainable=False)
        rows = tf.nn.embedding_lookup(self.table, tf.constant([0, 2]))
        self.loss = tf.reduce_mean(tf.square(tf.reduce_sum(self.x * self.dense, 1) - tf.reduce_sum(rows)))
        self.step = tf.train.get_or_create_global_step()
        tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, self.mean.assign(0.5 * self.mean + tf.reduce_mean(self.x, 0)))

    def pairs(self):
        return tf.train.GradientDescentOptimizer(1.0).compute_gradients(self.loss)


BATCHES = [np.float32([[1, 2], [-1, 3]]), np.float32([[0.5, -1]]), np.float32([[2, 0], [1, 1], [0, 1]])]


def trained(build):
    """Returns the losses and all variables after a few steps of `build(model)`, and the summaries."""
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        model = Model()
        train = build(model)
        merged = tf.summary.merge_all()
        session.run(tf.global_variables_initializer())
        losses = [session.run(train, {model.x: batch}) for batch in BATCHES]
        state = {variable.op.name: session.run(variable) for variable in tf.global_variables()}
        return losses, state, {} if merged is None else sorted(summary_values(session.run(merged))[0])


def assert_same(build_ours, build_theirs):
    ours, theirs_ = trained(build_ours), trained(build_theirs)
    np.testing.assert_allclose(ours[0], theirs_[0], rtol=1e-5)
    assert sorted(ours[1]) == sorted(theirs_[1])
    for name, value in theirs_[1].items():
        np.testing.assert_allclose(ours[1][name], value, rtol=1e-5, atol=1e-6, err_msg=name)
    assert ours[2] == theirs_[2]




def _optimize_loss(**options):
    return lambda contrib, model: contrib.layers.optimize_loss(model.loss, model.step, **options)


def _create_train_op(module, optimizer=tf.train.AdamOptimizer, **options):
    def build(contrib, model):
        given = {name: option(contrib, model) if callable(option) else option for name, option in options.items()}
        namespace = contrib.training if module == "training" else contrib.slim.learning
        return namespace.create_train_op(model.loss, optimizer(0.1), **given)
    return build


def _clip_gradients_by_norm(contrib, model):
    estimator = contrib.estimator if contrib is not theirs else importlib.import_module(
        "tensorflow_estimator").contrib.estimator
    optimizer = estimator.clip_gradients_by_norm(tf.train.AdamOptimizer(0.1), 0.5)
    assert optimizer.get_name() == "ClipByNormAdam"
    with tf.control_dependencies([optimizer.minimize(model.loss, model.step)]):
        return tf.constant(0.0)


AS_CONTRIB = {
    "plain": _optimize_loss(learning_rate=0.1, optimizer="SGD"),
    "clipped": _optimize_loss(learning_rate=0.1, optimizer="Momentum", clip_gradients=0.5),
    "adam": _optimize_loss(
        learning_rate=0.1, optimizer="Adam", clip_gradients=2.0, summaries=layers.OPTIMIZER_SUMMARIES),
    "adagrad": _optimize_loss(learning_rate=0.1, optimizer=tf.train.AdagradOptimizer, name="scope"),
    "multipliers": _optimize_loss(learning_rate=0.1, optimizer="SGD", gradient_multipliers={"model/table:0": 0.25}),
    "decay": _optimize_loss(learning_rate=0.1, optimizer="RMSProp", learning_rate_decay_fn=lambda rate, step: (
        tf.train.exponential_decay(rate, step, 1, 0.5))),
    "no updates": _optimize_loss(
        learning_rate=None, optimizer=lambda: tf.train.FtrlOptimizer(0.1), update_ops=[], summaries=[]),
    "no step": _optimize_loss(learning_rate=0.1, optimizer=lambda rate: tf.train.MomentumOptimizer(rate, 0.5),
                              increment_global_step=False),
    "callable clip": _optimize_loss(learning_rate=0.1, optimizer=tf.train.GradientDescentOptimizer(0.2),
                                    clip_gradients=lambda pairs: [(g * 0.5, v) for g, v in pairs[:1]]),
    "training": _create_train_op("training", global_step=None),
    "training, no updates": _create_train_op("training", update_ops=[]),
    "slim": _create_train_op("slim"),
    "slim, summaries": _create_train_op("slim", summarize_gradients=True, check_numerics=False),
    "slim, clipped": _create_train_op(
        "slim", tf.train.AdagradOptimizer, clip_gradient_norm=0.5,
        gradient_multipliers=lambda _, model: {"model/dense": 0.01, model.table: 3.0},
        variables_to_train=lambda _, model: [model.dense, model.table]),
    "training, transforms": _create_train_op(
        "training", tf.train.GradientDescentOptimizer, transform_grads_fn=lambda contrib, _: lambda pairs: (
            contrib.training.clip_gradient_norms_fn(0.3)(
                contrib.training.multiply_gradients(pairs, {"model/table": 0.1})))),
    "clip_gradients_by_norm": _clip_gradients_by_norm,
}


@needs_contrib
@pytest.mark.parametrize("case", sorted(AS_CONTRIB))
def test_as_contrib(variable_kind, case):
    build = AS_CONTRIB[case]
    assert_same(lambda model: build(importlib.import_module("tf1grad.contrib"), model),
                lambda model: build(theirs, model))


@pytest.mark.parametrize("optimize_loss", [layers.optimize_loss] + ([theirs.layers.optimize_loss] if theirs else []),
                         ids=["ours", "theirs"][:2 if theirs else 1])
def test_gradient_noise(optimize_loss, session):
    variable = tf.get_variable("v", initializer=np.zeros(4000, np.float32))
    step = optimize_loss(tf.reduce_sum(variable * 0.0), None, 1.0, "SGD", gradient_noise_scale=0.5)
    session.run(tf.global_variables_initializer())
    session.run(step)
    values = session.run(variable)
    assert np.max(np.abs(values)) <= 1.0  # two standard deviations
    np.testing.assert_allclose(np.std(values), 0.5 * 0.8796, rtol=0.05)
    np.testing.assert_allclose(np.mean(values), 0, atol=0.04)


@needs_contrib
def test_gradient_noise_has_the_numbers_of_contrib():
    def step(optimize_loss):
        with tf.Graph().as_default(), tf.Session() as session:
            tf.set_random_seed(7)  # TensorFlow 1.15 counts ops: with one more or less the numbers are others
            table, kernel = [tf.get_variable(name, initializer=np.zeros([3, 2], np.float32)) for name in "ab"]
            loss = tf.reduce_sum(tf.nn.embedding_lookup(table, [0, 2])) + tf.reduce_sum(kernel)
            train = optimize_loss(loss, None, 1.0, "SGD", gradient_noise_scale=0.5, clip_gradients=1.0)
            session.run(tf.global_variables_initializer())
            session.run(train)
            return session.run([table, kernel])

    for ours, expected in zip(step(layers.optimize_loss), step(theirs.layers.optimize_loss)):
        np.testing.assert_allclose(ours, expected, rtol=1e-6)


def test_optimize_loss_by_formula(session):
    model = Model()
    gradients = [tf.convert_to_tensor(gradient) for gradient, _ in model.pairs()]
    train = layers.optimize_loss(model.loss, model.step, 0.1, "SGD", clip_gradients=0.5,
                                 gradient_multipliers={model.table: 4.0})
    session.run(tf.global_variables_initializer())
    dense, table = session.run([model.dense, model.table])
    slope_dense, slope_table = session.run(gradients)
    slope_table = slope_table * 4
    factor = 0.5 / np.sqrt(np.sum(slope_dense ** 2) + np.sum(slope_table ** 2))
    session.run(train)
    np.testing.assert_allclose(session.run(model.dense), dense - 0.1 * factor * slope_dense, rtol=1e-5)
    np.testing.assert_allclose(session.run(model.table), table - 0.1 * factor * slope_table, rtol=1e-5)
    np.testing.assert_allclose(session.run(model.mean), [0, 2.5])
    assert session.run(model.step) == 1


@pytest.mark.parametrize("create_train_op", [training.create_train_op, slim.learning.create_train_op],
                         ids=["training", "slim"])
def test_a_loss_that_is_not_finite_applies_nothing(session, create_train_op):
    model = Model()
    train = create_train_op(model.loss, tf.train.AdamOptimizer(0.1), update_ops=[])
    assert tf.get_collection(tf.GraphKeys.TRAIN_OP)[-1] is train
    session.run(tf.global_variables_initializer())
    with unchanged(session, *tf.global_variables()), pytest.raises(
            tf.errors.InvalidArgumentError, match="LossTensor is inf or nan"):
        session.run(train, {model.x: [[np.inf, 1]]})


def test_duplicate_rows_are_summed_before_the_norm(session):
    """Tests it where contrib takes the norm of the unmerged rows."""
    table = tf.get_variable("table", initializer=np.zeros([4, 2], np.float32))
    slices = tf.IndexedSlices(tf.constant([[3.0, 4.0], [3.0, 4.0]]), tf.constant([1, 1]), tf.constant([4, 2]))
    (clipped, _), = training.clip_gradient_norms([(slices, table)], 5.0)
    np.testing.assert_allclose(session.run(tf.convert_to_tensor(clipped))[1], [3, 4], rtol=1e-6)
    if theirs is not None:
        (wrong, _), = theirs.training.clip_gradient_norms([(slices, table)], 5.0)
        assert np.linalg.norm(session.run(tf.convert_to_tensor(wrong))) > 7


ADAPTIVE = {
    "plain": {}, "static": dict(static_max_norm=1.5), "other numbers": dict(std_factor=0.5, decay=0.5, epsilon=1e-3),
    "counted": dict(std_factor=0.1), "named": dict(name="mine", report_summary=True),
}


@pytest.mark.parametrize("case", sorted(ADAPTIVE))
@pytest.mark.parametrize("make", [layers.adaptive_clipping_fn] + (
    [importlib.import_module("tensorflow.contrib.layers.python.layers.optimizers").adaptive_clipping_fn]
    if theirs else []),
                         ids=["ours", "theirs"][:2 if theirs else 1])
def test_adaptive_clipping(make, case, session):
    dense, absent, table = [tf.get_variable(name, initializer=np.zeros(shape, np.float32))
                            for name, shape in (("dense", [2]), ("absent", [1]), ("table", [3, 1]))]
    fed, step = tf.placeholder(tf.float32, [2]), tf.train.create_global_step()
    slices = tf.IndexedSlices(tf.constant([[2.0]]), tf.constant([1]), tf.constant([3, 1]))
    options = dict(ADAPTIVE[case], global_step=step) if case == "counted" else ADAPTIVE[case]
    clipped = make(**options)([(fed, dense), (None, absent), (slices, table)])
    assert clipped[1][0] is None and isinstance(clipped[2][0], tf.IndexedSlices)
    session.run(tf.global_variables_initializer())
    scope = "mine" if case == "named" else "AdaptiveMaxNorm"
    assert {variable.op.name for variable in tf.global_variables()} >= {scope + "/mean", scope + "/sq_mean"}
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
        limit = np.exp(mean + options.get("std_factor", 2.0) * np.sqrt(max(epsilon, square - mean ** 2)))
        factor = min(1.0 if norm < limit else np.exp(mean) / norm, options.get("static_max_norm", np.inf) / norm)
        np.testing.assert_allclose(found[0], np.multiply(values, factor), rtol=2e-4)
        np.testing.assert_allclose(found[1], [[2 * factor]], rtol=2e-4)


def test_adaptive_clipping_keeps_its_averages_from_what_is_not_finite(session):
    v, fed = tf.get_variable("v", initializer=np.float32([0])), tf.placeholder(tf.float32, [1])
    (clipped, _), = layers.adaptive_clipping_fn()([(fed, v)])
    session.run(tf.global_variables_initializer())
    averages = [variable for variable in tf.global_variables() if variable is not v]
    session.run(clipped, {fed: [3]})
    with unchanged(session, *averages), pytest.raises(
            tf.errors.InvalidArgumentError, match="adaptive_clipping_fn"):
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

"""Compares the old `tf.contrib` names with their formulas and, where TF 1.15 is installed, with its `tf.contrib`."""

import importlib

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from steps import summary_values, unchanged
from tf1grad.contrib import estimator, layers, slim, training

# With a newer TensorFlow, this name would import the originals.
theirs = importlib.import_module("tensorflow.contrib") if tf.__version__.startswith("1.") else None


def _their_inner(path):
    return importlib.import_module("tensorflow.contrib." + path)


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


OPTIMIZE_LOSS = {
    "plain": dict(learning_rate=0.1, optimizer="SGD"),
    "clipped": dict(learning_rate=0.1, optimizer="Momentum", clip_gradients=0.5),
    "adam": dict(learning_rate=0.1, optimizer="Adam", clip_gradients=2.0, summaries=layers.OPTIMIZER_SUMMARIES),
    "adagrad": dict(learning_rate=0.1, optimizer=tf.train.AdagradOptimizer, name="scope"),
    "multipliers": dict(learning_rate=0.1, optimizer="SGD", gradient_multipliers={"model/table:0": 0.25}),
    "decay": dict(learning_rate=0.1, optimizer="RMSProp",
                  learning_rate_decay_fn=lambda rate, step: tf.train.exponential_decay(rate, step, 1, 0.5)),
    "no updates": dict(learning_rate=None, optimizer=lambda: tf.train.FtrlOptimizer(0.1), update_ops=[], summaries=[]),
    "no step": dict(learning_rate=0.1, optimizer=lambda rate: tf.train.MomentumOptimizer(rate, 0.5),
                    increment_global_step=False),
    "callable clip": dict(learning_rate=0.1, optimizer=tf.train.GradientDescentOptimizer(0.2),
                          clip_gradients=lambda pairs: [(g * 0.5, v) for g, v in pairs[:1]]),
}


@needs_contrib
@pytest.mark.parametrize("case", sorted(OPTIMIZE_LOSS))
def test_optimize_loss_as_contrib(variable_kind, case):
    arguments = OPTIMIZE_LOSS[case]
    assert_same(lambda model: layers.optimize_loss(model.loss, model.step, **arguments),
                lambda model: theirs.layers.optimize_loss(model.loss, model.step, **arguments))


CREATE_TRAIN_OP = {
    "plain": dict(),
    "no step": dict(global_step=None),
    "no updates": dict(update_ops=[]),
    "summaries": dict(summarize_gradients=True, check_numerics=False),
}


@needs_contrib
@pytest.mark.parametrize("module", ["training", "slim.learning"])
@pytest.mark.parametrize("case", sorted(CREATE_TRAIN_OP))
def test_create_train_op_as_contrib(variable_kind, module, case):
    def build(namespace):
        for name in module.split("."):
            namespace = getattr(namespace, name)
        return lambda model: namespace.create_train_op(model.loss, tf.train.AdamOptimizer(0.1),
                                                       **CREATE_TRAIN_OP[case])
    assert_same(build(importlib.import_module("tf1grad.contrib")), build(theirs))


@needs_contrib
def test_slim_clips_and_multiplies_as_contrib(variable_kind):
    def build(namespace):
        return lambda model: namespace.slim.learning.create_train_op(
            model.loss, tf.train.MomentumOptimizer(0.1, 0.9), clip_gradient_norm=0.5,
            gradient_multipliers={"model/dense": 0.01, model.table: 3.0}, variables_to_train=[model.dense, model.table])
    assert_same(build(importlib.import_module("tf1grad.contrib")), build(theirs))


@needs_contrib
def test_training_transforms_as_contrib(variable_kind):
    def build(namespace):
        return lambda model: namespace.training.create_train_op(
            model.loss, tf.train.GradientDescentOptimizer(0.1),
            transform_grads_fn=lambda pairs: namespace.training.clip_gradient_norms_fn(0.3)(
                namespace.training.multiply_gradients(pairs, {"model/table": 0.1})))
    assert_same(build(importlib.import_module("tf1grad.contrib")), build(theirs))


@needs_contrib
def test_clip_gradients_by_norm_as_contrib(variable_kind):
    def build(namespace):
        return lambda model: namespace.estimator.clip_gradients_by_norm(
            tf.train.AdamOptimizer(0.1), 0.5).minimize(model.loss, model.step)

    def with_losses(namespace):
        def builder(model):
            with tf.control_dependencies([build(namespace)(model)]):
                return tf.constant(0.0)
        return builder
    assert_same(with_losses(importlib.import_module("tf1grad.contrib")),
                with_losses(importlib.import_module("tensorflow_estimator").contrib))


def noise(session, optimize_loss):
    """Returns what an SGD step with rate 1 adds to a variable with gradient zero."""
    variable = tf.get_variable(f"v{len(tf.global_variables())}", initializer=np.zeros(4000, np.float32))
    step = optimize_loss(tf.reduce_sum(variable * 0.0), None, 1.0, "SGD", gradient_noise_scale=0.5,
                         variables=[variable], name=variable.op.name + "_train")
    session.run(tf.global_variables_initializer())
    session.run(step)
    return session.run(variable)


def assert_truncated_normal(values):
    assert np.max(np.abs(values)) <= 1.0  # two standard deviations
    np.testing.assert_allclose(np.std(values), 0.5 * 0.8796, rtol=0.05)
    np.testing.assert_allclose(np.mean(values), 0, atol=0.04)


def test_gradient_noise(session):
    assert_truncated_normal(noise(session, layers.optimize_loss))


@needs_contrib
def test_gradient_noise_of_contrib_is_the_same(session):
    assert_truncated_normal(noise(session, theirs.layers.optimize_loss))


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
    [_their_inner("layers.python.layers.optimizers").adaptive_clipping_fn] if theirs else []),
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


def test_the_decorated_optimizer_has_the_name_it_had(graph):
    decorated = [estimator.clip_gradients_by_norm(tf.train.AdamOptimizer(), 1.0)]
    if theirs is not None:
        decorated.append(importlib.import_module("tensorflow_estimator.contrib.estimator.python.estimator.extenders")
                         .clip_gradients_by_norm(tf.train.AdamOptimizer(), 1.0))
    assert {optimizer.get_name() for optimizer in decorated} == {"ClipByNormAdam"}


def test_global_norm_decorator(session):
    variables = [tf.get_variable(name, initializer=np.float32([0, 0])) for name in "ab"]
    optimizer = estimator.clip_gradients_by_norm(tf.train.GradientDescentOptimizer(1.0), 6.5)
    gradients = [tf.constant([3.0, 4.0]), tf.constant([0.0, 12.0])]
    train = optimizer.apply_gradients(list(zip(gradients, variables)))
    session.run(tf.global_variables_initializer())
    session.run(train)
    np.testing.assert_allclose(session.run(variables), [[-1.5, -2], [0, -6]], rtol=1e-6)

"""Tests that split_batch's second call of loss_fn starts from the same graph as the
first: the plain call's.
"""

import re

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import tf1grad

X = np.random.RandomState(1).randn(7, 3)
Y = X.sum(axis=1, keepdims=True) ** 2
layers = getattr(tf, "layers", None)
WITH_LAYERS = pytest.mark.skipif(
    not hasattr(layers, "dense"), reason="tf.layers is gone from TensorFlow 2.16 on"
)


def weight(name="w", size=3, **options):
    start = tf.constant_initializer(np.linspace(-1, 1, size).reshape(size, 1).tolist())
    return tf.get_variable(name, [size, 1], tf.float64, start, **options)


def penalty(w):
    return 0.1 * tf.reduce_sum(tf.square(w))


def squared_error(x, y):
    error = tf.reduce_mean(tf.square(x - y))
    tf.losses.add_loss(error)
    return error


def sum_of_all_losses():
    def loss_fn(x, y):
        squared_error(tf.matmul(x, weight()), y)
        return tf.losses.get_total_loss()

    return loss_fn


def sum_of_a_collection():
    def loss_fn(x, y):
        w = weight()
        tf.add_to_collection("losses", penalty(w))
        tf.add_to_collection("losses", tf.reduce_mean(tf.square(tf.matmul(x, w) - y)))
        return tf.add_n(tf.get_collection("losses"))

    return loss_fn


def sum_of_a_collection_that_was_not_empty():
    tf.add_to_collection("losses", penalty(weight("other", 2)))
    return sum_of_a_collection()


def regularized_variable():
    def loss_fn(x, y):
        w = weight(regularizer=penalty)
        tf.losses.add_loss(penalty(w), tf.GraphKeys.REGULARIZATION_LOSSES)
        squared_error(tf.matmul(x, w), y)
        return tf.losses.get_total_loss()

    return loss_fn


def regularized_variable_made_before():
    weight(regularizer=penalty)
    tf.get_variable_scope().reuse_variables()
    return regularized_variable()


def penalty_of_all_variables():
    def loss_fn(x, y):
        error = squared_error(tf.matmul(x, weight()) + weight("b", 1), y)
        return error + tf.add_n([penalty(variable) for variable in tf.trainable_variables()])

    return loss_fn


def scope_without_a_name():
    def loss_fn(x, y):
        for _ in range(2):
            with tf.variable_scope(None, default_name="layer"):
                x = tf.tanh(tf.matmul(x, tf.tile(weight(regularizer=penalty), [1, 3])))
        squared_error(x[:, :1], y)
        return tf.losses.get_total_loss()

    return loss_fn


def scope_made_before():
    with tf.variable_scope("model") as scope:
        pass

    def loss_fn(x, y):
        with tf.variable_scope(scope, reuse=tf.AUTO_REUSE):
            squared_error(tf.matmul(x, weight(regularizer=penalty)), y)
        return tf.losses.get_total_loss()

    return loss_fn


def scope_that_reuses():
    def loss_fn(x, y):
        with tf.variable_scope("model", reuse=tf.AUTO_REUSE):
            x = tf.tanh(tf.matmul(x, tf.tile(weight(), [1, 3])))
            return squared_error(tf.matmul(x, weight()), y)

    return loss_fn


def template_made_before():
    template = tf.make_template(
        "model", lambda x: tf.matmul(x, weight(regularizer=penalty)), create_scope_now_=True
    )

    def loss_fn(x, y):
        squared_error(template(x), y)
        return tf.losses.get_total_loss()

    return loss_fn


def template_made_inside():
    def loss_fn(x, y):
        template = tf.make_template("model", lambda x: tf.matmul(x, weight(regularizer=penalty)))
        squared_error(template(x) + template(2 * x), y)
        return tf.losses.get_total_loss()

    return loss_fn


def local_variable():
    def loss_fn(x, y):
        factor = tf.get_local_variable("factor", initializer=tf.constant(2.0, tf.float64))
        return squared_error(factor * tf.matmul(x, weight()), y)

    return loss_fn


def moving_average():
    def loss_fn(x, y):
        w = weight()
        average = tf.train.ExponentialMovingAverage(0.9)
        tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, average.apply([w]))
        return squared_error(tf.matmul(x, w + tf.stop_gradient(average.average(w))), y)

    return loss_fn


def metrics_and_summaries():
    def loss_fn(x, y):
        outputs = tf.matmul(x, weight())
        error = squared_error(outputs, y)
        mean, update = tf.metrics.mean(outputs)
        tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, update)
        tf.summary.scalar("mean", mean)
        tf.summary.scalar("error", error)
        return error

    return loss_fn


def loop_and_conditional():
    def loss_fn(x, y):
        w = weight(regularizer=penalty)
        _, outputs = tf.while_loop(
            lambda index, _: index < 3,
            lambda index, outputs: (index + 1, tf.tanh(outputs + tf.matmul(x, w))),
            [0, tf.zeros_like(y)],
        )
        outputs = tf.cond(
            tf.reduce_sum(w) > -9, lambda: outputs + tf.matmul(x, w), lambda: tf.zeros_like(y)
        )
        squared_error(outputs, y)
        return tf.losses.get_total_loss()

    return loss_fn


def variable_that_the_loss_does_not_use():
    def loss_fn(x, y):
        calls = tf.Variable(tf.zeros([]), trainable=False)
        tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, tf.assign_add(calls, 1.0))
        return squared_error(tf.matmul(x, weight()), y)

    return loss_fn


def functional_layers(**names):
    def loss_fn(x, y):
        for name in names.get("names", [None, None]):
            x = layers.dense(
                x,
                1,
                kernel_initializer=tf.constant_initializer(0.5),
                kernel_regularizer=penalty,
                activity_regularizer=lambda output: tf.reduce_sum(tf.square(output)),
                name=name,
            )
        squared_error(x, y)
        return tf.losses.get_total_loss()

    return loss_fn


def named_layers():
    return functional_layers(names=["one", "other"])


def layer_made_before():
    layer = layers.Dense(
        1, kernel_initializer=tf.constant_initializer(0.5), kernel_regularizer=penalty
    )

    def loss_fn(x, y):
        squared_error(layer(x), y)
        return tf.losses.get_total_loss()

    return loss_fn


def penalty_of_new_variables():
    def loss_fn(x, y):
        w = weight()
        if not tf.get_variable_scope().reuse:
            tf.add_to_collection("losses", penalty(w))
        return tf.add_n(tf.get_collection("losses") + [squared_error(tf.matmul(x, w), y)])

    return loss_fn


def plain_variables():
    def loss_fn(x, y):
        for name in ["one", None]:
            w = tf.Variable(tf.constant([[1.0], [-1.0], [0.5]], tf.float64), name=name)
            x = tf.tanh(tf.matmul(x, tf.tile(w, [1, 3])) + weight("b", 1, regularizer=penalty))
            tf.get_variable_scope().reuse_variables()
        squared_error(x[:, :1], y)
        return tf.losses.get_total_loss()

    return loss_fn


def partitioned_variable():
    def loss_fn(x, y):
        partitioner = tf.fixed_size_partitioner(2)
        ones = tf.ones_initializer()
        w = tf.get_variable("w", [3, 1], tf.float64, ones, penalty, partitioner=partitioner)
        squared_error(tf.matmul(x, w), y)
        return tf.losses.get_total_loss()

    return loss_fn


def penalty_of_a_collection_of_variables():
    def loss_fn(x, y):
        w = weight()
        tf.add_to_collection("weights", w)
        return squared_error(tf.matmul(x, w), y) + sum(map(penalty, tf.get_collection("weights")))

    return loss_fn


def custom_getters():
    def doubled(getter, name, *args, **options):
        return 2 * getter(name, *args, **options)

    def penalized(getter, name, *args, **options):
        variable = getter(name, *args, **options)
        tf.add_to_collection("losses", penalty(variable))
        return variable

    tf.get_variable_scope().set_custom_getter(doubled)

    def loss_fn(x, y):
        with tf.variable_scope("model", custom_getter=penalized):
            error = squared_error(tf.matmul(x, weight()), y)
        return tf.add_n([error] + tf.get_collection("losses"))

    return loss_fn


PROGRAMS = [
    penalty_of_a_collection_of_variables,
    custom_getters,
    penalty_of_new_variables,
    plain_variables,
    partitioned_variable,
    sum_of_all_losses,
    sum_of_a_collection,
    sum_of_a_collection_that_was_not_empty,
    regularized_variable,
    regularized_variable_made_before,
    penalty_of_all_variables,
    scope_without_a_name,
    scope_made_before,
    scope_that_reuses,
    template_made_before,
    template_made_inside,
    local_variable,
    moving_average,
    metrics_and_summaries,
    loop_and_conditional,
    variable_that_the_loss_does_not_use,
    pytest.param(functional_layers, marks=WITH_LAYERS),
    pytest.param(named_layers, marks=WITH_LAYERS),
    pytest.param(layer_made_before, marks=WITH_LAYERS),
]


def plain(loss_fn, batch):
    """Returns what split_batch does, computed from the whole batch; `loss_fn` is called once."""
    loss = loss_fn(*batch)
    variables = tf.trainable_variables()
    return loss, list(zip(tf.gradients(loss, variables), variables))


def name_of(entry):
    """Returns the name of an entry of a collection;
    without the numbers that TensorFlow gives to names of ops.
    """
    name = getattr(entry, "name", str(entry))
    return name if isinstance(entry, tf.Variable) else re.sub(r"_\d+(?=[:/]|$)", "", name)


def trained(build, way):
    """Returns (loss and gradients, collections, a later scope) of a program."""
    with tf.Graph().as_default() as graph:
        loss, pairs = way(build(), [tf.constant(X), tf.constant(Y)])
        left = {
            key: list(map(name_of, graph.get_collection(key)))
            for key in sorted(graph.get_all_collection_keys())
            if key not in (tf.GraphKeys.COND_CONTEXT, tf.GraphKeys.WHILE_CONTEXT)
        }
        with tf.variable_scope(None, default_name="layer") as scope:
            later = scope.name
        values = {v.op.name: g for g, v in pairs if g is not None}
        with tf.Session() as session:
            session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            results = session.run([loss, values])
            for key in (tf.GraphKeys.SUMMARIES, tf.GraphKeys.UPDATE_OPS, tf.GraphKeys.LOSSES):
                session.run(graph.get_collection(key))
    return results, {key: names for key, names in left.items() if names}, later


@pytest.mark.parametrize("build", PROGRAMS, ids=lambda build: build.__name__)
def test_loss_gradients_and_collections_are_those_of_the_plain_call(build, variable_kind):
    results, left, later = trained(
        build, lambda loss_fn, batch: tf1grad.split_batch(loss_fn, batch, 2)
    )
    (expected_loss, expected), expected_left, expected_later = trained(build, plain)
    np.testing.assert_allclose(results[0], expected_loss, rtol=1e-9)
    assert sorted(results[1]) == sorted(expected)
    for name, gradient in expected.items():
        np.testing.assert_allclose(results[1][name], gradient, rtol=1e-9, atol=1e-12, err_msg=name)
    assert left == expected_left
    assert later == expected_later


def noisy_loss(x, y):
    kept = tf.nn.dropout(x, rate=0.5, seed=3) + tf.random_normal([3], dtype=tf.float64, seed=5)
    return squared_error(tf.matmul(kept, weight()), y)


@pytest.mark.parametrize("graph_seed", [None, 4])
def test_each_slice_draws_what_a_run_of_its_micro_batch_draws(graph_seed, variable_kind):
    size, runs, parts = 2, 3, 4
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(graph_seed)
        x, y = [tf.placeholder(tf.float64, [None, array.shape[1]]) for array in (X, Y)]
        loss, pairs = plain(noisy_loss, [x, y])
        session.run(tf.global_variables_initializer())
        expected = []
        for _ in range(runs):
            found, sizes = [], []
            for start in range(0, len(X), size):
                part = slice(start, start + size)
                found.append(session.run([loss, pairs[0][0]], {x: X[part], y: Y[part]}))
                sizes.append(len(X[part]))
            assert len(sizes) == parts
            expected.append([np.average(values, axis=0, weights=sizes) for values in zip(*found)])
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(graph_seed)
        loss, pairs = tf1grad.split_batch(noisy_loss, [tf.constant(X), tf.constant(Y)], size)
        session.run(tf.global_variables_initializer())
        for expected_loss, expected_gradient in expected:
            found, gradient = session.run([loss, pairs[0][0]])
            np.testing.assert_allclose(found, expected_loss, rtol=1e-9)
            np.testing.assert_allclose(gradient, expected_gradient, rtol=1e-9)


def test_a_variable_with_a_random_start_is_one_in_both_calls(variable_kind):
    def loss_fn(x):
        return tf.reduce_mean(x * tf.Variable(lambda: tf.random_normal([3], dtype=tf.float64)))

    with tf.Graph().as_default(), tf.Session() as session:
        loss, ((gradient, variable),) = tf1grad.split_batch(loss_fn, [tf.constant(X)], 2)
        session.run(tf.global_variables_initializer())
        found, value, slope = session.run([loss, variable, gradient])
    np.testing.assert_allclose(found, np.mean(X * value), rtol=1e-9)
    np.testing.assert_allclose(slope, X.mean(axis=0) / 3, rtol=1e-9)


@pytest.mark.parametrize(
    "samples, size, rows", [(6, 2, 2), (6, 9, 6), (7, 2, None), (None, 2, None), (6, None, None)]
)
def test_slices_have_the_same_static_shape_in_both_calls(samples, size, rows, variable_kind):
    shapes = []

    def loss_fn(x):
        shapes.append(x.shape.as_list())
        return tf.reduce_mean(tf.matmul(x, weight()))

    with tf.Graph().as_default():
        x = tf.placeholder(tf.float64, [samples, 3])
        tf1grad.split_batch(loss_fn, x, tf.placeholder(tf.int32, []) if size is None else size)
    assert shapes == [[rows, 3]] * 2


@pytest.mark.parametrize("x_shape, y_shape", [(None, [7, 1]), ([7, 3], None)])
def test_a_tensor_without_a_known_rank_is_sliced(x_shape, y_shape, variable_kind):
    def loss_fn(x, y):
        outputs = tf.matmul(tf.reshape(x, [-1, 3]), weight())
        return squared_error(outputs, tf.reshape(y, [-1, 1]))

    with tf.Graph().as_default(), tf.Session() as session:
        x, y = tf.placeholder(tf.float64, x_shape), tf.placeholder(tf.float64, y_shape)
        loss, _ = tf1grad.split_batch(loss_fn, [x, y], 7)
        session.run(tf.global_variables_initializer())
        found = session.run(loss, {x: X, y: Y})
    np.testing.assert_allclose(
        found, np.mean((X @ np.linspace(-1, 1, 3)[:, None] - Y) ** 2), rtol=1e-9
    )


def kept_tensors():
    kept = []

    def loss_fn(x, y):
        kept.append(squared_error(tf.matmul(x, weight()), y))
        return tf.add_n(kept)

    return loss_fn


def memoized_model():
    outputs = []

    def loss_fn(x, y):
        outputs.append(tf.matmul(x, weight()))
        return squared_error(outputs[0], y)

    return loss_fn


def new_variables_by_their_number():
    def loss_fn(x, y):
        known = len(tf.trainable_variables())
        error = squared_error(tf.matmul(x, weight()), y)
        return error + sum(map(penalty, tf.trainable_variables()[known:]))

    return loss_fn


def another_variable_each_time():
    calls = []

    def loss_fn(x, y):
        calls.append(1)
        return squared_error(tf.matmul(x, weight(f"w{len(calls)}")), y)

    return loss_fn


@pytest.mark.parametrize(
    "build, message",
    [
        (kept_tensors, "used a tensor that its first call had computed"),
        (memoized_model, "used a tensor that its first call had computed"),
        (new_variables_by_their_number, "another loss at its second call.* w "),
        (another_variable_each_time, "new variables at its second call.*w2"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_second_call_that_computes_another_loss_is_refused(build, message, variable_kind):
    with tf.Graph().as_default() as graph:
        with pytest.raises(ValueError, match=f"split_batch: .*{message}"):
            tf1grad.split_batch(build(), [tf.constant(X), tf.constant(Y)], 2)
        losses = graph.get_collection(tf.GraphKeys.LOSSES)
        assert len(losses) == 1 and graph.is_fetchable(losses[0])

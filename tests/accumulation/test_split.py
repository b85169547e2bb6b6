"""Tests split_batch: the gradient of a whole batch from one run, slice by slice inside the graph."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import models
import tf1grad


def _dense(gradient, rows):
    return tf.math.unsorted_segment_sum(gradient.values, gradient.indices, rows)


@pytest.mark.parametrize("samples, size", [(1, 1), (1, 5), (6, 2), (7, 3), (7, 7), (5, 1)])
def test_loss_and_gradients_are_those_of_the_whole_batch(samples, size, session, control_flow):
    model = models.Model()
    loss, pairs = tf1grad.split_batch(model.loss_of, [model.x, model.ids, model.y], size)
    gradients = {variable.op.name: gradient for gradient, variable in pairs}
    assert gradients.pop("unused") is None and isinstance(gradients["table"], tf.IndexedSlices)
    rows = gradients["table"].indices
    gradients["table"] = _dense(gradients["table"], 6)
    session.run(tf.global_variables_initializer())
    batch = models.random_batch(samples, 0)
    expected_loss, expected, touched = models.loss_and_gradients(models.START, batch)
    actual_loss, actual, indices = session.run([loss, gradients, rows], model.feed_dict(batch))
    np.testing.assert_allclose(actual_loss, expected_loss, rtol=1e-9)
    models.assert_same_values(actual, expected)
    assert sorted(indices) == list(touched["table"])


def test_size_may_be_fed_and_change(session):
    model, size = models.Model(), tf.placeholder_with_default(tf.constant(4, tf.int64), [])
    loss, _ = tf1grad.split_batch(model.loss_of, [model.x, model.ids, model.y], size)
    session.run(tf.global_variables_initializer())
    batch = models.random_batch(10, 0)
    expected = models.loss_and_gradients(models.START, batch)[0]
    for number in (1, 3, 10, 100):
        feed_dict = model.feed_dict(batch)
        feed_dict[size] = number
        np.testing.assert_allclose(session.run(loss, feed_dict), expected, rtol=1e-9)


@pytest.mark.parametrize("number", [0, -1, -2 ** 31])
def test_a_fed_size_below_1_fails_in_the_run(number, session):
    model, size = models.Model(), tf.placeholder(tf.int32, [])
    loss, pairs = tf1grad.split_batch(model.loss_of, [model.x, model.ids, model.y], size)
    train_op = tf.train.GradientDescentOptimizer(0.1).apply_gradients(pairs)
    session.run(tf.global_variables_initializer())
    feed_dict = model.feed_dict(models.random_batch(6, 0))
    feed_dict[size] = number
    for fetch in (loss, train_op):
        with pytest.raises(tf.errors.InvalidArgumentError, match="split_batch: micro_batch_size must be at least 1"):
            session.run(fetch, feed_dict)
    models.assert_same_values(model.values(session), models.START)


@pytest.mark.parametrize("dtype, number", [(tf.int32, 2 ** 31 - 1), (tf.int32, 2 ** 30), (tf.int64, 2 ** 63 - 1)])
def test_a_size_larger_than_any_batch_is_the_whole_batch(dtype, number, session):
    model, size = models.Model(), tf.placeholder(dtype, [])
    loss, pairs = tf1grad.split_batch(model.loss_of, [model.x, model.ids, model.y], size)
    gradients = {variable.op.name: gradient for gradient, variable in pairs if gradient is not None}
    gradients["table"] = _dense(gradients["table"], 6)
    session.run(tf.global_variables_initializer())
    batch = models.random_batch(7, 0)
    feed_dict = model.feed_dict(batch)
    feed_dict[size] = number
    expected_loss, expected, _ = models.loss_and_gradients(models.START, batch)
    actual_loss, actual = session.run([loss, gradients], feed_dict)
    np.testing.assert_allclose(actual_loss, expected_loss, rtol=1e-9)
    models.assert_same_values(actual, expected)


def test_sum_over_samples(session):
    x = tf.placeholder(tf.float64, [None])
    w = tf.get_variable("w", initializer=tf.constant(2.0, tf.float64))
    loss, pairs = tf1grad.split_batch(lambda part: tf.reduce_sum(w * part), x, 2, reduction="sum")
    session.run(tf.global_variables_initializer())
    assert session.run([loss, pairs[0][0]], {x: [1, 2, 4, 8, 16]}) == [62, 31]


def test_variables_are_made_once_and_named_as_without_it(variable_kind):
    def loss_of(x):
        with tf.variable_scope("layer"):
            w = tf.get_variable("w", [3, 2], initializer=tf.ones_initializer())
        return tf.reduce_mean(tf.matmul(x, w))
    names = []
    for build in (loss_of, lambda x: tf1grad.split_batch(loss_of, x, 2)):
        with tf.Graph().as_default(), tf.variable_scope("model"):
            build(tf.zeros([5, 3]))
            names.append([variable.name for variable in tf.global_variables()])
    assert names[0] == names[1] == ["model/layer/w:0"]


def test_collections_hold_what_one_call_adds(graph):
    def loss_of(x):
        w = tf.get_variable("w", [3], initializer=tf.ones_initializer())
        loss = tf.reduce_mean(x * w)
        tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, loss.op)
        tf.losses.add_loss(loss)
        tf.summary.scalar("loss", loss)
        return loss
    tf1grad.split_batch(loss_of, tf.zeros([5, 3]), 2)
    for key in (tf.GraphKeys.UPDATE_OPS, tf.GraphKeys.LOSSES, tf.GraphKeys.SUMMARIES):
        assert len(tf.get_collection(key)) == 1, key
    assert len(tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES)) == 1


def test_every_slice_is_at_most_the_micro_batch(session):
    # What the loss sees is told by the loss itself: the mean over samples of the slice's length.
    w = tf.get_variable("w", initializer=1.0)
    loss, _ = tf1grad.split_batch(lambda x: w * tf.cast(tf.shape(x)[0], tf.float32), tf.zeros([10, 2]), 4)
    session.run(tf.global_variables_initializer())
    np.testing.assert_allclose(session.run(loss), (4 * 4 + 4 * 4 + 2 * 2) / 10)


def test_var_list_and_compute_gradients(session):
    model, calls = models.Model(), []
    optimizer = tf.train.GradientDescentOptimizer(0.1)

    def compute_gradients(loss, var_list):
        calls.append(var_list)
        return optimizer.compute_gradients(loss, var_list=var_list)
    chosen = [model.variables["bias"]]
    _, pairs = tf1grad.split_batch(model.loss_of, [model.x, model.ids, model.y], 2, chosen, compute_gradients)
    assert [variable.op.name for _, variable in pairs] == ["bias"]
    assert len(calls) == 2 and all([variable.op.name for variable in call] == ["bias"] for call in calls)
    session.run(tf.global_variables_initializer())
    batch = models.random_batch(5, 0)
    np.testing.assert_allclose(session.run(pairs[0][0], model.feed_dict(batch)),
                               models.loss_and_gradients(models.START, batch)[1]["bias"], rtol=1e-9)


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16], ids=lambda dtype: dtype.name)
def test_half_precision_is_summed_in_float32(dtype, session):
    x = tf.placeholder(dtype, [None])
    w = tf.get_variable("w", initializer=tf.constant(1.0, dtype))
    loss, pairs = tf1grad.split_batch(lambda part: tf.reduce_sum(w * part), x, 1, reduction="sum")
    session.run(tf.global_variables_initializer())
    one = float(session.run(tf.cast(tf.cast(1e-3, dtype), tf.float32)))
    assert loss.dtype == pairs[0][0].dtype == dtype
    wide = [tf.cast(value, tf.float32) for value in (loss, pairs[0][0])]
    np.testing.assert_allclose(session.run(wide, {x: [1e-3] * 2048}), [2048 * one] * 2, rtol=2.0 ** -7)


def test_unequal_batches_fail_in_the_run(session):
    a, b = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.float32, [None])
    w = tf.get_variable("w", initializer=1.0)
    loss, _ = tf1grad.split_batch(lambda x, y: w * tf.reduce_mean(x) * tf.reduce_mean(y), [a, b], 2)
    session.run(tf.global_variables_initializer())
    with pytest.raises(tf.errors.InvalidArgumentError, match="split_batch: the first dimensions in batch must be equa"):
        session.run(loss, {a: [1, 2, 3], b: [1, 2]})


def test_failing_slice_applies_nothing(session):
    model = models.Model()
    _, pairs = tf1grad.split_batch(model.loss_of, [model.x, model.ids, model.y], 2)
    train_op = tf.train.GradientDescentOptimizer(0.1).apply_gradients(pairs)
    session.run(tf.global_variables_initializer())
    x, ids, y = models.random_batch(6, 0)
    ids[-1] = 77
    for _ in range(20):
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(train_op, model.feed_dict((x, ids, y)))
    models.assert_same_values(model.values(session), models.START)

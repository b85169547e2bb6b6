"""Tests split_batch: the gradient of a whole batch from one run,
slice by slice inside the graph.
"""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import models
import tf1grad
from accumulation_methods import merged


@pytest.mark.parametrize(
    "samples, size, fed",
    [
        (1, 1, None),
        (1, 5, None),
        (6, 2, None),
        (7, 3, None),
        (7, 7, None),
        (5, 1, None),
        (7, 3, tf.int32),
        (7, 2**30, tf.int32),
        (7, 2**31 - 1, tf.int32),
        (7, 2**63 - 1, tf.int64),
    ],
)
def test_loss_and_gradients_are_those_of_the_whole_batch(samples, size, fed, session, control_flow):
    model, given = models.Model(), tf.placeholder(fed, []) if fed else size
    loss, pairs = tf1grad.split_batch(model.loss_of, [model.x, model.ids, model.y], given)
    gradients = {variable.op.name: gradient for gradient, variable in pairs}
    assert gradients.pop("unused") is None and isinstance(gradients["table"], tf.IndexedSlices)
    rows = gradients["table"].indices
    gradients["table"] = tf.math.unsorted_segment_sum(gradients["table"].values, rows, 6)
    session.run(tf.global_variables_initializer())
    batch = models.random_batch(samples, 0)
    feed_dict = merged(model.feed_dict(batch), {given: size} if fed else {})
    expected_loss, expected, touched = models.loss_and_gradients(models.START, batch)
    actual_loss, actual, indices = session.run([loss, gradients, rows], feed_dict)
    np.testing.assert_allclose(actual_loss, expected_loss, rtol=1e-9)
    models.assert_same_values(actual, expected)
    assert sorted(indices) == list(touched["table"])


@pytest.mark.parametrize(
    "size, rows, row, message",
    [
        (0, 6, 1, "split_batch: micro_batch_size must be at least 1"),
        (-(2**31), 6, 1, "split_batch: micro_batch_size must be at least 1"),
        (2, 5, 1, "split_batch: the first dimensions in batch must be equal"),
        (2, 6, 77, "77"),
    ],
    ids=["size 0", "negative size", "unequal", "failing slice"],
)
def test_a_run_that_fails_applies_nothing(size, rows, row, message, session):
    model, fed = models.Model(), tf.placeholder(tf.int32, [])
    loss, pairs = tf1grad.split_batch(model.loss_of, [model.x, model.ids, model.y], fed)
    train_op = tf.train.GradientDescentOptimizer(0.1).apply_gradients(pairs)
    session.run(tf.global_variables_initializer())
    x, ids, y = models.random_batch(6, 0)
    ids[-1] = row
    feed_dict = merged(model.feed_dict((x, ids, y[:rows])), {fed: size})
    for fetch in [loss] + [train_op] * 20:
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            session.run(fetch, feed_dict)
    models.assert_same_values(model.values(session), models.START)


def test_collections_hold_what_one_call_adds(variable_kind):
    def loss_of(x):
        with tf.variable_scope("layer"):
            w = tf.get_variable("w", [3, 2], initializer=tf.ones_initializer())
        loss = tf.reduce_mean(tf.matmul(x, w))
        tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, loss.op)
        tf.losses.add_loss(loss)
        tf.summary.scalar("loss", loss)
        return loss

    with tf.Graph().as_default(), tf.variable_scope("model"):
        tf1grad.split_batch(loss_of, tf.zeros([5, 3]), 2)
        for key in (tf.GraphKeys.UPDATE_OPS, tf.GraphKeys.LOSSES, tf.GraphKeys.SUMMARIES):
            assert len(tf.get_collection(key)) == 1, key
        assert [variable.name for variable in tf.global_variables()] == ["model/layer/w:0"]


def test_every_slice_is_at_most_the_micro_batch(session):
    # What the loss sees is told by the loss itself: the mean over samples of the slice's length.
    w = tf.get_variable("w", initializer=1.0)
    loss, _ = tf1grad.split_batch(
        lambda x: w * tf.cast(tf.shape(x)[0], tf.float32), tf.zeros([10, 2]), 4
    )
    session.run(tf.global_variables_initializer())
    np.testing.assert_allclose(session.run(loss), (4 * 4 + 4 * 4 + 2 * 2) / 10)


def test_var_list_and_compute_gradients(session):
    model, calls = models.Model(), []
    optimizer = tf.train.GradientDescentOptimizer(0.1)

    def compute_gradients(loss, var_list):
        calls.append(var_list)
        return optimizer.compute_gradients(loss, var_list=var_list)

    chosen = [model.variables["bias"]]
    _, pairs = tf1grad.split_batch(
        model.loss_of, [model.x, model.ids, model.y], 2, chosen, compute_gradients
    )
    assert [variable.op.name for _, variable in pairs] == ["bias"]
    assert len(calls) == 2 and all(
        [variable.op.name for variable in call] == ["bias"] for call in calls
    )
    session.run(tf.global_variables_initializer())
    batch = models.random_batch(5, 0)
    np.testing.assert_allclose(
        session.run(pairs[0][0], model.feed_dict(batch)),
        models.loss_and_gradients(models.START, batch)[1]["bias"],
        rtol=1e-9,
    )


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16], ids=lambda dtype: dtype.name)
def test_sums_over_samples_in_half_precision_are_taken_in_float32(dtype, session):
    x = tf.placeholder(dtype, [None])
    w = tf.get_variable("w", initializer=tf.constant(1.0, dtype))
    loss, pairs = tf1grad.split_batch(lambda part: tf.reduce_sum(w * part), x, 1, reduction="sum")
    session.run(tf.global_variables_initializer())
    one = float(session.run(tf.cast(tf.cast(1e-3, dtype), tf.float32)))
    assert loss.dtype == pairs[0][0].dtype == dtype
    wide = [tf.cast(value, tf.float32) for value in (loss, pairs[0][0])]
    np.testing.assert_allclose(
        session.run(wide, {x: [1e-3] * 2048}), [2048 * one] * 2, rtol=2.0**-7
    )


def test_the_part_of_a_short_last_slice_is_not_rounded_to_half_precision(session):
    x = tf.placeholder(tf.float16, [None])
    rows = tf.get_variable("rows", [2, 1], tf.float16, tf.ones_initializer())
    w = tf.get_variable("w", [], tf.float16, tf.ones_initializer())
    size = 50001  # its reciprocal has 9 bits in float16

    def mean(part):
        value = tf.reduce_mean(tf.cast(part, tf.float32))
        return tf.cast(value, tf.float16) * w * tf.gather(rows, [0])[0, 0]

    loss, pairs = tf1grad.split_batch(mean, x, size, var_list=[w, rows])
    assert isinstance(pairs[1][0], tf.IndexedSlices)
    dense = [loss, pairs[0][0], tf.convert_to_tensor(pairs[1][0])[0, 0]]
    session.run(tf.global_variables_initializer())
    actual = session.run(dense, {x: np.append(np.zeros(size), 30000)})
    np.testing.assert_allclose(actual, [30000 / (size + 1)] * 3, rtol=2.0**-11)

"""Tests feed_gradients: averages and sums of fetched gradients, in NumPy or in the graph,
fed through placeholders.
"""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import models
import tf1grad
from variable_kinds import BOTH_KINDS

BOTH = pytest.mark.parametrize("stacked", [False, True], ids=["average", "stacked"])


def _fed(pairs, stacked, reduction="mean"):
    fed = tf1grad.feed_gradients(pairs, stacked=stacked, reduction=reduction)
    return fed, [gradient for gradient, _ in fed.grads_and_vars]


@BOTH
@pytest.mark.parametrize("parts", [[[4, 1, 1], [], [0, 1]], [[], []]], ids=["some rows", "no rows"])
@pytest.mark.parametrize("weights", [None, [1, 0, 3], [0.5, 2.5, 1.0]], ids=str)
@pytest.mark.parametrize("reduction", ["mean", "sum"])
def test_reduced_gradients_have_each_row_once(reduction, weights, parts, stacked, session):
    table = tf.get_variable("table", initializer=tf.zeros([5, 2], tf.float64))
    bias = tf.get_variable("bias", initializer=tf.zeros([2], tf.float64))
    ids, x = tf.placeholder(tf.int32, [None]), tf.placeholder(tf.float64, [2])
    loss = tf.reduce_sum(tf.gather(table, ids) ** 2 + 3 * tf.gather(table, ids)) + tf.reduce_sum(
        bias * x
    )
    fed, (mean, mean_bias) = _fed(
        list(zip(tf.gradients(loss, [table, bias]), [table, bias])), stacked, reduction
    )
    session.run(tf.global_variables_initializer())
    weights, fed_x = weights and weights[: len(parts)], np.random.randn(len(parts), 2)
    fetched = [session.run(fed.fetches, {ids: part, x: value}) for part, value in zip(parts, fed_x)]
    dense = [
        3.0 * np.bincount(np.array(part, int), minlength=5)[:, None] * np.ones(2) for part in parts
    ]
    actual, actual_bias = session.run([mean, mean_bias], fed.feed_dict(iter(fetched), weights))
    assert len(set(actual.indices)) == len(actual.indices)
    total = np.zeros([5, 2])
    total[actual.indices] = actual.values
    for value, gradients in ((total, dense), (actual_bias, fed_x)):
        expected = np.average(gradients, axis=0, weights=weights)
        if reduction == "sum":
            expected = expected * np.sum(weights or [1] * len(parts))
        np.testing.assert_allclose(value, expected, rtol=1e-12)


@BOTH
def test_placeholders_have_the_static_shapes_of_the_gradients(stacked, graph):
    table = tf.get_variable("table", [5, 2, 3])
    bias = tf.get_variable("bias", [4])
    loss = tf.reduce_sum(tf.gather(table, [1, 2])) + tf.reduce_sum(bias)
    pairs = list(zip(tf.gradients(loss, [table, bias]), [table, bias]))
    fed, (of_table, of_bias) = _fed(pairs, stacked)
    assert of_table.values.shape.as_list() == [None, 2, 3]
    assert of_table.indices.shape.as_list() == [None] and of_bias.shape.as_list() == [4]


@BOTH_KINDS
@BOTH
def test_a_loop_that_adds_gradients_takes_the_same_steps(stacked, session):
    """The textbook loop, whose learning rate was chosen for the sum of its micro-batches."""
    model = models.Model()
    optimizer = tf.train.MomentumOptimizer(0.01, 0.9)
    pairs = [pair for pair in optimizer.compute_gradients(model.loss) if pair[0] is not None]
    batches = [model.feed_dict(models.random_batch(size, size)) for size in (2, 5, 3)]
    dense = [tf.convert_to_tensor(gradient) for gradient, _ in pairs]
    placeholders = [tf.placeholder(variable.dtype.base_dtype) for _, variable in pairs]
    theirs = optimizer.apply_gradients(
        [(fed, variable) for fed, (_, variable) in zip(placeholders, pairs)]
    )
    fed = tf1grad.feed_gradients(pairs, stacked=stacked, reduction="sum")
    ours = optimizer.apply_gradients(
        [(tf.convert_to_tensor(gradient), variable) for gradient, variable in fed.grads_and_vars]
    )
    ends = []
    for fetches in (dense, fed.fetches):
        session.run(tf.global_variables_initializer())
        for _ in range(3):
            fetched = [session.run(fetches, batch) for batch in batches]
            if fetches is dense:
                sums = [np.sum(values, axis=0) for values in zip(*fetched)]
                session.run(theirs, dict(zip(placeholders, sums)))
            else:
                session.run(ours, fed.feed_dict(fetched))
        ends.append(session.run([variable for _, variable in pairs]))
    for actual, expected in zip(*ends):
        np.testing.assert_allclose(actual, expected, rtol=1e-10)


@BOTH
def test_none_is_not_fetched_and_stays_in_its_place(stacked, graph):
    model = models.Model()
    pairs = tf.train.GradientDescentOptimizer(0.1).compute_gradients(model.loss)
    fed, means = _fed(pairs, stacked)
    assert len(fed.fetches) == 3
    assert [mean is None for mean in means] == [gradient is None for gradient, _ in pairs]
    assert [variable.name for _, variable in fed.grads_and_vars] == [
        variable.name for _, variable in pairs
    ]


@BOTH
@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16], ids=lambda dtype: dtype.name)
def test_half_precision_is_averaged_in_float32(dtype, stacked, session):
    v = tf.get_variable("v", initializer=tf.zeros([1], dtype))
    fed, (mean,) = _fed([(tf.ones([1], dtype), v)], stacked)
    # In half precision one more would be lost beside 2048.
    values = [
        [np.array([number]).astype(dtype.as_numpy_dtype)] for number in [2048.0] + [1.0] * 1023
    ]
    actual = session.run(tf.cast(mean, tf.float32), fed.feed_dict(values))
    np.testing.assert_allclose(actual, [(2048 + 1023) / 1024], rtol=2.0**-7)


@BOTH
def test_arrays_that_are_filled_again(stacked, session):
    table = tf.get_variable("table", initializer=tf.zeros([3, 1]))
    v = tf.get_variable("v", initializer=tf.zeros([1]))
    slices = tf.IndexedSlices(tf.ones([1, 1]), tf.constant([0]), tf.constant([3, 1]))
    fed, means = _fed([(tf.ones([1]), v), (tf.convert_to_tensor(slices), table)], stacked)
    sparse, (sparse_mean,) = _fed([(slices, table)], stacked)
    dense = [np.zeros(1, np.float32), np.zeros([3, 1], np.float32)]
    rows, indices = np.zeros([1, 1], np.float32), np.zeros(1, np.int32)

    def filled():
        for number in (1, 2, 6):
            dense[0][:], dense[1][:] = number, -number
            yield dense

    def filled_rows():
        for index, number in enumerate((3, 6, 9)):
            rows[:], indices[:] = number, index
            yield [(rows, indices)]

    mean, mean_table = session.run(means, fed.feed_dict(filled()))
    np.testing.assert_array_equal(mean, [3])
    np.testing.assert_array_equal(mean_table, [[-3]] * 3)
    actual = session.run(sparse_mean, sparse.feed_dict(filled_rows()))
    assert dict(zip(actual.indices, actual.values[:, 0])) == {0: 1, 1: 2, 2: 3}


def test_placeholders_are_named_after_the_variables(graph):
    with tf.variable_scope("layer"):
        w = tf.get_variable("w", initializer=tf.zeros([3]))
    fed = tf1grad.feed_gradients([(tf.ones([3]), w)], name="outside")
    assert fed.grads_and_vars[0][0].name == "outside/layer/w:0"
    assert fed.grads_and_vars[0][0].op.type == "Placeholder"

"""Tests GradientAccumulator: the contents of the window, its results,
and its state after a failure.
"""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import models
import tf1grad
from steps import unchanged
from tf1grad.recipes.sessions.memory import aligned_empty


def _linear(shape=(3,), dtype=tf.float64, **options):
    """Makes a variable w and a fed x with gradient x:
    `reduce_sum(w * x)`, and their accumulator.
    """
    x = tf.placeholder(dtype, shape, name="x")
    w = tf.get_variable("w", initializer=tf.zeros(shape, dtype))
    loss = tf.reduce_sum(w * x)
    pairs = tf.train.GradientDescentOptimizer(0.5).compute_gradients(loss)
    return x, w, tf1grad.GradientAccumulator(pairs, loss=loss, **options)


def _gradient(session, accumulator):
    return session.run(accumulator.grads_and_vars[0][0])


def _fill(session, accumulator, x, values):
    session.run(tf.global_variables_initializer())
    for value in values:
        session.run(accumulator.accumulate, {x: value})


@pytest.mark.parametrize(
    "dtype, reduction", [(np.float16, "mean"), (np.float32, "mean"), (np.float64, "sum")]
)
def test_means_and_sums_are_numpys(session, dtype, reduction):
    shapes, k = [(3, 5), (), (7,), (2, 2, 2)], 20
    draws = [
        [np.random.normal(size=shape + (1,))[..., 0].astype(dtype) for shape in shapes]
        for _ in range(k)
    ]
    weights = np.random.uniform(0.5, 2, k)
    weights[1] = 0
    variables = [
        tf.get_variable(f"w{index}", shape, dtype, tf.zeros_initializer())
        for index, shape in enumerate(shapes)
    ]
    unused = tf.get_variable("unused", [4], dtype, tf.zeros_initializer())
    fed = [tf.placeholder(dtype, shape) for shape in shapes]
    weight = tf.placeholder(tf.float64, [])
    pairs = [(tf.identity(value), variable) for value, variable in zip(fed, variables)]
    pairs.insert(2, (None, unused))
    accumulator = tf1grad.GradientAccumulator(
        pairs, loss=tf.cast(weight * 2, dtype), weight=weight, reduction=reduction
    )
    assert accumulator.average_loss.dtype == dtype
    assert [id(variable) for _, variable in accumulator.grads_and_vars] == [
        id(variable) for _, variable in pairs
    ]
    results = [gradient for gradient, _ in accumulator.grads_and_vars]
    assert results.pop(2) is None
    session.run(tf.global_variables_initializer())
    for length in (1, k):
        session.run(accumulator.reset)
        for draw, number in zip(draws[:length], weights):
            session.run(accumulator.accumulate, dict(zip(fed + [weight], draw + [number])))
        used, eps = weights[:length], np.finfo(dtype).eps
        scale = 1 if reduction == "mean" else used.sum()
        for ours, parts, variable in zip(session.run(results), zip(*draws[:length]), variables):
            assert ours.dtype == dtype and ours.shape == tuple(variable.shape.as_list())
            expected = np.average(np.float64(parts), axis=0, weights=used) * scale
            np.testing.assert_allclose(ours, expected, rtol=2 * eps, atol=eps * scale)
        np.testing.assert_allclose(session.run(accumulator.total_weight), used.sum())
        np.testing.assert_allclose(
            session.run(accumulator.average_loss), np.average(2 * used, weights=used), rtol=2 * eps
        )


def test_gradient_that_is_a_variable_counts_with_its_value_in_that_run(session):
    weights, computed = [
        tf.get_variable(name, initializer=np.float64([1, 2])) for name in ("weights", "computed")
    ]
    accumulator = tf1grad.GradientAccumulator([(computed, weights)])
    session.run(tf.global_variables_initializer())
    session.run(accumulator.accumulate)
    session.run(computed.assign([3, 6]))
    session.run(accumulator.accumulate)
    np.testing.assert_allclose(_gradient(session, accumulator), [2, 4], rtol=1e-12)


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16], ids=["float16", "bfloat16"])
def test_half_precision_is_summed_in_float32(dtype, session):
    x = tf.placeholder(dtype, [])
    w, table = (
        tf.get_variable("w", initializer=tf.zeros([], dtype)),
        tf.get_variable("table", [3, 1], dtype),
    )
    rows = tf.IndexedSlices(tf.reshape(x, [1, 1]), tf.constant([2]), tf.constant([3, 1]))
    accumulator = tf1grad.GradientAccumulator([(tf.identity(x), w), (rows, table)], reduction="sum")
    (dense, _), (sparse, _) = accumulator.grads_and_vars
    assert dense.dtype == sparse.dtype == dtype
    for _ in range(1024):
        session.run(accumulator.accumulate, {x: 1e-3})
    # In bfloat16 the sum would stay at 0.5, where 1e-3 is below half a unit in the last place; in
    # float16 it drifts.
    values = [
        tf.cast(value, tf.float64) for value in (dense, sparse.values[0, 0], tf.cast(1e-3, dtype))
    ]
    *sums, one = session.run(values)
    np.testing.assert_allclose(sums, [1024 * one] * 2, rtol=2.0**-8)


def test_memory_is_not_shared_with_the_arrays_that_are_fed(session):
    # A NumPy array that starts on 64 bytes is fed without a copy; each gradient is what is fed.
    fed = [
        tf.placeholder(tf.float32, [1024]),
        tf.placeholder(tf.float32, [8, 16]),
        tf.placeholder(tf.int32, [8]),
    ]
    w, table = tf.get_variable("w", [1024]), tf.get_variable("table", [9, 16])
    accumulator = tf1grad.GradientAccumulator(
        [(fed[0], w), (tf.IndexedSlices(fed[1], fed[2], tf.constant([9, 16])), table)]
    )
    means = [tf.convert_to_tensor(gradient) for gradient, _ in accumulator.grads_and_vars]
    buffers = [aligned_empty(x.shape.as_list(), x.dtype.as_numpy_dtype) for x in fed]
    accumulate = session.make_callable(accumulator.accumulate, fed)
    for value in (1.0, 2.0, 6.0):
        for buffer, values in zip(buffers, (value, value, np.arange(8))):
            buffer[:] = values
        accumulate(*buffers)
        for buffer in buffers:
            buffer[:] = 8
    dense, sparse = session.run(means)
    np.testing.assert_array_equal(dense, np.full(1024, 3.0))
    np.testing.assert_array_equal(sparse, [[3.0] * 16] * 8 + [[0.0] * 16])


def test_partitioned_variables(session):
    x, ids = tf.placeholder(tf.float32, [None, 4]), tf.placeholder(tf.int32, [None])
    with tf.variable_scope("", partitioner=tf.fixed_size_partitioner(3)):
        w, table = tf.get_variable("w", [4, 2]), tf.get_variable("table", [5, 2])
    rows = tf.nn.embedding_lookup(table, ids, partition_strategy="div")
    loss = tf.reduce_mean(tf.matmul(x, tf.convert_to_tensor(w)) ** 2) + tf.reduce_mean(rows**2)
    pairs = tf.train.GradientDescentOptimizer(0.1).compute_gradients(loss)
    assert len(pairs) == 6, "the variables are not partitioned"
    accumulator = tf1grad.GradientAccumulator(pairs)
    full, mean = [
        [tf.convert_to_tensor(gradient) for gradient, _ in listed]
        for listed in (pairs, accumulator.grads_and_vars)
    ]
    session.run(tf.global_variables_initializer())
    inputs, numbers = np.random.randn(6, 4), np.array([0, 4, 4, 1, 0, 2])
    for part in (slice(0, 3), slice(3, 6)):
        session.run(accumulator.accumulate, {x: inputs[part], ids: numbers[part]})
    for actual, expected in zip(session.run(mean), session.run(full, {x: inputs, ids: numbers})):
        np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-7)


def test_variables_used_inside_control_flow(session, control_flow):
    x = tf.placeholder(tf.float32, [2, 2])
    w = tf.get_variable("w", initializer=[[1.0, 2.0], [3.0, 4.0]])
    loss = tf.cond(
        x[0, 0] > 0, lambda: tf.reduce_sum(tf.matmul(x, w) ** 2), lambda: tf.reduce_sum(w)
    )
    optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
    pairs = optimizer.compute_gradients(loss, var_list=[w])
    accumulator = tf1grad.GradientAccumulator(pairs, loss=loss)
    apply = accumulator.apply(optimizer)
    session.run(tf.global_variables_initializer())
    values = [np.full([2, 2], 0.5), np.full([2, 2], -1.0)]
    start = session.run(w.read_value())
    expected = np.mean([session.run(pairs[0][0], {x: value}) for value in values], axis=0)
    for value in values:
        session.run(accumulator.accumulate, {x: value})
    np.testing.assert_allclose(_gradient(session, accumulator), expected, rtol=1e-5)
    session.run(apply)
    np.testing.assert_allclose(session.run(w.read_value()), start - 0.1 * expected, rtol=1e-5)


def test_a_gradient_that_lost_its_shape_gets_the_variable_s(session):
    w = tf.get_variable("w", initializer=tf.zeros([2, 3]))
    shapeless = tf.placeholder(tf.float32, None)
    accumulator = tf1grad.GradientAccumulator([(shapeless, w)])
    assert accumulator.grads_and_vars[0][0].shape.as_list() == [2, 3]
    session.run(tf.global_variables_initializer())
    with pytest.raises(tf.errors.InvalidArgumentError):
        session.run(accumulator.accumulate, {shapeless: np.ones([3, 2])})
    assert session.run(accumulator.count) == 0


class TestFailure:
    """A run that fails leaves the window as it was."""

    @pytest.mark.parametrize("before", [0, 2])
    def test_failing_gradient_leaves_every_sum(self, before, session):
        model = models.Model()
        pairs = tf.train.GradientDescentOptimizer(0.1).compute_gradients(model.loss)
        # Only the last pair fails; the sums of the others would be written first if nothing held
        # them back.
        present = [pair for pair in pairs if pair[0] is not None]
        checked = tf.IndexedSlices(
            tf.debugging.check_numerics(present[-1][0].values, "bad"), present[-1][0].indices
        )
        accumulator = tf1grad.GradientAccumulator(
            present[:-1] + [(checked, present[-1][1])], loss=model.loss
        )
        window = [accumulator.count, accumulator.total_weight, accumulator.average_loss]
        if before:
            window += [tf.convert_to_tensor(gradient) for gradient, _ in accumulator.grads_and_vars]
        session.run(tf.global_variables_initializer())
        batches = [models.random_batch(4, seed) for seed in range(before + 1)]
        for batch in batches[:before]:
            session.run(accumulator.accumulate, model.feed_dict(batch))
        state = session.run(window)
        bad = batches[-1][:2] + (batches[-1][2] * np.inf,)
        for _ in range(20):
            with pytest.raises(tf.errors.InvalidArgumentError):
                session.run(accumulator.accumulate, model.feed_dict(bad))
            for found, expected in zip(session.run(window), state):
                np.testing.assert_array_equal(found, expected)

    @pytest.mark.parametrize("weight", [-1.0, np.nan, np.inf])
    def test_bad_weight_leaves_the_window(self, weight, session):
        fed = tf.placeholder(tf.float32, [])
        x, _, accumulator = _linear(weight=fed)
        session.run(tf.global_variables_initializer())
        session.run(accumulator.accumulate, {x: np.ones(3), fed: 2.0})
        with pytest.raises(
            tf.errors.InvalidArgumentError, match="weight must be finite and not negative"
        ):
            session.run(accumulator.accumulate, {x: np.ones(3), fed: weight})
        assert session.run([accumulator.count, accumulator.total_weight]) == [1, 2]

    def test_a_weight_for_each_sample_is_told_in_the_run(self, session):
        fed = tf.placeholder(tf.float32)
        x, _, accumulator = _linear(weight=fed)
        session.run(tf.global_variables_initializer())
        with pytest.raises(tf.errors.InvalidArgumentError, match="weight_must_be_a_scalar"):
            session.run(accumulator.accumulate, {x: np.ones(3), fed: [1.0, 1.0]})

    @pytest.mark.parametrize("reduction, weight", [("mean", None), ("sum", None), ("mean", 0.0)])
    def test_apply_on_an_empty_window_changes_nothing(self, reduction, weight, session):
        model = models.Model()
        optimizer = tf.train.AdamOptimizer(0.1)
        global_step = tf.train.get_or_create_global_step()
        accumulator = tf1grad.GradientAccumulator(
            optimizer.compute_gradients(model.loss), reduction=reduction, weight=weight
        )
        apply = accumulator.apply(optimizer, global_step)
        session.run(tf.global_variables_initializer())
        if weight is not None:
            session.run(accumulator.accumulate, model.feed_dict(models.random_batch(4, 0)))
        everything = tf.global_variables()
        assert len(everything) >= 4 + 2 * 3 + 2 + 1  # values, slots, beta powers, global_step
        with unchanged(session, *everything):
            for _ in range(20):
                with pytest.raises(
                    tf.errors.InvalidArgumentError,
                    match="nothing was accumulated.*run `accumulate`",
                ):
                    session.run(apply)

    def test_reading_an_empty_window_is_an_error(self, session):
        x, _, accumulator = _linear()
        _fill(session, accumulator, x, [np.ones(3)])
        _gradient(session, accumulator)
        session.run(accumulator.reset)
        with pytest.raises(tf.errors.InvalidArgumentError, match="nothing was accumulated"):
            _gradient(session, accumulator)
        assert np.isnan(session.run(accumulator.average_loss))

"""Tests sparse sums: their buffers grow with the touched rows, not with the table."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import tf1grad


class Table:
    """A table with a fed gradient: rows `values` at `indices`."""

    def __init__(self, rows=7, dense=False):
        variable = tf.get_variable("table", [rows, 2], tf.float64, tf.zeros_initializer())
        self.values, self.indices = (
            tf.placeholder(tf.float64, [None, 2]),
            tf.placeholder(tf.int32, [None]),
        )
        slices = tf.IndexedSlices(self.values, self.indices, tf.constant([rows, 2]))
        self.accumulator = tf1grad.GradientAccumulator([(slices, variable)], dense=dense)
        self.mean = self.accumulator.grads_and_vars[0][0]

    def accumulate(self, session, parts):
        for values, indices in parts:
            session.run(self.accumulator.accumulate, {self.values: values, self.indices: indices})


def _parts(counts, rows=7, seed=0):
    random = np.random.RandomState(seed)
    return [(random.randn(count, 2), random.randint(0, rows, count)) for count in counts]


def _dense(parts, rows=7):
    total = np.zeros([rows, 2])
    for values, indices in parts:
        np.add.at(total, indices, values)
    return total


def _as_dense(slices, rows=7):
    assert len(set(slices.indices)) == len(slices.indices), f"a row comes twice: {slices.indices}"
    total = np.zeros([rows, 2])
    total[slices.indices] = slices.values
    return total


@pytest.mark.parametrize("dense", [False, True])
@pytest.mark.parametrize(
    "counts", [[3], [1] * 20, [1, 8, 2, 30, 1], [0, 3], [3, 0, 0, 2], [0, 0], [40, 1, 1]], ids=str
)
def test_mean_is_the_dense_mean_however_the_buffer_grows(counts, dense, session):
    table = Table(dense=dense)
    for seed in range(2):  # the second window reuses the buffers of the first
        parts = _parts(counts, seed=seed)
        session.run(table.accumulator.reset)
        table.accumulate(session, parts)
        mean = session.run(table.mean)
        assert dense or mean.dense_shape.tolist() == [7, 2]
        np.testing.assert_allclose(
            mean if dense else _as_dense(mean), _dense(parts) / len(counts), rtol=1e-12
        )


def test_buffer_grows_with_the_touched_rows_and_not_with_the_table(session):
    rows = 1000000
    table = Table(rows=rows)
    state = [
        op
        for op in session.graph.get_operations()
        if op.type == "VarHandleOp" and "accumulator" in op.name
    ]
    assert [
        op.name
        for op in state
        if op.get_attr("shape").dim and op.get_attr("shape").dim[0].size == rows
    ] == []
    (buffer,) = [op for op in state if op.name.endswith("_rows")]
    allocated = tf.raw_ops.VariableShape(input=buffer.outputs[0])[0]
    parts = _parts([5] * 60, rows=8)  # 300 rows come, 8 are different
    for part in parts:
        table.accumulate(session, [part])
        # A micro-batch's own rows may lie beside the touched ones until the next merge.
        assert session.run(allocated) <= 2 * (8 + 5)
    np.testing.assert_allclose(
        _as_dense(session.run(table.mean), rows)[:8], _dense(parts, 8) / 60, rtol=1e-12
    )


def test_rows_of_more_dimensions(session):
    variable = tf.get_variable("deep", [5, 2, 3], tf.float64, tf.ones_initializer())
    ids = tf.placeholder(tf.int64, [None])
    pairs = [(tf.gradients(tf.reduce_sum(tf.gather(variable, ids) ** 2), variable)[0], variable)]
    accumulator = tf1grad.GradientAccumulator(pairs)
    optimizer = tf.train.GradientDescentOptimizer(0.25)
    apply = accumulator.apply(optimizer)
    session.run(tf.global_variables_initializer())
    for numbers in ([1, 1, 4], [1]):
        session.run(accumulator.accumulate, {ids: numbers})
    session.run(apply)
    expected = np.ones([5, 2, 3])
    expected[[1, 4]] -= 0.25 * 2 * np.array([3, 1]).reshape(2, 1, 1) / 2
    np.testing.assert_allclose(session.run(variable.read_value()), expected)


class Noted(tf.train.GradientDescentOptimizer):
    """Notes what it is given."""

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        self.given = list(grads_and_vars)
        return super().apply_gradients(self.given, global_step, name)


def explicit(optimizer, pairs, **options):
    accumulator = tf1grad.GradientAccumulator(pairs, reduction="sum", **options)
    apply = accumulator.apply(optimizer)

    def take(session, feed_dicts):
        for feed_dict in feed_dicts:
            session.run(accumulator.accumulate, feed_dict)
        return session.run(apply)

    return take


def dense(optimizer, pairs):
    return explicit(optimizer, pairs, dense=True)


def step(optimizer, pairs):
    return tf1grad.GradientAccumulator(pairs, reduction="sum").step(optimizer)


def flushed(optimizer, pairs, batches_per_step=4):
    wrapper = tf1grad.AccumulatingOptimizer(optimizer, batches_per_step, reduction="sum")
    train_op, flush = wrapper.apply_gradients(pairs), wrapper.flush()
    return lambda session, feed_dicts: (
        [session.run(train_op, feed_dict) for feed_dict in feed_dicts] + [session.run(flush)]
    )


def wrapped(optimizer, pairs):
    return flushed(optimizer, pairs, 3)  # the window is empty when it is flushed


# What one step from ones makes of the sum of a row's gradients. A rate of 0.125 is the same in
# float32, as which it is given.
OPTIMIZERS = {
    "SGD": (lambda: tf.train.GradientDescentOptimizer(0.125), lambda total: 1 - total / 8),
    "Adagrad": (
        lambda: tf.train.AdagradOptimizer(0.125, 0.5),
        lambda total: 1 - total / 8 / np.sqrt(0.5 + total**2),
    ),
    "its own apply_gradients": (lambda: Noted(0.125), lambda total: 1 - total / 8),
}


@pytest.mark.parametrize("form", [explicit, step, wrapped, flushed])
@pytest.mark.parametrize("kind", OPTIMIZERS)
def test_rows_that_come_several_times_are_one_step(form, kind, session):
    table = tf.get_variable("table", [7, 2], tf.float64, tf.ones_initializer())
    values, indices = tf.placeholder(tf.float64, [None, 2]), tf.placeholder(tf.int32, [None])
    make_optimizer, expected = OPTIMIZERS[kind]
    optimizer = make_optimizer()
    take = form(optimizer, [(tf.IndexedSlices(values, indices, tf.constant([7, 2])), table)])
    session.run(tf.global_variables_initializer())
    parts = _parts([5, 4, 6])
    take(session, [{values: rows, indices: numbers} for rows, numbers in parts])
    np.testing.assert_allclose(session.run(table), expected(_dense(parts)), rtol=1e-12)
    if isinstance(optimizer, Noted):  # it may not know of equal rows
        ((gradient, _),) = optimizer.given
        assert gradient.indices.op.type == "Unique"


@pytest.mark.parametrize("form", [explicit, dense, step, wrapped, flushed])
def test_half_precision_rows_that_come_several_times_are_summed_in_float32(form, session):
    table = tf.get_variable("table", [3, 1], tf.float16, tf.zeros_initializer())
    # 1 + small is 1 in float16, 1 + 2 * small is not.
    value, small = (
        tf.placeholder(tf.float16, []),
        2.0**-11,
    )
    rows = tf.IndexedSlices(tf.fill([2, 1], value), tf.constant([1, 1]), tf.constant([3, 1]))
    take = form(tf.train.GradientDescentOptimizer(1.0), [(rows, table)])
    session.run(tf.global_variables_initializer())
    take(session, [{value: 0.5}, {value: small / 2}, {value: small / 2}])
    np.testing.assert_array_equal(session.run(table), [[0], [-1 - 2 * small], [0]])

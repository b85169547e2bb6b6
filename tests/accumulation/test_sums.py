"""Tests sparse sums: their buffers grow with the touched rows, not with the table."""

import copy
import time

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import tf1grad
from tf1grad.accumulation import stores
from tf1grad.gradients.grads_and_vars import merge_duplicate_rows
from tf1grad.sessions.memory import aligned_empty


class Table:
    """A table with a fed gradient: rows `values` at `indices`."""

    def __init__(self, rows=7, width=2, dtype=tf.float64, **options):
        self.variable = tf.get_variable("table", [rows, width], dtype, tf.zeros_initializer())
        self.values = tf.placeholder(dtype, [None, width])
        self.indices = tf.placeholder(tf.int32, [None])
        slices = tf.IndexedSlices(self.values, self.indices, tf.constant([rows, width]))
        self.accumulator = tf1grad.GradientAccumulator([(slices, self.variable)], **options)
        self.mean = self.accumulator.grads_and_vars[0][0]

    def accumulate(self, session, parts):
        for values, indices in parts:
            session.run(self.accumulator.accumulate, {self.values: values, self.indices: indices})


def _parts(counts, rows=7, width=2, seed=0):
    random = np.random.RandomState(seed)
    return [(random.randn(count, width), random.randint(0, rows, count)) for count in counts]


def _dense(parts, rows=7, width=2):
    total = np.zeros([rows, width])
    for values, indices in parts:
        np.add.at(total, indices, values)
    return total


def _as_dense(slices, rows=7):
    assert len(set(slices.indices)) == len(slices.indices), f"a row comes twice: {slices.indices}"
    total = np.zeros([rows, slices.values.shape[1]])
    total[slices.indices] = slices.values
    return total


def _buffer_rows(graph):
    """Rows allocated for the sum, as a tensor, seen in the graph's only variable of that name."""
    handles = [op for op in graph.get_operations() if op.type == "VarHandleOp" and op.name.endswith("_rows")]
    assert len(handles) == 1
    return tf.raw_ops.VariableShape(input=handles[0].outputs[0])[0]


@pytest.mark.parametrize("counts", [[3], [1] * 20, [1, 8, 2, 30, 1], [0, 3], [3, 0, 0, 2], [0, 0], [40, 1, 1]], ids=str)
def test_mean_is_the_dense_mean_however_the_buffer_grows(counts, session):
    table = Table()
    for seed in range(2):  # the second window reuses the buffers of the first
        parts = _parts(counts, seed=seed)
        session.run(table.accumulator.reset)
        table.accumulate(session, parts)
        np.testing.assert_allclose(_as_dense(session.run(table.mean)), _dense(parts) / len(counts), rtol=1e-12)


def test_result_stays_sparse_with_each_row_once_and_the_variable_s_shape(session):
    table = Table()
    table.accumulate(session, [([[1, 2], [3, 4]], [5, 5]), ([[10, 20]], [1])])
    assert isinstance(table.mean, tf.IndexedSlices)
    mean = session.run(table.mean)
    assert sorted(mean.indices) == [1, 5]
    np.testing.assert_array_equal(mean.dense_shape, [7, 2])
    np.testing.assert_array_equal(_as_dense(mean)[[1, 5]], [[5, 10], [2, 3]])


def test_buffer_never_holds_more_than_twice_the_touched_rows_of_a_window(session):
    table = Table(rows=1000)
    allocated = _buffer_rows(session.graph)
    for values, indices in _parts([5] * 60, rows=8):  # 300 rows come, 8 are different
        table.accumulate(session, [(values, indices)])
        # A micro-batch's own rows may lie beside the touched ones until the next merge.
        assert session.run(allocated) <= 2 * (8 + 5)


@pytest.mark.parametrize("rows", [100, 1000000])
def test_buffer_does_not_depend_on_the_size_of_the_table(rows, session):
    table = Table(rows=rows)
    parts = _parts([4, 4, 4], rows=100)
    table.accumulate(session, parts)
    assert session.run(_buffer_rows(session.graph)) <= 24
    state = [op for op in session.graph.get_operations() if op.type == "VarHandleOp" and "accumulator" in op.name]
    assert [op.name for op in state if op.get_attr("shape").dim and op.get_attr("shape").dim[0].size == rows] == []
    mean = session.run(table.mean)
    np.testing.assert_allclose(_as_dense(mean, rows)[:100], _dense(parts, 100) / 3, rtol=1e-12)


def test_dense_gives_a_tensor(session):
    table, parts = Table(dense=True), _parts([3, 5])
    table.accumulate(session, parts)
    assert isinstance(table.mean, tf.Tensor)
    np.testing.assert_allclose(session.run(table.mean), _dense(parts) / 2, rtol=1e-12)


def test_buffers_do_not_share_memory_with_the_arrays_that_are_fed(session):
    table = Table(width=16)
    values, indices = aligned_empty([8, 16], np.float64), aligned_empty([8], np.int32)
    accumulate = session.make_callable(table.accumulator.accumulate, [table.values, table.indices])
    parts = _parts([8, 8, 8], width=16)
    for new_values, new_indices in parts:
        values[:], indices[:] = new_values, new_indices
        accumulate(values, indices)
        values[:], indices[:] = -1000.0, 6
    np.testing.assert_allclose(_as_dense(session.run(table.mean)), _dense(parts, width=16) / 3, rtol=1e-12)


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16, tf.float32], ids=lambda dtype: dtype.name)
def test_dtypes_are_kept(dtype, session):
    table = Table(dtype=dtype, reduction="sum")
    parts = [([[1e-3, 1]], [2])] * 300
    table.accumulate(session, parts)
    total = session.run(tf.IndexedSlices(tf.cast(table.mean.values, tf.float64), table.mean.indices))
    assert table.mean.dtype == dtype
    one = session.run(tf.cast(tf.cast([1e-3, 1.0], dtype), tf.float64))
    np.testing.assert_allclose(total.values, [300 * one], rtol=2.0 ** -8)


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


def test_merging_keeps_the_order_of_first_appearance(session):
    slices = tf.IndexedSlices(tf.constant([[1.0], [2.0], [4.0], [8.0]]), tf.constant([3, 0, 3, 2]))
    merged = session.run(merge_duplicate_rows(slices))
    np.testing.assert_array_equal(merged.indices, [3, 0, 2])
    np.testing.assert_array_equal(merged.values, [[5.0], [2.0], [8.0]])


class Noted(tf.train.GradientDescentOptimizer):
    """Notes what it is given."""

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        self.given = list(grads_and_vars)
        return super().apply_gradients(self.given, global_step, name)


def explicit(optimizer, pairs):
    accumulator = tf1grad.GradientAccumulator(pairs, reduction="sum")
    apply = accumulator.apply(optimizer)

    def take(session, feed_dicts):
        for feed_dict in feed_dicts:
            session.run(accumulator.accumulate, feed_dict)
        return session.run(apply)
    return take


def step(optimizer, pairs):
    return tf1grad.GradientAccumulator(pairs, reduction="sum").step(optimizer)


def wrapped(optimizer, pairs):
    train_op = tf1grad.AccumulatingOptimizer(optimizer, 3, reduction="sum").apply_gradients(pairs)
    return lambda session, feed_dicts: [session.run(train_op, feed_dict) for feed_dict in feed_dicts]


def flushed(optimizer, pairs):
    wrapper = tf1grad.AccumulatingOptimizer(optimizer, 4, reduction="sum")
    train_op = wrapper.apply_gradients(pairs)
    flush = wrapper.flush()
    return lambda session, feed_dicts: [session.run(train_op, feed_dict) for feed_dict in feed_dicts] + [
        session.run(flush)]


FORMS = pytest.mark.parametrize("form", [explicit, step, wrapped, flushed])
# A rate of 0.125 is the same in float32, as which it is given.
OPTIMIZERS = {  # what one step from ones makes of the sum of a row's gradients
    "SGD": (tf.train.GradientDescentOptimizer(0.125), lambda total: 1 - total / 8),
    "Adagrad": (tf.train.AdagradOptimizer(0.125, 0.5), lambda total: 1 - total / 8 / np.sqrt(0.5 + total ** 2)),
    "its own apply_gradients": (Noted(0.125), lambda total: 1 - total / 8),
}


@FORMS
@pytest.mark.parametrize("kind", OPTIMIZERS)
def test_rows_that_come_several_times_are_one_step(form, kind, session):
    table = tf.get_variable("table", [7, 2], tf.float64, tf.ones_initializer())
    values, indices = tf.placeholder(tf.float64, [None, 2]), tf.placeholder(tf.int32, [None])
    optimizer, expected = OPTIMIZERS[kind]
    optimizer = copy.deepcopy(optimizer)  # slots are of one graph
    take = form(optimizer, [(tf.IndexedSlices(values, indices, tf.constant([7, 2])), table)])
    session.run(tf.global_variables_initializer())
    parts = _parts([5, 4, 6])
    take(session, [{values: rows, indices: numbers} for rows, numbers in parts])
    np.testing.assert_allclose(session.run(table), expected(_dense(parts)), rtol=1e-12)
    if isinstance(optimizer, Noted):  # it may not know of equal rows
        (gradient, _), = optimizer.given
        assert gradient.indices.op.type == "Unique"


@FORMS
def test_half_precision_rows_that_come_several_times_are_summed_in_float32(form, session):
    table = tf.get_variable("table", [3, 1], tf.float16, tf.zeros_initializer())
    value, small = tf.placeholder(tf.float16, []), 2.0 ** -11  # 1 + small is 1 in float16, 1 + 2 * small is not
    rows = tf.IndexedSlices(tf.fill([2, 1], value), tf.constant([1, 1]), tf.constant([3, 1]))
    take = form(tf.train.GradientDescentOptimizer(1.0), [(rows, table)])
    session.run(tf.global_variables_initializer())
    take(session, [{value: 0.5}, {value: small / 2}, {value: small / 2}])
    np.testing.assert_array_equal(session.run(table), [[0], [-1 - 2 * small], [0]])


def test_half_precision_rows_that_become_dense_are_summed_in_float32(session):
    table = tf.get_variable("table", [3, 1], tf.float16, tf.zeros_initializer())
    values = tf.placeholder(tf.float16, [3, 1])
    rows = tf.IndexedSlices(values, tf.constant([1, 1, 1]), tf.constant([3, 1]))
    accumulator = tf1grad.GradientAccumulator([(rows, table)], dense=True)
    session.run(tf.global_variables_initializer())
    small = 2.0 ** -11  # 1 + small is 1 in float16, 1 + 2 * small is not
    session.run(accumulator.accumulate, {values: [[1], [small], [small]]})
    np.testing.assert_array_equal(session.run(accumulator.grads_and_vars[0][0]), [[0], [1 + 2 * small], [0]])


def test_a_window_works_after_a_run_that_ended_while_its_buffers_grew(session, monkeypatch):
    broken = tf.placeholder_with_default(False, [])
    with_room = stores._with_room

    def fails_late(fail):
        time.sleep(0.1 if fail else 0)  # the other writes are done
        assert not fail

    def breakable(rows):
        after = [tf.py_func(fails_late, [broken], [])] if rows.dtype.is_integer else []
        with tf.control_dependencies(after):
            return tf.identity(with_room(rows))

    monkeypatch.setattr(stores, "_with_room", breakable)
    table, small, large = Table(rows=50), _parts([2], rows=50), _parts([40], rows=50)
    session.run(tf.global_variables_initializer())
    table.accumulate(session, small)
    with pytest.raises(tf.errors.OpError, match="AssertionError"):
        (values, indices), = large
        session.run(table.accumulator.accumulate, {table.values: values, table.indices: indices, broken: True})
    session.run(table.accumulator.reset)
    table.accumulate(session, large)
    np.testing.assert_allclose(_as_dense(session.run(table.mean), 50), _dense(large, 50), rtol=1e-12)

"""Compares clipping and guards with NumPy, and with TensorFlow where it is right."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from steps import OPTIMIZERS, dense_value, everything, fetched, unchanged
from tf1grad.accumulation.accumulator import GradientAccumulator
from tf1grad.gradients.clip import clip_by_global_norm, clip_by_norm, clip_by_value, drop_nonfinite
from tf1grad.gradients.grads_and_vars import merge_duplicate_rows
from tf1grad.gradients.guarded_gradients import apply_guarded
from tf1grad.gradients.transforms import global_norm, map_gradients, multiply_gradients

DENSE = np.float32([[3, -4], [0, 12]])
ROWS = np.float32([[0, 0], [6, 8], [0, 0], [3, -4]])
NORM = np.sqrt(np.sum(DENSE ** 2) + np.sum(ROWS ** 2))


def test_indices_that_a_unique_op_made_may_still_come_twice(session):
    """`tf.unique` gives the values, each once, and for each element the index of its value, as often as it comes."""
    table = tf.get_variable("table", initializer=np.zeros([3, 1], np.float32))
    values, index = tf.unique(tf.constant([7, 5, 7]))
    rows = tf.constant([[2.], [8.], [4.]])
    assert session.run(global_norm([(tf.IndexedSlices(rows, index, tf.constant([3, 1])), table)])) == 10
    clipped, = fetched(session, clip_by_value([(tf.IndexedSlices(rows, index, tf.constant([3, 1])), table)], -1, 5))
    np.testing.assert_array_equal(dense_value(clipped, 3), [[5], [5], [0]])
    once = tf.IndexedSlices(rows[:2], values, tf.constant([8, 1]))
    assert merge_duplicate_rows(once) is once


@pytest.fixture
def complex_pairs(graph):
    """Makes a dense and a sparse complex gradient beside a real one; a row comes twice."""
    dense, table, real = [tf.get_variable(name, initializer=np.zeros(shape, dtype)) for name, shape, dtype in (
        ("dense", [2], np.complex64), ("table", [3, 1], np.complex64), ("real", [], np.float32))]
    rows = tf.constant(np.complex64([[1 - 2j], [2 + 3j], [2 - 2j]]))
    slices = tf.IndexedSlices(rows, tf.constant([1, 0, 1]), tf.constant([3, 1]))
    return [(tf.constant(np.complex64([8j, 4])), dense), (slices, table), (tf.constant(51 ** 0.5, tf.float32), real)]


def test_complex_gradients_have_the_norm_of_their_moduli(complex_pairs, session):
    moduli = [[8, 4], [[3 - 4j], [2 + 3j]], np.sqrt(51.0)]
    norm = np.sqrt(sum(np.sum(np.abs(part) ** 2) for part in moduli))
    np.testing.assert_allclose(session.run(global_norm(complex_pairs)), norm, rtol=1e-6)
    dense, sparse, real = fetched(session, clip_by_global_norm(complex_pairs, norm / 2))
    np.testing.assert_allclose(dense, [4j, 2], rtol=1e-6)
    np.testing.assert_allclose(dense_value(sparse, 3), [[1 + 1.5j], [1.5 - 2j], [0]], rtol=1e-6)
    np.testing.assert_allclose(real, np.sqrt(51.0) / 2, rtol=1e-6)
    each = fetched(session, clip_by_norm(complex_pairs, 1.0))
    np.testing.assert_allclose(each[0], np.array([8j, 4]) / np.sqrt(80), rtol=1e-6)


@pytest.mark.parametrize("bad", [np.inf, 1j * np.nan, complex(1, -np.inf)])
def test_a_complex_part_that_is_not_finite_is_dropped(bad, session):
    v = tf.get_variable("v", initializer=np.zeros(2, np.complex64))
    fed = tf.placeholder(tf.complex64, [2])
    guarded = drop_nonfinite([(fed, v)])
    assert session.run(guarded.finite, {fed: [1 + 2j, 3]})
    np.testing.assert_array_equal(session.run(guarded[0][0], {fed: [1, bad]}), [0, 0])
    assert session.run(guarded.dropped) == 1


def test_complex_numbers_have_no_range(complex_pairs):
    with pytest.raises(TypeError, match="dense:0 is complex64.*clip_by_norm"):
        clip_by_value(complex_pairs, -1.0, 1.0)


def test_a_fed_range_is_checked_in_the_run(pairs, session):
    low, high = tf.placeholder(tf.float32, []), tf.placeholder(tf.float64, [])
    for clipped, good, bad in [(clip_by_value(pairs[:1], low, high), (5, 6), (6, 5)),
                               (clip_by_value(pairs[:1], low, high), (5, 5), (np.nan, 5)),
                               (clip_by_value(pairs, low, high), (-1, 0), (1, 2))]:
        np.testing.assert_array_equal(session.run(clipped[0][0], dict(zip((low, high), good))), np.clip(DENSE, *good))
        with pytest.raises(tf.errors.InvalidArgumentError, match="clip_by_value: "):
            session.run(clipped[0][0], dict(zip((low, high), bad)))


def test_numbers_keep_their_precision_in_float64(session):
    v = tf.get_variable("v", initializer=np.zeros(2))
    pairs = [(tf.constant([3.0, 4.0], tf.float64), v)]
    for clipped, expected in [(clip_by_value(pairs, -0.1, 0.1), [0.1, 0.1]),
                              (clip_by_norm(pairs, 0.1), [0.06, 0.08]),
                              (clip_by_global_norm(pairs, 0.1), [0.06, 0.08]),
                              (multiply_gradients(pairs, {"v": 0.1}), [0.3, 0.4])]:
        np.testing.assert_allclose(session.run(clipped[0][0]), expected, rtol=1e-15)


def test_clip_by_value(pairs, session):
    dense, absent, sparse = fetched(session, clip_by_value(pairs, -3.5, tf.constant(7.0, tf.float64)))
    np.testing.assert_array_equal(dense, np.clip(DENSE, -3.5, 7))
    assert absent is None
    np.testing.assert_array_equal(dense_value(sparse, 4), np.clip(ROWS, -3.5, 7))
    assert len(sparse.indices) == 2


def test_clip_by_norm(pairs, session):
    dense, absent, sparse = fetched(session, clip_by_norm(pairs, 12.0))
    np.testing.assert_allclose(dense, DENSE * 12 / 13, rtol=1e-6)
    assert absent is None
    np.testing.assert_array_equal(dense_value(sparse, 4), ROWS)  # norm 11.2: within the limit, every bit kept


@pytest.mark.parametrize("clip_norm", [0.0, 1, 5.0, 17.0, 18.0, float("inf")])
def test_clip_by_global_norm(pairs, session, clip_norm):
    factor = min(1, clip_norm / NORM)
    dense, absent, sparse = fetched(session, clip_by_global_norm(pairs, clip_norm))
    np.testing.assert_allclose(dense, DENSE * factor, rtol=1e-6)
    assert absent is None
    np.testing.assert_allclose(dense_value(sparse, 4), ROWS * factor, rtol=1e-6)
    np.testing.assert_allclose(session.run(global_norm(clip_by_global_norm(pairs, clip_norm))),
                               min(clip_norm, NORM), rtol=1e-6)


def test_within_the_limit_every_bit_is_kept(graph, session):
    value = np.random.randn(1000).astype(np.float32)
    clipped = clip_by_global_norm([(tf.constant(value), tf.Variable(value))], 5e3 / 3)
    np.testing.assert_array_equal(session.run(clipped[0][0]), value)


def test_mixed_and_half_precision(graph, session):
    kinds = [np.float16, np.float32, np.float64]
    pairs = [(tf.constant(np.full(4, 300, kind)), tf.Variable(np.zeros(4, kind))) for kind in kinds]
    clipped = clip_by_global_norm(pairs, 1.0)
    for (gradient, _), kind in zip(clipped, kinds):
        assert gradient.dtype.as_numpy_dtype == kind
        np.testing.assert_allclose(session.run(gradient), np.full(4, 300 / np.sqrt(12 * 300.0 ** 2)),
                                   rtol=1e-3 if kind == np.float16 else 1e-6)
    assert np.isinf(session.run(tf.global_norm([pairs[0][0]])))  # TensorFlow squares in half precision


def test_threshold_may_change_from_run_to_run(pairs, session):
    limit = tf.placeholder(tf.float32, [])
    norm = global_norm(clip_by_global_norm(pairs, limit))
    for value in (1.0, 4.0):
        np.testing.assert_allclose(session.run(norm, {limit: value}), value, rtol=1e-6)
    for bad in (-1.0, float("nan")):
        with pytest.raises(tf.errors.InvalidArgumentError, match="clip_norm must be at least 0"):
            session.run(norm, {limit: bad})


@pytest.fixture(params=[np.inf, np.nan])
def bad_pairs(request, graph):
    """Makes a good and a bad gradient, both fed, with their variables."""
    fed = tf.placeholder_with_default(np.float32([1, request.param]), [2])
    variables = [tf.get_variable(name, initializer=np.float32([1, 2])) for name in ("good", "bad")]
    return fed, [(tf.constant([3.0, 4.0]), variables[0]), (fed, variables[1])]


@pytest.mark.parametrize("clip", [clip_by_norm, clip_by_global_norm])
def test_not_finite_raises_by_default_and_names_the_variable(bad_pairs, session, clip):
    _, pairs = bad_pairs
    session.run(tf.global_variables_initializer())
    apply = tf.train.GradientDescentOptimizer(1.0).apply_gradients(clip(pairs, 1.0))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"norm is not finite.*nonfinite to skip.*bad:0"):
        session.run(apply)
    for _, variable in pairs:  # the good one neither
        np.testing.assert_array_equal(session.run(variable), [1, 2])


def test_propagate_does_as_tensorflow_does(bad_pairs, session):
    _, pairs = bad_pairs
    theirs, _ = tf.clip_by_global_norm([gradient for gradient, _ in pairs], 1.0)
    for (gradient, _), expected in zip(clip_by_global_norm(pairs, 1.0, nonfinite="propagate"), theirs):
        np.testing.assert_array_equal(*session.run([gradient, expected]))
        assert np.all(np.isnan(session.run(gradient)))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("make_optimizer", OPTIMIZERS)
@pytest.mark.parametrize("guard", [
    drop_nonfinite, lambda pairs: clip_by_global_norm(pairs, 1e3, nonfinite="skip"),
    lambda pairs: clip_by_norm(pairs, 1e3, nonfinite="skip")],
    ids=["drop_nonfinite", "clip_by_global_norm", "clip_by_norm"])
def test_a_bad_step_moves_nothing_and_is_counted(bad_pairs, session, control_flow, make_optimizer, guard):
    fed, pairs = bad_pairs
    optimizer, global_step = make_optimizer(), tf.train.get_or_create_global_step()
    guarded = guard(pairs)
    apply = guarded.apply(optimizer, global_step)
    state = everything(optimizer, global_step)
    session.run(tf.global_variables_initializer())

    session.run(apply, {fed: [1, 1]})
    assert session.run([global_step, guarded.dropped]) == [1, 0]
    with unchanged(session, *state.values()):
        for _ in range(3):
            session.run(apply)
    assert session.run(guarded.dropped) == 3

    session.run(apply, {fed: [1, 1]})
    after = session.run(state)
    assert after["global_step:0"] == 2
    reference = make_optimizer()
    unguarded = reference.apply_gradients([pairs[0], (tf.constant([1.0, 1.0]), pairs[1][1])])
    session.run(tf.variables_initializer(reference.variables() + [variable for _, variable in pairs]))
    for _ in range(2):
        session.run(unguarded)
    for _, variable in pairs:
        np.testing.assert_array_equal(session.run(variable), after[variable.name])


@pytest.mark.parametrize("make", [lambda guarded: guarded, list], ids=["guarded", "plain list"])
@pytest.mark.parametrize("kept", [False, True])
def test_a_bad_micro_batch_leaves_the_window(bad_pairs, session, control_flow, variable_kind, make, kept):
    fed, pairs = bad_pairs
    loss, weight = tf.reduce_sum(fed), tf.placeholder_with_default(2.0, [])
    guarded = drop_nonfinite(pairs)
    keep = guarded.keep if kept else tf.identity
    accumulator = GradientAccumulator(make(guarded), loss=keep(loss), weight=keep(weight))
    session.run(accumulator.reset)
    session.run(accumulator.accumulate, {fed: [1, 3]})
    session.run(accumulator.accumulate)
    session.run(accumulator.accumulate, {fed: [5, 9], weight: 6.0})
    np.testing.assert_allclose(session.run(accumulator.grads_and_vars[1][0]), [4, 7.5])
    np.testing.assert_allclose(session.run(accumulator.grads_and_vars[0][0]), [3, 4])
    np.testing.assert_allclose(session.run(accumulator.average_loss), (4 * 2 + 14 * 6) / 8)
    assert session.run(guarded.dropped) == 1
    assert session.run(accumulator.total_weight) == 8


def test_sparse_gradients_stay_sparse_under_the_guard(session, control_flow):
    table = tf.get_variable("table", initializer=np.zeros([5, 2], np.float32))
    values = tf.placeholder(tf.float32, [3, 2])
    slices = tf.IndexedSlices(values, tf.constant([4, 1, 4]), tf.constant([5, 2]))
    optimizer = tf.train.MomentumOptimizer(1.0, 0.5)
    guarded = drop_nonfinite([(slices, table)])
    apply = guarded.apply(optimizer)
    session.run(tf.global_variables_initializer())
    session.run(apply, {values: [[1, 1], [2, 2], [3, 3]]})
    session.run(apply, {values: [[1, 1], [np.nan, 2], [3, 3]]})
    assert isinstance(guarded[0][0], tf.IndexedSlices)
    np.testing.assert_array_equal(session.run(table), [[0, 0], [-2, -2], [0, 0], [0, 0], [-4, -4]])
    assert session.run(guarded.dropped) == 1


def test_a_bad_micro_batch_touches_no_row(session):
    """Momentum would move each row that it touched, zeros or not."""
    table = tf.get_variable("table", initializer=np.zeros([5, 2], np.float32))
    values, indices = tf.placeholder(tf.float32, [None, 2]), tf.placeholder(tf.int32, [None])
    guarded = drop_nonfinite([(tf.IndexedSlices(values, indices, tf.constant([5, 2])), table)])
    accumulator = GradientAccumulator(guarded, weight=guarded.keep(1.0))
    apply = accumulator.apply(tf.train.MomentumOptimizer(1.0, 0.5))
    session.run(tf.global_variables_initializer())
    bad = {values: [[1, np.inf], [2, 2]], indices: [0, 1]}
    for good in ([[2, 2]], [[4, 6]]):
        session.run(accumulator.reset)
        session.run(accumulator.accumulate, bad)
        session.run(accumulator.accumulate, {values: good, indices: [1]})
        session.run(accumulator.accumulate, bad)
        session.run(apply)
        session.run(accumulator.reset)
        session.run(accumulator.accumulate, {values: [[1, 1]], indices: [3]})
        session.run(accumulator.accumulate, bad)
        session.run(apply)
    # Row 1: 2, then 4 + 2 / 2 and 6 + 2 / 2; row 3: 1, then 1 + 1 / 2. No third move in steps that did not touch them.
    np.testing.assert_array_equal(session.run(table), [[0, 0], [-7, -9], [0, 0], [-2.5, -2.5], [0, 0]])


def test_guard_is_handed_on_and_joined(bad_pairs, session):
    fed, pairs = bad_pairs
    guarded = clip_by_norm(map_gradients(lambda gradient: gradient * 2, drop_nonfinite(pairs)), 1.0, nonfinite="skip")
    np.testing.assert_allclose(session.run(clip_by_value(guarded, -9.0, 9.0)[0][0]), [0, 0])
    assert not session.run(guarded.finite)
    assert session.run(guarded.finite, {fed: [3, 4]})
    np.testing.assert_allclose(session.run(guarded[1][0], {fed: [3, 4]}), [0.6, 0.8], rtol=1e-6)


def test_clipping_the_mean_is_clipping_the_full_batch(graph, session):
    """And clipping each micro-batch is not."""
    x = tf.placeholder(tf.float32, [None, 3])
    weights = tf.get_variable("weights", initializer=np.float32([1, -2, 3]))
    loss = tf.reduce_mean(tf.square(tf.reduce_sum(x * weights, axis=1)))
    pairs = tf.train.GradientDescentOptimizer(1.0).compute_gradients(loss)
    each = GradientAccumulator(pairs)
    micro = GradientAccumulator(clip_by_global_norm(pairs, 1.0))
    clipped_mean = clip_by_global_norm(each.grads_and_vars, 1.0)
    full = clip_by_global_norm(pairs, 1.0)
    session.run(tf.global_variables_initializer())
    data = np.random.randn(8, 3).astype(np.float32)
    for part in np.split(data, 4):
        session.run(each.accumulate, {x: part})
        session.run(micro.accumulate, {x: part})
    expected = session.run(full[0][0], {x: data})
    np.testing.assert_allclose(session.run(clipped_mean[0][0]), expected, rtol=1e-5)
    assert np.max(np.abs(session.run(micro.grads_and_vars[0][0]) - expected)) > 1e-2


def test_a_guarded_optimizer_has_the_names_of_a_plain_one(variable_kind):
    """So that checkpoints go from one to the other."""
    names = []
    for guard in (lambda pairs: pairs, drop_nonfinite):
        with tf.Graph().as_default(), tf.name_scope("train"):
            pairs = [(tf.constant([1.0, 2.0]), tf.get_variable("w", [2]))]
            apply_guarded(tf.train.AdamOptimizer(0.1), guard(pairs))
            names.append(sorted(variable.name for variable in tf.global_variables()))
    assert names[0] == names[1] and "train/beta1_power:0" in names[0]


def test_counters_enter_no_checkpoint(bad_pairs, session, tmp_path):
    _, pairs = bad_pairs
    guarded = drop_nonfinite(pairs)
    session.run(tf.global_variables_initializer())
    saver = tf.train.Saver()
    session.run(guarded[0][0])
    path = saver.save(session, str(tmp_path / "model"))
    assert sorted(name for name, _ in tf.train.list_variables(path)) == ["bad", "good"]

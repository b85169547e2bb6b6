"""Compares clipping and guards with NumPy, and with TensorFlow where it is right."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from steps import OPTIMIZERS, dense_value, everything, fetched, unchanged
from tf1grad.recipes.accumulation.accumulator import GradientAccumulator
from tf1grad.recipes.gradients.clip import (
    clip_by_global_norm,
    clip_by_norm,
    clip_by_value,
    drop_nonfinite,
)
from tf1grad.recipes.gradients.transforms import global_norm, multiply_gradients

DENSE = np.float32([[3, -4], [0, 12]])
ROWS = np.float32([[0, 0], [6, 8], [0, 0], [3, -4]])
NORM = np.sqrt(np.sum(DENSE**2) + np.sum(ROWS**2))


def test_complex_gradients_have_the_norm_of_their_moduli(session):
    dense, table, real = [
        tf.get_variable(name, initializer=np.zeros(shape, dtype))
        for name, shape, dtype in (
            ("dense", [2], np.complex64),
            ("table", [3, 1], np.complex64),
            ("real", [], np.float32),
        )
    ]
    fed = tf.placeholder_with_default(np.complex64([8j, 4]), [2])
    rows = tf.constant(np.complex64([[1 - 2j], [2 + 3j], [2 - 2j]]))
    slices = tf.IndexedSlices(rows, tf.constant([1, 0, 1]), tf.constant([3, 1]))
    pairs = [(fed, dense), (slices, table), (tf.constant(51**0.5, tf.float32), real)]
    norm = np.sqrt(80 + 25 + 13 + 51)
    np.testing.assert_allclose(session.run(global_norm(pairs)), norm, rtol=1e-6)
    clipped = fetched(session, clip_by_global_norm(pairs, norm / 2)[0])
    np.testing.assert_allclose(clipped[0], [4j, 2], rtol=1e-6)
    np.testing.assert_allclose(dense_value(clipped[1], 3), [[1 + 1.5j], [1.5 - 2j], [0]], rtol=1e-6)
    np.testing.assert_allclose(clipped[2], np.sqrt(51.0) / 2, rtol=1e-6)
    each = fetched(session, clip_by_norm(pairs, 1.0))
    np.testing.assert_allclose(each[0], np.array([8j, 4]) / np.sqrt(80), rtol=1e-6)
    guarded = drop_nonfinite(pairs)
    assert session.run(guarded.finite)
    np.testing.assert_array_equal(session.run(guarded[0][0], {fed: [1, 1j * np.nan]}), [0, 0])
    with pytest.raises(TypeError, match="dense:0 is complex64.*clip_by_norm"):
        clip_by_value(pairs, -1.0, 1.0)


def test_numbers_keep_their_precision_in_float64(session):
    v = tf.get_variable("v", initializer=np.zeros(2))
    pairs = [(tf.constant([3.0, 4.0], tf.float64), v)]
    for clipped, expected in [
        (clip_by_value(pairs, -0.1, 0.1), [0.1, 0.1]),
        (clip_by_norm(pairs, 0.1), [0.06, 0.08]),
        (clip_by_global_norm(pairs, 0.1)[0], [0.06, 0.08]),
        (clip_by_global_norm(pairs, 0.1, use_norm=0.7)[0], [3 / 7, 4 / 7]),
        (multiply_gradients(pairs, {"v": 0.1}), [0.3, 0.4]),
    ]:
        np.testing.assert_allclose(session.run(clipped[0][0]), expected, rtol=1e-15)


def test_clip_by_value(pairs, session):
    low, high = (
        tf.placeholder_with_default(np.float32(-3.5), []),
        tf.placeholder_with_default(np.float64(7), []),
    )
    clipped = clip_by_value(pairs, low, high)
    dense, absent, sparse = fetched(session, clipped)
    np.testing.assert_array_equal(dense, np.clip(DENSE, -3.5, 7))
    assert absent is None
    np.testing.assert_array_equal(dense_value(sparse, 4), np.clip(ROWS, -3.5, 7))
    assert len(sparse.indices) == 2


def test_clip_by_norm(pairs, session):
    dense, absent, sparse = fetched(session, clip_by_norm(pairs, 12.0))
    np.testing.assert_allclose(dense, DENSE * 12 / 13, rtol=1e-6)
    assert absent is None
    # Norm 11.2: within the limit, every bit kept.
    np.testing.assert_array_equal(dense_value(sparse, 4), ROWS)
    value = np.random.randn(1000).astype(np.float32)
    ((kept, _),), _ = clip_by_global_norm([(tf.constant(value), tf.Variable(value))], 5e3 / 3)
    np.testing.assert_array_equal(session.run(kept), value)


@pytest.mark.parametrize("clip_norm", [1, 5.0, 17.0, 18.0, float("inf")])
def test_clip_by_global_norm(pairs, session, clip_norm):
    factor = min(1, clip_norm / NORM)
    clipped, norm = clip_by_global_norm(pairs, clip_norm)
    dense, absent, sparse = fetched(session, clipped)
    np.testing.assert_allclose(dense, DENSE * factor, rtol=1e-6)
    assert absent is None
    np.testing.assert_allclose(dense_value(sparse, 4), ROWS * factor, rtol=1e-6)
    np.testing.assert_allclose(
        session.run([norm, global_norm(clipped)]), [NORM, min(clip_norm, NORM)], rtol=1e-6
    )


def test_mixed_and_half_precision(graph, session):
    kinds = [np.float16, np.float32, np.float64]
    pairs = [(tf.constant(np.full(4, 300, kind)), tf.Variable(np.zeros(4, kind))) for kind in kinds]
    clipped, _ = clip_by_global_norm(pairs, 1.0)
    for (gradient, _), kind in zip(clipped, kinds):
        assert gradient.dtype.as_numpy_dtype == kind
        np.testing.assert_allclose(
            session.run(gradient),
            np.full(4, 300 / np.sqrt(12 * 300.0**2)),
            rtol=1e-3 if kind == np.float16 else 1e-6,
        )
    norm, half = global_norm(pairs), global_norm(pairs[:1])
    assert (norm.dtype, half.dtype) == (tf.float64, tf.float32)
    np.testing.assert_allclose(session.run([norm, half]), [np.sqrt(12 * 300.0**2), 600], rtol=1e-6)
    # TensorFlow squares in half precision.
    assert np.isinf(session.run(tf.global_norm([pairs[0][0]])))


def test_threshold_may_change_from_run_to_run(pairs, session):
    limit = tf.placeholder(tf.float32, [])
    norm = global_norm(clip_by_global_norm(pairs, limit)[0])
    for value in (0.0, 1.0, 4.0):
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


@pytest.mark.parametrize(
    "clip",
    [clip_by_norm, lambda *args, **kwargs: clip_by_global_norm(*args, **kwargs)[0]],
    ids=["clip_by_norm", "clip_by_global_norm"],
)
def test_not_finite_raises_by_default_and_propagates_as_in_tensorflow(bad_pairs, session, clip):
    fed, pairs = bad_pairs
    session.run(tf.global_variables_initializer())
    apply = tf.train.GradientDescentOptimizer(1.0).apply_gradients(clip(pairs, 1.0))
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"norm is not finite.*nonfinite to skip.*bad:0"
    ):
        session.run(apply)
    for _, variable in pairs:  # the good one neither
        np.testing.assert_array_equal(session.run(variable), [1, 2])
    theirs, _ = tf.clip_by_global_norm([gradient for gradient, _ in pairs], 1.0)
    ours = clip(pairs, 1.0, nonfinite="propagate")
    np.testing.assert_array_equal(*session.run([ours[1][0], theirs[1]]))


@pytest.mark.parametrize("make_optimizer", OPTIMIZERS)
@pytest.mark.parametrize(
    "guard",
    [
        drop_nonfinite,
        lambda pairs: clip_by_global_norm(pairs, 1e3, nonfinite="skip")[0],
        lambda pairs: clip_by_norm(pairs, 1e3, nonfinite="skip"),
    ],
    ids=["drop_nonfinite", "clip_by_global_norm", "clip_by_norm"],
)
def test_a_bad_step_moves_nothing_and_is_counted(
    bad_pairs, session, control_flow, make_optimizer, guard
):
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
    session.run(
        tf.variables_initializer(reference.variables() + [variable for _, variable in pairs])
    )
    for _ in range(2):
        session.run(unguarded)
    for _, variable in pairs:
        np.testing.assert_array_equal(session.run(variable), after[variable.name])


@pytest.mark.parametrize("make", [lambda guarded: guarded, list], ids=["guarded", "plain list"])
@pytest.mark.parametrize("kept", [False, True])
def test_a_bad_micro_batch_leaves_the_window(
    bad_pairs, session, control_flow, variable_kind, make, kept
):
    fed, pairs = bad_pairs
    loss, weight = tf.reduce_sum(fed), tf.placeholder_with_default(2.0, [])
    guarded = drop_nonfinite(pairs)
    keep = guarded.keep if kept else tf.identity
    accumulator = GradientAccumulator(make(guarded), loss=keep(loss), weight=keep(weight))
    session.run(accumulator.reset)
    session.run(accumulator.accumulate, {fed: [1, 3]})
    session.run(accumulator.accumulate)
    session.run(accumulator.accumulate, {fed: [5, 9], weight: 6.0})
    (good, _), (bad, _) = accumulator.grads_and_vars
    means = session.run([good, bad, accumulator.average_loss])
    np.testing.assert_allclose(np.hstack(means), [3, 4, 4, 7.5, (4 * 2 + 14 * 6) / 8])
    assert session.run([guarded.dropped, accumulator.total_weight]) == [1, 8]

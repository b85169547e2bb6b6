"""Compares transforms of (gradient, variable) pairs with NumPy."""

import re

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from steps import dense_value, fetched
from tf1grad.gradients.clip import clip_by_norm
from tf1grad.gradients.grads_and_vars import merge_duplicate_rows
from tf1grad.gradients.transforms import chain, drop_none, global_norm, map_gradients, multiply_gradients


def test_global_norm_sums_duplicate_rows_first(pairs, session):
    rows = np.float32([[0, 0], [6, 8], [0, 0], [3, -4]])
    expected = np.sqrt(9 + 16 + 144 + np.sum(rows ** 2))
    np.testing.assert_allclose(session.run(global_norm(pairs)), expected, rtol=1e-6)
    wrong = session.run(tf.global_norm([gradient for gradient, _ in pairs]))
    assert abs(wrong - expected) > 1  # what TensorFlow's own makes of it


def test_global_norm_over_mixed_and_half_precision(session):
    kinds = [np.float16, np.float32, np.float64]
    pairs = [(tf.constant(np.full(4, 300, kind)), tf.Variable(np.zeros(4, kind))) for kind in kinds]
    norm = global_norm(pairs)
    assert norm.dtype == tf.float64
    np.testing.assert_allclose(session.run(norm), np.sqrt(12 * 300.0 ** 2), rtol=1e-6)
    half = global_norm(pairs[:1])
    assert half.dtype == tf.float32
    assert session.run(half) == 600.0


def test_map_gradients(pairs, session):
    mapped = map_gradients(lambda gradient: tf.clip_by_value(gradient, -5.0, 5.0), pairs)
    dense, absent, sparse = fetched(session, mapped)
    np.testing.assert_array_equal(dense, [[3, -4], [0, 5]])
    assert absent is None
    np.testing.assert_array_equal(sorted(sparse.indices), [1, 3])
    np.testing.assert_array_equal(dense_value(sparse, 4), [[0, 0], [5, 5], [0, 0], [3, -4]])
    assert [variable for _, variable in mapped] == [variable for _, variable in pairs]


def test_merging_twice_is_merging_once(pairs):
    once = merge_duplicate_rows(pairs[2][0])
    assert merge_duplicate_rows(once) is once


@pytest.mark.parametrize("key", [
    "model/table", "model/table:0", re.compile("tab"), lambda variable: "table" in variable.name],
    ids=["op name", "name", "pattern", "function"])
def test_multiply_gradients_by_name_pattern_and_function(pairs, session, key):
    dense, absent, sparse = fetched(session, multiply_gradients(pairs, {key: 0.5}))
    np.testing.assert_array_equal(dense, [[3, -4], [0, 12]])
    assert absent is None
    np.testing.assert_array_equal(dense_value(sparse, 4), [[0, 0], [3, 4], [0, 0], [1.5, -2]])


def test_multiply_gradients_by_scope_and_by_variable(pairs, session):
    halved = fetched(session, multiply_gradients(pairs, [("model", tf.constant(0.5, tf.float64))]))
    np.testing.assert_array_equal(halved[0], [[1.5, -2], [0, 6]])
    by_variable = fetched(session, multiply_gradients(pairs, [(pairs[0][1], 2), (pairs[1][1], 3)]))
    np.testing.assert_array_equal(by_variable[0], [[6, -8], [0, 24]])
    assert by_variable[1] is None


def test_drop_none(pairs):
    assert drop_none(pairs) == [pairs[0], pairs[2]]


def test_chain_is_one_after_the_other(pairs, session):
    transform = chain(drop_none, lambda pairs: multiply_gradients(pairs, [("model", 2.0)]),
                      lambda pairs: clip_by_norm(pairs, 13.0))
    dense, sparse = fetched(session, transform(pairs))
    np.testing.assert_allclose(dense, np.float32([[3, -4], [0, 12]]) * 13 / 13, rtol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(dense_value(sparse, 4)), 13, rtol=1e-6)


def test_empty_chain_changes_nothing(pairs):
    assert chain()(pairs) is pairs

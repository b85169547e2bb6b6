"""Compares transforms of (gradient, variable) pairs with NumPy."""

import re

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from steps import dense_value, fetched
from tf1grad.recipes.gradients.clip import clip_by_norm
from tf1grad.recipes.gradients.grads_and_vars import merge_duplicate_rows
from tf1grad.recipes.gradients.transforms import (
    chain,
    drop_none,
    global_norm,
    map_gradients,
    multiply_gradients,
)


def test_global_norm_sums_duplicate_rows_first(pairs, session):
    rows = np.float32([[0, 0], [6, 8], [0, 0], [3, -4]])
    expected = np.sqrt(9 + 16 + 144 + np.sum(rows**2))
    np.testing.assert_allclose(session.run(global_norm(pairs)), expected, rtol=1e-6)
    wrong = session.run(tf.global_norm([gradient for gradient, _ in pairs]))
    assert abs(wrong - expected) > 1  # what TensorFlow's own makes of it


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


@pytest.mark.parametrize(
    "key, factors",
    [
        ("model/table", (1, 0.5)),
        ("model/table:0", (1, 0.5)),
        (re.compile("tab"), (1, 0.5)),
        (lambda variable: "table" in variable.name, (1, 0.5)),
        ("model", (0.5, 0.5)),
        (0, (0.5, 1)),
    ],
    ids=["op name", "name", "pattern", "function", "scope", "variable"],
)
def test_multiply_gradients(pairs, session, key, factors):
    key, factor = pairs[0][1] if key == 0 else key, tf.constant(0.5, tf.float64)
    dense, absent, sparse = fetched(session, multiply_gradients(pairs, [(key, factor)]))
    np.testing.assert_array_equal(dense, factors[0] * np.float32([[3, -4], [0, 12]]))
    assert absent is None
    np.testing.assert_array_equal(
        dense_value(sparse, 4), factors[1] * np.float32([[0, 0], [6, 8], [0, 0], [3, -4]])
    )


def test_chain_is_one_after_the_other(pairs, session):
    assert chain()(pairs) is pairs and drop_none(pairs) == [pairs[0], pairs[2]]
    transform = chain(
        drop_none,
        lambda pairs: multiply_gradients(pairs, {"model": 2.0}),
        lambda pairs: clip_by_norm(pairs, 13.0),
    )
    dense, sparse = fetched(session, transform(pairs))
    np.testing.assert_allclose(dense, np.float32([[3, -4], [0, 12]]) * 13 / 13, rtol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(dense_value(sparse, 4)), 13, rtol=1e-6)

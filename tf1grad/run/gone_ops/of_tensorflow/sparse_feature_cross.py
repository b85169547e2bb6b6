"""Builds SparseFeatureCross and its second version,
which cross columns of features as strings or hashes.
"""

from __future__ import annotations

import functools
from typing import Any, List

from tf1grad._compat import tf

Tensors = List[tf.Tensor]
_FIRST = 0xDECAFCAFFE
_RATIO = 0x9E3779B97F4A7800 - (1 << 64)  # as int64
_LARGEST = (1 << 63) - 1


def build(
    indices: Tensors,
    values: Tensors,
    shapes: Tensors,
    dense: Tensors,
    hashed_output: bool,
    num_buckets: int,
    out_type: tf.DType,
    internal_type: tf.DType,
    hash_key: int | None = None,
) -> Any:
    """Combines one feature from each column in every way, for each row of a batch;
    the last column changes fastest.

    With `hashed_output`, h = 0xDECAFCAFFE, then for each feature f, in 64 bits,

        h = h ^ (f + 0x9E3779B97F4A7800 + (h << 10) + (h >> 4)),

    where `>>` is arithmetic. The value is the unsigned h mod `num_buckets`, or mod 2**63 - 1 where
    that is 0. A string counts as its FarmHash fingerprint. The second version has a `hash_key`, and
    the hash of TensorFlow's SparseCross.

    Indices, values and shapes are lists of sparse columns, `dense` is one of [batch, features]
    tensors. Without `hashed_output` strings are joined with `_X_`. Returns the indices, values and
    shape of a sparse tensor.
    """
    if hash_key is not None or not hashed_output:
        return tf.raw_ops.SparseCross(
            indices=indices,
            values=values,
            shapes=shapes,
            dense_inputs=dense,
            hashed_output=hashed_output,
            num_buckets=num_buckets,
            hash_key=hash_key or 0,
            out_type=out_type,
            internal_type=internal_type,
        )
    batch = shapes[0][0] if shapes else tf.shape(dense[0], out_type=tf.int64)[0]
    columns = [_sparse(*column, batch=batch) for column in zip(indices, values)]
    columns += [_dense(column, batch) for column in dense]
    counts = [count for _, count, _ in columns]
    totals = functools.reduce(tf.multiply, counts)
    starts = tf.cumsum(totals, exclusive=True)
    rows = tf.searchsorted(
        tf.cumsum(totals), tf.range(tf.reduce_sum(totals)), side="right", out_type=tf.int64
    )
    numbers = tf.range(tf.reduce_sum(totals)) - tf.gather(starts, rows)
    hashed, stride = tf.fill(tf.shape(rows), tf.constant(_FIRST, tf.int64)), totals
    for features, count, start in columns:
        stride = stride // tf.maximum(count, 1)
        within = (numbers // tf.gather(stride, rows)) % tf.gather(count, rows)
        hashed = _combined(hashed, tf.gather(features, tf.gather(start, rows) + within))
    shape = tf.stack([batch, tf.reduce_max(tf.concat([totals, tf.zeros([1], tf.int64)], axis=0))])
    return tf.stack([rows, numbers], axis=1), _remainder(hashed, num_buckets), shape


def _sparse(indices: tf.Tensor, values: tf.Tensor, batch: tf.Tensor) -> Tensors:
    """Returns the features of a column as numbers, their number in each row,
    and the start of each row.
    """
    counts = tf.math.unsorted_segment_sum(tf.ones_like(indices[:, 0]), indices[:, 0], batch)
    return [_numbers(values), counts, tf.cumsum(counts, exclusive=True)]


def _dense(column: tf.Tensor, batch: tf.Tensor) -> Tensors:
    width = tf.shape(column, out_type=tf.int64)[1]
    return [_numbers(tf.reshape(column, [-1])), tf.fill([batch], width), tf.range(batch) * width]


def _numbers(values: tf.Tensor) -> tf.Tensor:
    if values.dtype != tf.string:
        return tf.cast(values, tf.int64)
    fingerprints = tf.raw_ops.Fingerprint(data=values, method=tf.constant("farmhash64"))
    return tf.bitcast(tf.reshape(fingerprints, [-1, 8]), tf.int64)


def _combined(hashed: tf.Tensor, feature: tf.Tensor) -> tf.Tensor:
    down = tf.bitwise.right_shift(hashed, tf.constant(4, tf.int64))
    up = tf.bitwise.left_shift(hashed, tf.constant(10, tf.int64))
    return tf.bitwise.bitwise_xor(hashed, feature + tf.constant(_RATIO, tf.int64) + up + down)


def _remainder(hashed: tf.Tensor, buckets: int) -> tf.Tensor:
    """Returns the unsigned `hashed` modulo a number of buckets."""
    if not buckets:  # 2**63 is 1 modulo 2**63 - 1
        low = tf.bitwise.bitwise_and(hashed, _LARGEST) % _LARGEST
        return (low + tf.cast(hashed < 0, tf.int64)) % _LARGEST
    half = tf.bitwise.bitwise_and(
        tf.bitwise.right_shift(hashed, tf.constant(1, tf.int64)), _LARGEST
    )
    return ((half % buckets) * 2 + tf.bitwise.bitwise_and(hashed, 1)) % buckets

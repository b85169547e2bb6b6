"""Builds ReduceSliceSum, ReduceSliceProd, ReduceSliceMax and ReduceSliceMin, which reduce slices of an axis."""

import functools
from typing import Any, Callable, Optional

import numpy as np

from tf1grad._compat import tf


def _reduced(data: tf.Tensor, indices: tf.Tensor, axis: tf.Tensor, reduce: Callable[..., Any],
             empty: Optional[float] = None) -> tf.Tensor:
    """Reduces slices of one axis: output[..., k, ...] is the reduction of data[..., start_k:end_k, ...].

    `indices` are [slices, 2], the start and end of each; or [slices + 1], where each slice ends as the next one starts.
    `reduce` is the op for segments, `empty` the number of an empty slice, None for the one that `reduce` gives.
    """
    shape = tf.shape(data, out_type=tf.int64)
    before, length, after = shape[:axis], shape[axis], shape[axis + 1:]
    limits = tf.cast(tf.reshape(indices, [-1]), tf.int64)
    rows = tf.shape(indices, out_type=tf.int64)
    # One column, or none, holds the limits one after the other.
    width = 1 + tf.cast(tf.not_equal(tf.size(limits, out_type=tf.int64), rows[0]), tf.int64)
    slices = tf.where_v2(tf.equal(width, 1), tf.maximum(rows[0] - 1, 0), rows[0])
    start = tf.gather(limits, tf.range(slices) * width)
    end = tf.minimum(tf.gather(limits, tf.range(slices) * width + 1), length)
    counts = tf.maximum(end - start, 0)
    segments = tf.repeat(tf.range(slices), counts)
    places = tf.range(tf.reduce_sum(counts)) - tf.gather(tf.cumsum(counts, exclusive=True) - start, segments)
    flat = tf.reshape(data, tf.stack([tf.reduce_prod(before), length, tf.reduce_prod(after)]))
    picked = tf.gather(tf.transpose(flat, [1, 0, 2]), places)
    found = reduce(picked, segments, slices)
    if empty is not None and data.dtype.is_floating:
        is_empty = tf.reshape(tf.equal(counts, 0), [-1, 1, 1])
        found = tf.where_v2(is_empty, tf.constant(empty, data.dtype), found)
    found = tf.transpose(found, [1, 0, 2])
    found = tf.reshape(found, tf.concat([before, [slices], after], axis=0))
    found.set_shape(data.shape.rank and [None] * data.shape.rank)
    return found


# An empty slice has the neutral element of the reduction; for integers the lowest or the highest one.
build_sum = functools.partial(_reduced, reduce=tf.math.unsorted_segment_sum)
build_prod = functools.partial(_reduced, reduce=tf.math.unsorted_segment_prod)
build_max = functools.partial(_reduced, reduce=tf.math.unsorted_segment_max, empty=-np.inf)
build_min = functools.partial(_reduced, reduce=tf.math.unsorted_segment_min, empty=np.inf)

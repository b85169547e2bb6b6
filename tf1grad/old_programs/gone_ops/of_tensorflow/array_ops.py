"""Builds ops that compare, reduce and rearrange arrays."""

import functools
from typing import Any, Callable, List, Optional

import numpy as np

from tf1grad._compat import tf

# The product of 8 bytes, each 0 or 1, with this number has the bytes' bits in its highest byte, the first one highest.
_GATHERED = sum(1 << 9 * bit for bit in range(7)) - (1 << 63)


def compare_and_bitpack(input: tf.Tensor, threshold: tf.Tensor) -> tf.Tensor:
    """Returns one byte for eight elements: the highest bit says whether the first is above the threshold.

    The input is [..., 8 n]; the elements of a bool tensor are the results. Another last dimension ends the run with an
    InvalidArgumentError.
    """
    above = input if input.dtype == tf.bool else input > threshold
    shape = tf.shape(input)
    check = tf.Assert(
        tf.equal(shape[-1] % 8, 0),
        ["Inner dimension of input should be divisible by 8, but got ", shape],
    )
    with tf.control_dependencies([check]):
        groups = tf.reshape(
            tf.cast(above, tf.uint8), tf.concat([shape[:-1], [shape[-1] // 8, 8]], axis=0)
        )
    product = tf.bitcast(groups, tf.int64) * _GATHERED
    return tf.cast(tf.bitwise.right_shift(product, tf.constant(56, tf.int64)), tf.uint8)


def _reduced(
    data: tf.Tensor,
    indices: tf.Tensor,
    axis: tf.Tensor,
    reduce: Callable[..., Any],
    empty: Optional[float] = None,
) -> tf.Tensor:
    """Reduces slices of one axis: output[..., k, ...] is the reduction of data[..., start_k:end_k, ...].

    `indices` are [slices, 2], the start and end of each; or [slices + 1], where each slice ends as the next one starts.
    `reduce` is the op for segments, `empty` the number of an empty slice, None for the one that `reduce` gives.
    """
    shape = tf.shape(data, out_type=tf.int64)
    before, length, after = shape[:axis], shape[axis], shape[axis + 1 :]
    limits = tf.cast(tf.reshape(indices, [-1]), tf.int64)
    rows = tf.shape(indices, out_type=tf.int64)
    # One column, or none, holds the limits one after the other.
    width = 1 + tf.cast(tf.not_equal(tf.size(limits, out_type=tf.int64), rows[0]), tf.int64)
    slices = tf.where_v2(tf.equal(width, 1), tf.maximum(rows[0] - 1, 0), rows[0])
    start = tf.gather(limits, tf.range(slices) * width)
    end = tf.minimum(tf.gather(limits, tf.range(slices) * width + 1), length)
    counts = tf.maximum(end - start, 0)
    segments = tf.repeat(tf.range(slices), counts)
    places = tf.range(tf.reduce_sum(counts)) - tf.gather(
        tf.cumsum(counts, exclusive=True) - start, segments
    )
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
reduce_slice_sum = functools.partial(_reduced, reduce=tf.math.unsorted_segment_sum)
reduce_slice_prod = functools.partial(_reduced, reduce=tf.math.unsorted_segment_prod)
reduce_slice_max = functools.partial(_reduced, reduce=tf.math.unsorted_segment_max, empty=-np.inf)
reduce_slice_min = functools.partial(_reduced, reduce=tf.math.unsorted_segment_min, empty=np.inf)


def periodic_resample(values: tf.Tensor, shape: tf.TensorShape) -> tf.Tensor:
    """Spreads blocks of one dimension, the adjustable one, over the others (as a subpixel convolution does).

    With c_r the ratio of output to input size in dimension r, rounded up, and a the adjustable dimension,

        output[o] = values[i],  i_r = o_r // c_r,
        i_a = o_a + output_size_a sum over r != a of (o_r mod c_r) prod of c_q for q < r.

    `shape` has None, 0 or less for the adjustable dimension. One that does not fit ends the run with an
    InvalidArgumentError.
    """
    values.shape.assert_has_rank(len(_sizes(shape)))
    sizes = tf.shape(values, out_type=tf.int64)
    target = _target(sizes, shape)
    return tf.reshape(tf.gather(tf.reshape(values, [-1]), _sources(sizes, target, shape)), target)


def periodic_resample_gradient(
    grad: tf.Tensor, original_shape: tf.TensorShape, desired_shape: tf.TensorShape
) -> tf.Tensor:
    """Returns the gradient of `values`, whose shape is `original_shape`."""
    return _scattered(grad, tf.constant(original_shape.as_list(), tf.int64), desired_shape)


def periodic_resample_backward(
    values: tf.Tensor, gradient: tf.Tensor, shape: tf.TensorShape
) -> tf.Tensor:
    """Returns the gradient of `values` for that of the output."""
    return _scattered(gradient, tf.shape(values, out_type=tf.int64), shape)


def _scattered(gradient: tf.Tensor, sizes: tf.Tensor, shape: tf.TensorShape) -> tf.Tensor:
    sources = _sources(sizes, _target(sizes, shape), shape)
    return tf.reshape(
        tf.math.unsorted_segment_sum(tf.reshape(gradient, [-1]), sources, tf.reduce_prod(sizes)),
        sizes,
    )


def _sizes(shape: tf.TensorShape) -> List[int]:
    """Returns the sizes of the output, 0 for the adjustable dimension, of which there must be one."""
    sizes = [max(size or 0, 0) for size in shape.as_list()]
    if sizes.count(0) != 1:
        raise ValueError(
            f"periodic_resample expects one index to be marked as adjustable; the shape is {shape}."
        )
    return sizes


def _target(sizes: tf.Tensor, shape: tf.TensorShape) -> tf.Tensor:
    """Returns the shape of the output for the shape of the input."""
    wanted = tf.constant(_sizes(shape), tf.int64)
    large = tf.Assert(
        tf.reduce_all((wanted >= sizes) | tf.equal(wanted, 0)),
        [
            "periodic_resample expects the size of non-adjustable dimensions be at least as large as size of input "
            "tensor. Input tensor has shape ",
            sizes,
            ", desired shape is ",
            wanted,
        ],
    )
    adjusted = tf.reduce_prod(sizes) // tf.reduce_prod(tf.maximum(wanted, 1))
    positive = tf.Assert(
        adjusted > 0,
        ["periodic_resample found that the adjustable dimension isn't greater than zero"],
    )
    with tf.control_dependencies([large, positive]):
        return tf.where_v2(tf.equal(wanted, 0), adjusted, wanted)


def _sources(sizes: tf.Tensor, target: tf.Tensor, shape: tf.TensorShape) -> tf.Tensor:
    """Returns the number of the input's element for each element of the output."""
    adjustable = _sizes(shape).index(0)
    ratios = (target + sizes - 1) // sizes
    steps = tf.cumprod(ratios, exclusive=True)
    strides = tf.cumprod(sizes, exclusive=True, reverse=True)
    sources = tf.constant(0, tf.int64)
    for axis in range(len(shape)):  # the sum of a term for each dimension
        place = tf.range(target[axis])
        if axis != adjustable:
            block = place % ratios[axis] * steps[axis] * target[adjustable]
            place = place // ratios[axis] * strides[axis] + block * strides[adjustable]
        else:
            place *= strides[axis]
        sources = tf.expand_dims(sources, -1) + place
    return tf.reshape(sources, [-1])

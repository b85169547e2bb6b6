"""Builds `tf.contrib.periodic_resample` and its gradient."""

from typing import List

from tf1grad._compat import tf


def build(values: tf.Tensor, shape: tf.TensorShape) -> tf.Tensor:
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


def build_gradient(
    grad: tf.Tensor, original_shape: tf.TensorShape, desired_shape: tf.TensorShape
) -> tf.Tensor:
    """Returns the gradient of `values`, whose shape is `original_shape`."""
    return _scattered(grad, tf.constant(original_shape.as_list(), tf.int64), desired_shape)


def backward(values: tf.Tensor, gradient: tf.Tensor, shape: tf.TensorShape) -> tf.Tensor:
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

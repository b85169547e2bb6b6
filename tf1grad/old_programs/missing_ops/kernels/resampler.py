"""Builds Resampler, which samples an image at given places with bilinear interpolation, and its gradient."""

from typing import Any, List, Tuple

from tf1grad._compat import tf


def build(data: Any, warp: Any) -> tf.Tensor:
    """Samples images between their pixels; pixels outside the image count as zero.

        output[b, ..., c] = sum over the four pixels (i, j) around (x, y) of
                            (1 - |x - i|) (1 - |y - j|) data[b, j, i, c]

    Both `data` and `warp` have gradients.

    Args:
        data: [batch, height, width, channels], floating point.
        warp: [batch, ..., 2] of the same dtype, the places (x, y) in pixels.

    Returns:
        [batch, ..., channels] of the same dtype.

    Source: the op of `tf.contrib.resampler` in TensorFlow 1.15.
    """
    _check(data, warp)
    pixels, places, weights, _ = _neighbors(data, warp)
    samples = tf.add_n(tf.unstack(tf.gather(pixels, places) * tf.expand_dims(weights, -1)))
    output = tf.reshape(samples, tf.concat([tf.shape(warp)[:-1], tf.shape(data)[3:]], axis=0))
    output.set_shape(warp.shape[:-1].concatenate(data.shape[3:]))
    return output


def build_gradient(data: Any, warp: Any, grad_output: Any) -> Tuple[tf.Tensor, tf.Tensor]:
    """Returns the gradients of `data` and `warp` for that of the output."""
    batch, height, width, channels = tf.unstack(tf.shape(data))
    pixels, places, weights, (right, below) = _neighbors(data, warp)
    gradient = tf.reshape(grad_output, [batch, -1, channels])
    framed = tf.reshape(_scattered(gradient, places, weights, tf.shape(pixels)),
                        [batch, height + 3, width + 3, channels])
    corner, opposite, under, beside = tf.unstack(tf.reduce_sum(tf.gather(pixels, places) * gradient, axis=-1))
    of_x = (1 - below) * (beside - corner) + below * (opposite - under)
    of_y = (1 - right) * (under - corner) + right * (opposite - beside)
    return framed[:, 1:-2, 1:-2], tf.reshape(tf.stack([of_x, of_y], axis=-1), tf.shape(warp))


def gradients_of_inputs(data: Any, warp: Any, gradients: List[tf.Tensor]) -> List[tf.Tensor]:
    """Returns the gradients of `data` and `warp`, from a list with the output's."""
    return list(build_gradient(data, warp, gradients[0]))


def _neighbors(data: tf.Tensor, warp: tf.Tensor) -> Tuple[tf.Tensor, tf.Tensor, tf.Tensor, Tuple[tf.Tensor, tf.Tensor]]:
    """Returns the pixels as rows, the rows of the four pixels around each place, their weights, and the distances."""
    batch, height, width, channels = tf.unstack(tf.shape(data))
    x, y = tf.unstack(tf.reshape(warp, [batch, -1, 2]), axis=2)
    x_end, y_end = tf.cast(width, x.dtype), tf.cast(height, y.dtype)
    inside = (x > -1) & (y > -1) & (x < x_end) & (y < y_end)
    # With a frame of zeros the four pixels need not be tested one by one. Places outside, and NaN, sample the
    # corner of the frame, where all four pixels are zero.
    framed = tf.pad(data, [[0, 0], [1, 2], [1, 2], [0, 0]])
    x, y = tf.where_v2(inside, x, x_end), tf.where_v2(inside, y, y_end)
    left, top = tf.floor(x), tf.floor(y)
    row = width + 3
    place = (tf.cast(top, tf.int32) + 1) * row + tf.cast(left, tf.int32) + 1
    place += tf.expand_dims(tf.range(batch) * row * (height + 3), 1)
    right, below = x - left, y - top
    weights = tf.stack([(1 - right) * (1 - below), right * below, (1 - right) * below, right * (1 - below)])
    places = tf.stack([place, place + row + 1, place + row, place + 1])
    return tf.reshape(framed, [-1, channels]), places, weights, (right, below)


def _scattered(gradient: tf.Tensor, places: tf.Tensor, weights: tf.Tensor, shape: tf.Tensor) -> tf.Tensor:
    """Returns the gradient of `pixels` as a product with the sparse matrix of weights, which does not store summands.
    """
    count = tf.size(places) // 4
    samples = tf.tile(tf.range(count), [4])
    dtype = tf.float64 if gradient.dtype == tf.float64 else tf.float32  # the op does not support half precision
    product = tf.raw_ops.SparseTensorDenseMatMul(
        a_indices=tf.transpose(tf.stack([tf.reshape(places, [-1]), samples])),
        a_values=tf.cast(tf.reshape(weights, [-1]), dtype), a_shape=tf.cast(tf.stack([shape[0], count]), tf.int64),
        b=tf.cast(tf.reshape(gradient, [count, shape[1]]), dtype))
    return tf.cast(product, gradient.dtype)


def _check(data: tf.Tensor, warp: tf.Tensor) -> None:
    """Checks the static shapes, as the op does.

    Raises:
        ValueError: a known shape does not fit.
    """
    data.shape.assert_has_rank(4)
    warp.shape.with_rank_at_least(2)
    warp.shape[-1:].assert_is_compatible_with([2])
    data.shape[:1].assert_is_compatible_with(warp.shape[:1])

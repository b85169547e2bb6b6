"""Builds Resampler, which samples an image at given places with bilinear interpolation."""

from typing import Any, Callable, Optional, Tuple

from tf1grad._compat import tf


def build(data: Any, warp: Any, name: Optional[str] = None) -> tf.Tensor:
    """Samples images between their pixels; pixels outside the image count as zero.

        output[b, ..., c] = sum over the four pixels (i, j) around (x, y) of
                            (1 - |x - i|) (1 - |y - j|) data[b, j, i, c]

    Both `data` and `warp` have gradients.

    Args:
        data: [batch, height, width, channels], floating point.
        warp: [batch, ..., 2] of the same dtype, the places (x, y) in pixels.
        name: a name for the scope of the ops.

    Returns:
        [batch, ..., channels] of the same dtype.

    Source: the op of `tf.contrib.resampler` in TensorFlow 1.15.
    """
    with tf.name_scope(name, "Resampler", [data, warp]):
        data, warp = tf.convert_to_tensor(data), tf.convert_to_tensor(warp)
        _check(data, warp)
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
        samples = _mixed(tf.reshape(framed, [-1, channels]),
                         tf.stack([place, place + row + 1, place + row, place + 1]), weights)
        output = tf.reshape(samples, tf.concat([tf.shape(warp)[:-1], [channels]], axis=0))
        output.set_shape(warp.shape[:-1].concatenate(data.shape[3:]))
        return output


@tf.custom_gradient  # type: ignore[untyped-decorator]
def _mixed(pixels: tf.Tensor, places: tf.Tensor, weights: tf.Tensor) -> Tuple[tf.Tensor, Callable[..., Any]]:
    """Returns the sum over the first axis of `weights`, [4, ...], times the rows of `pixels` at `places`, [4, ...]."""
    values = tf.gather(pixels, places)

    def gradients(gradient: tf.Tensor) -> Tuple[tf.Tensor, None, tf.Tensor]:
        return _scattered(gradient, places, weights, tf.shape(pixels)), None, tf.reduce_sum(values * gradient, axis=-1)

    return tf.add_n(tf.unstack(values * tf.expand_dims(weights, -1))), gradients


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

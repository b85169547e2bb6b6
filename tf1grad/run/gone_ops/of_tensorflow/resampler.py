"""Builds Resampler, which samples an image at given places with bilinear
interpolation, and its gradient.
"""

from __future__ import annotations

from typing import Any

from tf1grad._compat import tf


def build(data: Any, warp: Any) -> tf.Tensor:
    """Samples images between their pixels; pixels outside the image count as zero.

        output[b, ..., c] = sum over the four pixels (i, j) around (x, y) of
                            (1 - |x - i|) (1 - |y - j|) data[b, j, i, c]

    `data` is [batch, height, width, channels], `warp` [batch, ..., 2]. Both have gradients.
    """
    data.set_shape([None] * 4)
    warp.shape.with_rank_at_least(2)
    warp.shape[-1:].assert_is_compatible_with([2])
    data.shape[:1].assert_is_compatible_with(warp.shape[:1])
    batch = tf.shape(data)[0]
    pixels, places, weights, _ = _neighbors(
        data, *tf.split(tf.reshape(warp, [batch, -1, 2]), 2, axis=2)
    )
    samples = tf.add_n(
        [tf.gather_nd(pixels, place) * weight for place, weight in zip(places, weights)]
    )
    output = tf.reshape(samples, tf.concat([tf.shape(warp)[:-1], tf.shape(data)[3:]], axis=0))
    output.set_shape(warp.shape[:-1].concatenate(data.shape[3:]))
    return output


def build_gradient(data: Any, warp: Any, grad_output: Any) -> tuple[tf.Tensor, tf.Tensor]:
    """Returns the gradients of `data` and `warp` for that of the output."""
    data.set_shape([None] * 4)
    batch, height, width, channels = tf.unstack(tf.shape(data))
    pixels, places, weights, (right, below) = _neighbors(
        data, *tf.split(tf.reshape(warp, [batch, -1, 2]), 2, axis=2)
    )
    gradient = tf.reshape(grad_output, [batch, -1, channels])
    parts = tf.concat([gradient * weight for weight in weights], axis=1)
    of_pixels = tf.math.unsorted_segment_sum(
        parts, tf.concat(places, axis=1)[:, :, 0], tf.shape(pixels)[0]
    )
    framed = tf.reshape(of_pixels, [batch, height + 4, width + 4, channels])
    corner, opposite, under, beside = [
        tf.reduce_sum(tf.gather_nd(pixels, place) * gradient, axis=-1) for place in places
    ]
    right, below = tf.squeeze(right, 2), tf.squeeze(below, 2)
    of_x = (1 - below) * (beside - corner) + below * (opposite - under)
    of_y = (1 - right) * (under - corner) + right * (opposite - beside)
    return framed[:, 2:-2, 2:-2], tf.reshape(tf.stack([of_x, of_y], axis=-1), tf.shape(warp))


def _neighbors(
    data: tf.Tensor, x: tf.Tensor, y: tf.Tensor
) -> tuple[tf.Tensor, list[tf.Tensor], list[tf.Tensor], tuple[tf.Tensor, tf.Tensor]]:
    """Returns the pixels as rows, the rows of the four pixels around each place,
    their weights, and the distances.
    """
    batch, height, width, channels = tf.unstack(tf.shape(data))
    # With a frame of zeros the four pixels need not be tested one by one. Places outside, and NaN,
    # sample the frame.
    framed = tf.pad(data, [[0, 0], [2, 2], [2, 2], [0, 0]])
    x, y = (
        tf.where_v2(place > -1, tf.minimum(place, tf.cast(size, place.dtype)), -2)
        for place, size in ((x, width), (y, height))
    )
    left, top = tf.floor(x), tf.floor(y)
    row = width + 4
    first = tf.reshape(tf.range(batch) * row * (height + 4) + 2 * row + 2, [-1, 1, 1])
    place = tf.cast(top, tf.int32) * row + tf.cast(left, tf.int32) + first
    right, below = x - left, y - top
    far, high = 1 - right, 1 - below
    return (
        tf.reshape(framed, [-1, channels]),
        [place, place + row + 1, place + row, place + 1],
        [far * high, right * below, far * below, right * high],
        (right, below),
    )

"""Builds ImageConnectedComponents, which numbers the connected areas of equal pixels."""

from typing import Tuple

from tf1grad._compat import tf


def build(image: tf.Tensor) -> tf.Tensor:
    """Numbers areas of equal pixels that touch horizontally or vertically; zero, False and "" belong to no area.

    For [batch, height, width] returns 0 outside of the areas, else 1 and the number of the area's first pixel. The op
    of 1.15 had another pixel's number for some; `tf.contrib.image.connected_components` numbers the areas again.
    """
    is_inside = tf.not_equal(image, tf.zeros([], image.dtype) if image.dtype != tf.string else "")
    beside = tf.pad(tf.equal(image[:, :, 1:], image[:, :, :-1]), [[0, 0], [0, 0], [1, 0]]) & is_inside
    under = tf.pad(tf.equal(image[:, 1:], image[:, :-1]), [[0, 0], [1, 0], [0, 0]]) & is_inside
    starts = tf.reshape(is_inside & tf.logical_not(beside), [-1])
    runs = tf.cumsum(tf.cast(starts, tf.int32)) - 1  # of pixels that are equal, side by side
    # Runs that touch have one contact: that of the first pixel.
    is_later = beside & tf.pad(under[:, :, :-1], [[0, 0], [0, 0], [1, 0]])
    contacts = tf.where_v2(tf.reshape(under & tf.logical_not(is_later), [-1]))
    lower = tf.gather_nd(runs, contacts)
    upper = tf.gather_nd(runs, contacts - tf.shape(image, out_type=tf.int64)[2])
    firsts = tf.where_v2(starts)[:, 0]
    areas = tf.gather(firsts + 1, _lowest_connected(lower, upper, tf.size(firsts)))
    numbers = tf.where_v2(is_inside, tf.reshape(runs, tf.shape(image)) + 1, 0)
    components = tf.gather(tf.concat([[0], areas], axis=0), numbers)
    components.set_shape(image.shape)
    return components


def _lowest_connected(one: tf.Tensor, other: tf.Tensor, count: tf.Tensor) -> tf.Tensor:
    """Returns the lowest of the numbers below `count` that each is connected with, by pairs of `one` and `other`."""
    def join(lowest: tf.Tensor, first: tf.Tensor, second: tf.Tensor) -> Tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
        joined = tf.math.unsorted_segment_min(tf.minimum(first, second), tf.maximum(first, second), count)
        lowest = tf.minimum(lowest, joined)
        lowest = tf.gather(lowest, lowest)
        lowest = tf.gather(lowest, lowest)
        return lowest, tf.gather(lowest, one), tf.gather(lowest, other)

    return tf.while_loop(lambda _, first, second: tf.reduce_any(tf.not_equal(first, second)), join,
                         [tf.range(count), one, other], [tf.TensorShape([None])] * 3, back_prop=False)[0]

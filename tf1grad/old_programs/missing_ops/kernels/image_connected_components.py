"""Builds ImageConnectedComponents, which numbers the connected areas of equal pixels."""

from typing import Tuple

from tf1grad._compat import tf


def build(image: tf.Tensor) -> tf.Tensor:
    """Numbers areas of equal pixels that touch horizontally or vertically; zero, False and "" belong to no area.

    Args:
        image: [batch, height, width].

    Returns:
        [batch, height, width] int64: 0 outside of the areas, else 1 and the number of the area's first pixel. The op
        of 1.15 had another pixel's number for some; `tf.contrib.image.connected_components` numbers the areas again.

    Source: the op of `tf.contrib.image` in TensorFlow 1.15.
    """
    background = tf.zeros([], image.dtype) if image.dtype != tf.string else tf.constant("")
    is_inside = tf.not_equal(image, background)
    size = tf.size(image, out_type=tf.int64)
    numbers = tf.where_v2(is_inside, tf.reshape(tf.range(size), tf.shape(image)), size)
    beside = tf.equal(image[:, :, 1:], image[:, :, :-1]) & is_inside[:, :, 1:]
    under = tf.equal(image[:, 1:], image[:, :-1]) & is_inside[:, 1:]

    def spread(numbers: tf.Tensor, unused_changed: tf.Tensor) -> Tuple[tf.Tensor, tf.Tensor]:
        across = tf.where_v2(beside, tf.minimum(numbers[:, :, 1:], numbers[:, :, :-1]), size)
        lowest = tf.minimum(numbers, tf.pad(across, [[0, 0], [0, 0], [1, 0]], constant_values=_LARGEST))
        lowest = tf.minimum(lowest, tf.pad(across, [[0, 0], [0, 0], [0, 1]], constant_values=_LARGEST))
        down = tf.where_v2(under, tf.minimum(lowest[:, 1:], lowest[:, :-1]), size)
        lowest = tf.minimum(lowest, tf.pad(down, [[0, 0], [1, 0], [0, 0]], constant_values=_LARGEST))
        lowest = tf.minimum(lowest, tf.pad(down, [[0, 0], [0, 1], [0, 0]], constant_values=_LARGEST))
        # Each pixel takes the number of the pixel whose number it has, so that numbers spread in few turns.
        table = tf.concat([tf.reshape(lowest, [-1]), [size]], axis=0)
        jumped = tf.where_v2(is_inside, tf.gather(table, tf.gather(table, lowest)), size)
        return jumped, tf.reduce_any(tf.not_equal(jumped, numbers))

    numbers, _ = tf.while_loop(lambda _, changed: changed, spread, [numbers, tf.constant(True)],
                               [tf.TensorShape([None] * 3), tf.TensorShape([])], back_prop=False)
    components = tf.where_v2(is_inside, numbers + 1, tf.constant(0, tf.int64))
    components.set_shape(image.shape)
    return components


_LARGEST = (1 << 63) - 1

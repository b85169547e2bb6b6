"""Resampler: bilinear samples of an image at given places."""

from tf1grad._compat import tf


def build(data, warp, name=None):
    """Samples images between their pixels; pixels outside count as zero.

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
        points = tf.reshape(warp, [batch, -1, 2])
        inside = tf.reduce_all((points > -1) & (points < tf.cast(tf.stack([width, height]), warp.dtype)), axis=2)
        # Somewhere to sample from, for those outside; NaN among them, which are on no side.
        points = tf.where(tf.stack([inside, inside], axis=2), points, tf.zeros_like(points))
        x, y = tf.unstack(points, axis=2)
        left, top = tf.floor(x), tf.floor(y)
        # A frame of zeros, so that no pixel of the four needs a test of its own.
        framed = tf.reshape(tf.pad(data, [[0, 0], [1, 1], [1, 1], [0, 0]]), [batch, -1, channels])
        place = (tf.cast(top, tf.int32) + 1) * (width + 2) + tf.cast(left, tf.int32) + 1
        right, below = x - left, y - top

        def part(weight, offset):
            return tf.expand_dims(weight, 2) * tf.gather(framed, place + offset, axis=1, batch_dims=1)

        samples = (part((1 - right) * (1 - below), 0) + part(right * below, width + 3)
                   + part((1 - right) * below, width + 2) + part(right * (1 - below), 1))
        samples = tf.where(tf.tile(tf.expand_dims(inside, 2), [1, 1, channels]), samples, tf.zeros_like(samples))
        output = tf.reshape(samples, tf.concat([tf.shape(warp)[:-1], [channels]], axis=0))
        output.set_shape(warp.shape[:-1].concatenate(data.shape[3:]))
        return output


def _check(data, warp):
    """The complaints of the op.

    Raises:
        ValueError: a shape that is known does not fit.
    """
    data.shape.assert_has_rank(4)
    warp.shape.with_rank_at_least(2)
    warp.shape[-1:].assert_is_compatible_with([2])
    data.shape[:1].assert_is_compatible_with(warp.shape[:1])

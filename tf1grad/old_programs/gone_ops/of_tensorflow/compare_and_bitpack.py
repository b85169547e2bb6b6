"""Builds CompareAndBitpack, which compares elements with a threshold and packs the results into bits."""

from tf1grad._compat import tf

# The product of 8 bytes, each 0 or 1, with this number has the bytes' bits in its highest byte, the first one highest.
_GATHERED = sum(1 << 9 * bit for bit in range(7)) - (1 << 63)


def build(input: tf.Tensor, threshold: tf.Tensor) -> tf.Tensor:
    """Returns one byte for eight elements: the highest bit says whether the first is above the threshold.

    The input is [..., 8 n]; the elements of a bool tensor are the results. Another last dimension ends the run with an
    InvalidArgumentError.
    """
    above = input if input.dtype == tf.bool else input > threshold
    shape = tf.shape(input)
    check = tf.Assert(tf.equal(shape[-1] % 8, 0), ["Inner dimension of input should be divisible by 8, but got ",
                                                   shape])
    with tf.control_dependencies([check]):
        groups = tf.reshape(tf.cast(above, tf.uint8), tf.concat([shape[:-1], [shape[-1] // 8, 8]], axis=0))
    product = tf.bitcast(groups, tf.int64) * _GATHERED
    return tf.cast(tf.bitwise.right_shift(product, tf.constant(56, tf.int64)), tf.uint8)

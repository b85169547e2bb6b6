"""Builds CompareAndBitpack, which compares elements with a threshold and packs the results into bits."""

from tf1grad._compat import tf


def build(input: tf.Tensor, threshold: tf.Tensor) -> tf.Tensor:
    """Returns one byte for eight elements: the highest bit says whether the first is above the threshold.

    Args:
        input: [..., 8 n]; the elements of a bool tensor are the results.
        threshold: a scalar of the same dtype.

    Returns:
        [..., n] uint8. Another last dimension ends the run with an InvalidArgumentError.

    Source: the op of TensorFlow 1.15.
    """
    above = input if input.dtype == tf.bool else input > threshold
    shape = tf.shape(input)
    check = tf.Assert(tf.equal(shape[-1] % 8, 0), ["Inner dimension of input should be divisible by 8, but got ",
                                                   shape])
    with tf.control_dependencies([check]):
        groups = tf.reshape(tf.cast(above, tf.int32), tf.concat([shape[:-1], [shape[-1] // 8, 8]], axis=0))
    packed = tf.reduce_sum(groups * tf.constant([128, 64, 32, 16, 8, 4, 2, 1]), axis=-1)
    return tf.cast(packed, tf.uint8)

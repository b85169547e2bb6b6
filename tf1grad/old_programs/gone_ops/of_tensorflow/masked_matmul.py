"""Builds MaskedMatmul, which computes some elements of a product of matrices."""

from tf1grad._compat import tf


def build(a: tf.Tensor, b: tf.Tensor, mask_indices: tf.Tensor, transpose_a: tf.Tensor,
          transpose_b: tf.Tensor) -> tf.Tensor:
    """Returns (a b)[i, j] for each row (i, j) of `mask_indices`.

    Matrices that do not fit end the run with an InvalidArgumentError.
    """
    left = tf.cond(transpose_a, lambda: tf.transpose(a), lambda: tf.identity(a))
    right = tf.cond(transpose_b, lambda: tf.identity(b), lambda: tf.transpose(b))
    check = tf.Assert(tf.equal(tf.shape(left)[1], tf.shape(right)[1]),
                      ["Matrix shapes are incompatible: a has shape ", tf.shape(a), ", while b has shape ",
                       tf.shape(b)])
    with tf.control_dependencies([check]):
        rows = tf.gather(left, mask_indices[:, 0])
    return tf.reduce_sum(rows * tf.gather(right, mask_indices[:, 1]), axis=1)

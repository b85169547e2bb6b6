"""Builds WALSComputePartialLhsAndRhs, the normal equations of weighted alternating least squares."""

from typing import Tuple

from tf1grad._compat import tf

_AT_ONCE = 1 << 22  # elements of outer products that are held at one time


def build(factors: tf.Tensor, factor_weights: tf.Tensor, unobserved_weights: tf.Tensor, input_weights: tf.Tensor,
          input_indices: tf.Tensor, input_values: tf.Tensor, entry_weights: tf.Tensor, input_block_size: tf.Tensor,
          input_is_transpose: tf.Tensor) -> Tuple[tf.Tensor, tf.Tensor]:
    """Returns the left and right sides of the equations of a block of rows, without the unobserved entries.

    With the weight w = entry_weights[n], or input_weights[i] factor_weights[j] where that is empty, for each entry n
    of row i and column j,

        lhs[i] = sum w f_j f_j^T,   rhs[i] = sum (unobserved_weights + w) input_values[n] f_j.

    Args:
        factors: [columns, k] float32, the f_j.
        factor_weights: [columns] float32, or [0].
        unobserved_weights: scalar float32.
        input_weights: [input_block_size] float32, or [0].
        input_indices: [entries, 2] int64, (i, j).
        input_values: [entries] float32.
        entry_weights: [entries] float32, or [0].
        input_block_size: scalar int64, the number of rows.
        input_is_transpose: scalar bool; if True the indices are (j, i).

    Returns:
        [input_block_size, k, k] and [input_block_size, k], float32.

    Source: the op of `tf.contrib.factorization` in TensorFlow 1.15.
    """
    rows = tf.where_v2(input_is_transpose, input_indices[:, 1], input_indices[:, 0])
    columns = tf.where_v2(input_is_transpose, input_indices[:, 0], input_indices[:, 1])
    weights = tf.cond(tf.size(entry_weights) > 0, lambda: tf.identity(entry_weights),
                      lambda: tf.gather(input_weights, rows) * tf.gather(factor_weights, columns))
    found = tf.gather(factors, columns)
    scaled = tf.expand_dims(input_values * (unobserved_weights + weights), 1) * found
    rank = tf.shape(factors, out_type=tf.int64)[1]
    step = tf.maximum(_AT_ONCE // (rank * rank), 1)
    entries = tf.shape(rows, out_type=tf.int64)[0]

    def add(start: tf.Tensor, left: tf.Tensor) -> Tuple[tf.Tensor, tf.Tensor]:
        some = found[start:start + step]
        outer = tf.expand_dims(some * tf.expand_dims(weights[start:start + step], 1), 2) * tf.expand_dims(some, 1)
        summed = tf.math.unsorted_segment_sum(outer, rows[start:start + step], input_block_size)
        return start + step, left + summed

    zero = tf.zeros(tf.stack([input_block_size, rank, rank]))
    _, left = tf.while_loop(lambda start, _: start < entries, add, [tf.constant(0, tf.int64), zero],
                            [tf.TensorShape([]), tf.TensorShape([None, None, None])], back_prop=False)
    return left, tf.math.unsorted_segment_sum(scaled, rows, input_block_size)

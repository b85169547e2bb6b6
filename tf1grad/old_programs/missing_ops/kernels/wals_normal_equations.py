"""Builds WALSComputePartialLhsAndRhs, the normal equations of weighted alternating least squares."""

from typing import Tuple

from tf1grad._compat import tf

_AT_ONCE = 1 << 22  # elements of products that are held at one time
_BLOCK = 16  # entries of a row that are multiplied together


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
    places, rows_of_blocks = _blocks(rows, input_block_size)
    blocks = tf.size(rows_of_blocks, out_type=tf.int64)
    rank = tf.shape(factors, out_type=tf.int64)[1]

    def padded(values: tf.Tensor, width: tf.Tensor) -> tf.Tensor:
        flat = tf.math.unsorted_segment_sum(values, places, blocks * _BLOCK)
        return tf.reshape(flat, tf.stack([blocks, _BLOCK, width]))

    plain = padded(found, rank)
    weighted = plain * padded(weights, tf.ones([], tf.int64))
    step = tf.maximum(_AT_ONCE // (rank * rank), 1)

    def add(start: tf.Tensor, left: tf.Tensor) -> Tuple[tf.Tensor, tf.Tensor]:
        some = slice(start, start + step)
        outer = tf.matmul(weighted[some], plain[some], transpose_a=True)
        return start + step, left + tf.math.unsorted_segment_sum(outer, rows_of_blocks[some], input_block_size)

    zero = tf.zeros(tf.stack([input_block_size, rank, rank]))
    _, left = tf.while_loop(lambda start, _: start < blocks, add, [tf.constant(0, tf.int64), zero],
                            [tf.TensorShape([]), tf.TensorShape([None, None, None])], back_prop=False)
    return left, tf.math.unsorted_segment_sum(scaled, rows, input_block_size)


def _blocks(rows: tf.Tensor, count: tf.Tensor) -> Tuple[tf.Tensor, tf.Tensor]:
    """Returns the place of each entry in blocks of `_BLOCK` entries of one row, and the row of each block."""
    is_sorted = tf.reduce_all(rows[1:] >= rows[:-1])
    order = tf.cond(is_sorted, lambda: tf.range(tf.size(rows)), lambda: tf.argsort(rows, stable=True))
    entries = tf.math.unsorted_segment_sum(tf.ones_like(rows), rows, count)
    blocks = (entries + _BLOCK - 1) // _BLOCK
    room = (tf.cumsum(blocks, exclusive=True) * _BLOCK) - tf.cumsum(entries, exclusive=True)
    number = tf.cast(tf.math.invert_permutation(order), tf.int64)  # of the entry, in the order of rows
    return number + tf.gather(room, rows), tf.repeat(tf.range(count), blocks)

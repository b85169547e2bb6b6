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

    The f_j are the rows of `factors`, [columns, k]; the result is [input_block_size, k, k] and [input_block_size, k].
    The indices are (j, i) if `input_is_transpose` is true.
    """
    rows = tf.where_v2(input_is_transpose, input_indices[:, 1], input_indices[:, 0])
    columns = tf.where_v2(input_is_transpose, input_indices[:, 0], input_indices[:, 1])
    weights = tf.cond(tf.size(entry_weights) > 0, lambda: tf.identity(entry_weights),
                      lambda: tf.gather(input_weights, rows) * tf.gather(factor_weights, columns))
    places, rows_of_blocks = _blocks(rows, input_block_size)
    shape = tf.stack([tf.size(rows_of_blocks), _BLOCK, 1])

    def padded(values: tf.Tensor) -> tf.Tensor:
        return tf.reshape(tf.math.unsorted_segment_sum(values, places, tf.reduce_prod(shape)), shape)

    count = tf.shape(factors, out_type=tf.int64)[0]
    # Places without an entry get a row of zeros. Columns that do not exist must not: they are an error of `tf.gather`.
    extended = tf.pad(factors, [[0, 1], [0, 0]])
    columns += tf.cast(columns >= count, tf.int64)
    plain = tf.gather(extended, tf.squeeze(padded(columns - count) + count, 2))
    right = tf.matmul(padded(input_values * (unobserved_weights + weights)), plain, transpose_a=True)
    return (_products(plain * padded(weights), plain, rows_of_blocks, input_block_size),
            tf.math.segment_sum(tf.squeeze(right, 1), rows_of_blocks))


def _products(weighted: tf.Tensor, plain: tf.Tensor, rows: tf.Tensor, count: tf.Tensor) -> tf.Tensor:
    """Returns the products of `weighted` and `plain`, [block, entry, k], summed for each row, [count, k, k]."""
    blocks, _, rank = tf.unstack(tf.shape(plain))
    step = tf.maximum(_AT_ONCE // (rank * rank), 1)

    def add(start: tf.Tensor, left: tf.Tensor) -> Tuple[tf.Tensor, tf.Tensor]:
        some = slice(start, start + step)
        outer = tf.matmul(weighted[some], plain[some], transpose_a=True)
        return start + step, left + tf.math.unsorted_segment_sum(outer, rows[some], count)

    def in_steps() -> tf.Tensor:
        zero = tf.zeros(tf.stack([count, tf.cast(rank, tf.int64), tf.cast(rank, tf.int64)]))
        return tf.while_loop(lambda start, _: start < blocks, add, [tf.constant(0), zero],
                             [tf.TensorShape([]), tf.TensorShape([None, None, None])], back_prop=False)[1]

    # Sums of sorted rows take a third of the time.
    return tf.cond(blocks <= step, lambda: tf.math.segment_sum(tf.matmul(weighted, plain, transpose_a=True), rows),
                   in_steps)


def _blocks(rows: tf.Tensor, count: tf.Tensor) -> Tuple[tf.Tensor, tf.Tensor]:
    """Returns the place of each entry in blocks of `_BLOCK` entries of one row, and the row of each block."""
    is_sorted = tf.reduce_all(rows[1:] >= rows[:-1])
    order = tf.cond(is_sorted, lambda: tf.range(tf.size(rows)), lambda: tf.argsort(rows, stable=True))
    entries = tf.math.unsorted_segment_sum(tf.ones_like(rows), rows, count)
    blocks = tf.maximum((entries + _BLOCK - 1) // _BLOCK, 1)
    room = (tf.cumsum(blocks, exclusive=True) * _BLOCK) - tf.cumsum(entries, exclusive=True)
    number = tf.cast(tf.math.invert_permutation(order), tf.int64)  # of the entry, in the order of rows
    return number + tf.gather(room, rows), tf.repeat(tf.range(count), blocks)

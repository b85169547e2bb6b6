"""Builds BipartiteMatch, which pairs rows and columns of a matrix of distances greedily."""

from typing import Tuple

from tf1grad._compat import tf


def build(distance_mat: tf.Tensor, num_valid_rows: tf.Tensor, top_k: int) -> Tuple[tf.Tensor, tf.Tensor]:
    """Pairs the row and column of the smallest distance, then those of the smallest that is left, and so on.

    Among equal distances the first in the matrix is taken. TensorFlow 1.15 took the one that its heap held first.

    Args:
        distance_mat: [rows, columns] float32.
        num_valid_rows: scalar float32, the number of rows from the first that take part; all if it is negative.
        top_k: the largest number of pairs; no limit if it is not positive.

    Returns:
        [rows] and [columns] int32: the column of each row and the row of each column, -1 for none. A matrix with too
        few rows ends the run with an InvalidArgumentError.

    Source: the op of `tf.contrib.image` in TensorFlow 1.15.
    """
    rows, columns = tf.unstack(tf.shape(distance_mat))
    given = tf.reshape(num_valid_rows, [])
    valid = tf.where_v2(given >= 0, tf.cast(given + 0.1, tf.int32), rows)
    check = tf.Assert(rows >= valid, ["There should be at least ", valid, " rows in distance_mat, but only got ", rows])
    with tf.control_dependencies([check]):
        flat = tf.reshape(distance_mat[:valid], [-1])
    last = tf.size(flat)
    order = tf.argsort(flat, stable=True)
    places = tf.reshape(tf.math.invert_permutation(order), tf.stack([valid, columns]))
    places = tf.pad(places, [[0, rows - valid], [0, 0]], constant_values=-1)
    places = tf.where_v2(places < 0, last, places)
    matches = tf.minimum(valid, columns)
    matches = tf.minimum(matches, top_k) if top_k > 0 else matches

    def match(count: tf.Tensor, of_rows: tf.Tensor, of_columns: tf.Tensor) -> Tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
        is_free = tf.expand_dims(of_rows < 0, 1) & tf.expand_dims(of_columns < 0, 0)
        best = tf.argmin(tf.reshape(tf.where_v2(is_free, places, last), [-1]), output_type=tf.int32)
        row, column = best // columns, best % columns
        return (count + 1, tf.where_v2(tf.equal(tf.range(rows), row), column, of_rows),
                tf.where_v2(tf.equal(tf.range(columns), column), row, of_columns))

    _, of_rows, of_columns = tf.while_loop(
        lambda count, *_: count < matches, match,
        [tf.constant(0), tf.fill([rows], -1), tf.fill([columns], -1)], back_prop=False)
    return of_rows, of_columns

"""Builds BipartiteMatch, which pairs rows and columns of a matrix of distances greedily."""

from typing import Tuple

from tf1grad._compat import tf

_LARGEST = 3e38  # `argmin` does not find the largest float
_NONE = float("inf")


def build(distance_mat: tf.Tensor, num_valid_rows: tf.Tensor, top_k: int) -> Tuple[tf.Tensor, tf.Tensor]:
    """Pairs the row and column of the smallest distance, then those of the smallest that is left, and so on.

    Among equal distances the first in the matrix is taken; TensorFlow 1.15 took the one that its heap held first. The
    distances are [rows, columns] float32. A negative `num_valid_rows` means all, a `top_k` that is not positive no
    limit. Returns the column of each row and the row of each column, -1 for none. Too few rows end the run with an
    InvalidArgumentError.
    """
    rows, columns = tf.unstack(tf.shape(distance_mat))
    given = tf.reshape(num_valid_rows, [])
    valid = tf.where_v2(given >= 0, tf.cast(given + 0.1, tf.int32), rows)
    check = tf.Assert(rows >= valid, ["There should be at least ", valid, " rows in distance_mat, but only got ", rows])
    with tf.control_dependencies([check]):
        used = distance_mat[:valid]
    finite = tf.where_v2(used < _LARGEST, used, _LARGEST)
    # The frame has no pair. It keeps the matrix from being empty.
    left = tf.pad(finite, [[0, rows - valid + 1], [0, 1]], constant_values=_NONE)

    def match(unused_goes_on: tf.Tensor, found: tf.Tensor, left: tf.Tensor) -> Tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
        best = tf.argmin(left, axis=1, output_type=tf.int32)
        of_best = tf.gather(tf.argmin(left, axis=0, output_type=tf.int32), best)
        is_pair = tf.equal(of_best, tf.range(rows + 1)) & (tf.reduce_min(left, axis=1) < _NONE)
        is_taken = tf.math.unsorted_segment_max(tf.cast(is_pair, tf.int32), best, columns + 1) > 0
        left = tf.where_v2(tf.expand_dims(is_pair, 1) | is_taken, _NONE, left)
        return tf.reduce_any(is_pair), tf.where_v2(is_pair, best, found), left

    # A pair is the next one of its row and of its column if it has the smallest distance of both, so each turn finds
    # many pairs.
    _, found, _ = tf.while_loop(lambda goes_on, *_: goes_on, match, [tf.constant(True), tf.fill([rows + 1], -1), left],
                                [tf.TensorShape([]), tf.TensorShape([None]), tf.TensorShape([None, None])],
                                back_prop=False)
    of_rows = found[:rows]
    if top_k > 0:
        chosen = tf.where_v2(of_rows < 0, columns, of_rows)
        order = tf.argsort(tf.gather(left[:rows], chosen, batch_dims=1), stable=True)
        of_rows = tf.where_v2(tf.math.invert_permutation(order) < top_k, of_rows, -1)
    return of_rows, tf.maximum(tf.math.unsorted_segment_max(tf.range(rows), of_rows, columns), -1)

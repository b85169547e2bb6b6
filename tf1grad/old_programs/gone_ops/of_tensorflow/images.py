"""Builds ops of `tf.contrib.image`: pairs of boxes, and projective transforms."""

from __future__ import annotations

from tf1grad._compat import tf

_LARGEST = 3e38  # `argmin` does not find the largest float
_NONE = float("inf")


def bipartite_match(
    distance_mat: tf.Tensor, num_valid_rows: tf.Tensor, top_k: int
) -> tuple[tf.Tensor, tf.Tensor]:
    """Pairs the row and column of the smallest distance, then those of the smallest that is left, and so on.

    Among equal distances the first in the matrix is taken; TensorFlow 1.15 took the one that its heap held first. The
    distances are [rows, columns] float32. A negative `num_valid_rows` means all, a `top_k` that is not positive no
    limit. Returns the column of each row and the row of each column, -1 for none. Too few rows end the run with an
    InvalidArgumentError.
    """
    rows, columns = tf.unstack(tf.shape(distance_mat))
    given = tf.reshape(num_valid_rows, [])
    valid = tf.where_v2(given >= 0, tf.cast(given + 0.1, tf.int32), rows)
    check = tf.Assert(
        rows >= valid,
        ["There should be at least ", valid, " rows in distance_mat, but only got ", rows],
    )
    with tf.control_dependencies([check]):
        used = distance_mat[:valid]
    left = tf.where_v2(used < _LARGEST, used, _LARGEST)
    count = tf.minimum(valid, columns)
    if top_k > 0:
        count = tf.minimum(count, top_k)

    def match(
        step: tf.Tensor, left: tf.Tensor, of_rows: tf.Tensor
    ) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
        best = tf.argmin(tf.reshape(left, [-1]), output_type=tf.int32)
        row, column = best // columns, best % columns
        is_taken = tf.equal(tf.expand_dims(tf.range(valid), 1), row) | tf.equal(
            tf.range(columns), column
        )
        return (
            step + 1,
            tf.where_v2(is_taken, _NONE, left),
            tf.where_v2(tf.equal(tf.range(rows), row), column, of_rows),
        )

    _, _, of_rows = tf.while_loop(
        lambda step, *_: step < count,
        match,
        [0, left, tf.fill([rows], -1)],
        [tf.TensorShape([]), tf.TensorShape([None, None]), tf.TensorShape([None])],
        back_prop=False,
    )
    of_columns = tf.maximum(tf.math.unsorted_segment_max(tf.range(rows), of_rows, columns), -1)
    of_rows.set_shape(distance_mat.shape[:1])
    of_columns.set_shape(distance_mat.shape[1:])
    return of_rows, of_columns


def projective_transform(images: tf.Tensor, transforms: tf.Tensor, interpolation: str) -> tf.Tensor:
    """Transforms images to images of the same size; the `transforms` are [batch, 8] or [1, 8] float32."""
    return tf.raw_ops.ImageProjectiveTransformV2(
        images=images,
        transforms=transforms,
        output_shape=tf.shape(images)[1:3],
        interpolation=interpolation,
    )

"""Builds DecodeLibsvm, which parses lines of the form `label index:value index:value`."""

from typing import Tuple

from tf1grad._compat import tf


def build(input: tf.Tensor, num_features: int, dtype: tf.DType,
          label_dtype: tf.DType) -> Tuple[tf.Tensor, tf.Tensor, tf.Tensor, tf.Tensor]:
    """Returns the labels of lines, and the indices, values and shape of the features as a sparse tensor.

    Its last dimension is `num_features`. A line that cannot be parsed ends the run with an InvalidArgumentError.
    """
    shape = tf.shape(input, out_type=tf.int64)
    lines = tf.reshape(input, [-1])
    entries = tf.string_split(lines, " ")
    row, column = entries.indices[:, 0], entries.indices[:, 1]
    is_label = tf.equal(column, 0)
    labels = tf.boolean_mask(entries.values, is_label)
    complete = tf.Assert(tf.equal(tf.size(labels), tf.size(lines)), ["No label found for an input in ", lines])
    features = tf.boolean_mask(entries.values, tf.logical_not(is_label))
    parts = tf.string_split(features, ":", skip_empty=False)
    counts = tf.math.unsorted_segment_sum(tf.ones_like(parts.indices[:, 0]), parts.indices[:, 0],
                                          tf.size(features, out_type=tf.int64))
    pairs = tf.Assert(tf.reduce_all(tf.equal(counts, 2)),
                      ["Feature format incorrect: ", tf.boolean_mask(features, tf.not_equal(counts, 2))])
    with tf.control_dependencies([complete, pairs]):
        label = tf.reshape(tf.strings.to_number(labels, label_dtype), shape)
        halves = tf.reshape(parts.values, [-1, 2])
    places = tf.transpose(tf.unravel_index(tf.boolean_mask(row, tf.logical_not(is_label)), shape))
    indices = tf.concat([places, tf.strings.to_number(halves[:, :1], tf.int64)], axis=1)
    return (label, indices, tf.strings.to_number(halves[:, 1], dtype),
            tf.concat([shape, [tf.constant(num_features, tf.int64)]], axis=0))

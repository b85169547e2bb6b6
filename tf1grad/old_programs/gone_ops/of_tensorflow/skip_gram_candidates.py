"""Builds SkipGramGenerateCandidates, which pairs tokens with their neighbors."""

from typing import Tuple

from tf1grad._compat import tf


def build(input_tensor: tf.Tensor, min_skips: tf.Tensor, max_skips: tf.Tensor, start: tf.Tensor, limit: tf.Tensor,
          emit_self_as_target: tf.Tensor, seed: int, seed2: int) -> Tuple[tf.Tensor, tf.Tensor]:
    """Returns the pairs of each token with the tokens at most `skips` places away, `skips` being random.

    With seeds, the first run of a session draws what TensorFlow 1.15 drew; later runs draw other numbers. A negative
    `limit` means all tokens. Invalid limits end the run with an InvalidArgumentError.
    """
    flat = tf.reshape(input_tensor, [-1])
    end = tf.where_v2(limit < 0, tf.size(flat), tf.minimum(start + limit, tf.size(flat)))
    checks = [tf.Assert((min_skips >= 0) & (max_skips >= 0), ["Both min_skips and max_skips must be >= 0."]),
              tf.Assert(min_skips <= max_skips, ["min_skips must be <= max_skips."])]
    with tf.control_dependencies(checks):
        tokens = tf.range(start, tf.maximum(start, end))
    drawn = tf.raw_ops.RandomUniformInt(shape=tf.shape(tokens), minval=tf.int32.min, maxval=tf.int32.max, seed=seed,
                                        seed2=seed2)
    unsigned = tf.cast(drawn, tf.int64) - tf.int32.min
    skips = min_skips + tf.cast(unsigned % tf.cast(max_skips - min_skips + 1, tf.int64), tf.int32)
    counts = 2 * skips + 1
    number = tf.repeat(tf.range(tf.size(tokens)), counts)
    first = tf.cumsum(counts, exclusive=True) + skips
    offset = tf.range(tf.reduce_sum(counts)) - tf.gather(first, number)
    token = tf.gather(tokens, number)
    label = token + offset
    is_pair = (label >= start) & (label < end) & (tf.not_equal(offset, 0) | emit_self_as_target)
    return tf.gather(flat, tf.boolean_mask(token, is_pair)), tf.gather(flat, tf.boolean_mask(label, is_pair))

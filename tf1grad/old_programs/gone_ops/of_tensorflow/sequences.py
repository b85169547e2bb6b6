"""Builds ops for sequences of tokens and lines of text."""

from typing import Tuple

from tf1grad._compat import tf


def gather_tree(
    step_ids: tf.Tensor,
    parent_ids: tf.Tensor,
    max_sequence_lengths: tf.Tensor,
    end_token: tf.Tensor,
) -> tf.Tensor:
    """Returns the tokens of whole beams.

        beams[t, b, k] = step_ids[t, b, q(t)],  q(last) = k,  q(t) = parent_ids[t + 1, b, q(t + 1)],
        last = max_sequence_lengths[b] - 1,

    and `end_token` after the first `end_token`, and from max_sequence_lengths[b] on.

    Tokens and parents are [time, batch, beam] int32. An invalid parent on the way ends the run with an
    InvalidArgumentError.
    """
    shape = step_ids.shape.with_rank(3).merge_with(parent_ids.shape.with_rank(3))
    steps, batch, beams = tf.unstack(tf.shape(step_ids))
    last = tf.minimum(tf.expand_dims(max_sequence_lengths, 1), steps) - 1

    def parents_of(beam: tf.Tensor, step: Tuple[tf.Tensor, tf.Tensor]) -> tf.Tensor:
        time, parents = step
        return tf.where_v2(time <= last, tf.gather(parents, beam, batch_dims=1), beam)

    following = tf.concat([parent_ids[1:], parent_ids[:1]], axis=0)
    ways = tf.scan(
        parents_of,
        (tf.range(1, steps + 1), following),
        reverse=True,
        back_prop=False,
        initializer=tf.zeros([batch, 1], tf.int32) + tf.range(beams),
    )
    tokens = tf.gather(step_ids, ways, batch_dims=2)
    time = tf.reshape(tf.range(steps), [-1, 1, 1])
    first_end = tf.reduce_min(tf.where_v2(tf.equal(tokens, end_token), time, steps), axis=0)
    output = tf.where_v2(time <= tf.minimum(first_end, last), tokens, end_token)
    output.set_shape(shape)
    output.set_shape([None, max_sequence_lengths.shape.with_rank(1)[0], None])
    return output


def skip_gram_candidates(
    input_tensor: tf.Tensor,
    min_skips: tf.Tensor,
    max_skips: tf.Tensor,
    start: tf.Tensor,
    limit: tf.Tensor,
    emit_self_as_target: tf.Tensor,
    seed: int,
    seed2: int,
) -> Tuple[tf.Tensor, tf.Tensor]:
    """Returns the pairs of each token with the tokens at most `skips` places away, `skips` being random.

    With seeds, the first run of a session draws what TensorFlow 1.15 drew; later runs draw other numbers. A negative
    `limit` means all tokens. Invalid limits end the run with an InvalidArgumentError.
    """
    flat = tf.reshape(input_tensor, [-1])
    end = tf.where_v2(limit < 0, tf.size(flat), tf.minimum(start + limit, tf.size(flat)))
    checks = [
        tf.Assert(
            (min_skips >= 0) & (max_skips >= 0), ["Both min_skips and max_skips must be >= 0."]
        ),
        tf.Assert(min_skips <= max_skips, ["min_skips must be <= max_skips."]),
    ]
    with tf.control_dependencies(checks):
        tokens = tf.range(start, tf.maximum(start, end))
    drawn = tf.raw_ops.RandomUniformInt(
        shape=tf.shape(tokens), minval=tf.int32.min, maxval=tf.int32.max, seed=seed, seed2=seed2
    )
    unsigned = tf.cast(drawn, tf.int64) - tf.int32.min
    skips = min_skips + tf.cast(unsigned % tf.cast(max_skips - min_skips + 1, tf.int64), tf.int32)
    counts = 2 * skips + 1
    number = tf.repeat(tf.range(tf.size(tokens)), counts)
    first = tf.cumsum(counts, exclusive=True) + skips
    offset = tf.range(tf.reduce_sum(counts)) - tf.gather(first, number)
    token = tf.gather(tokens, number)
    label = token + offset
    is_pair = (label >= start) & (label < end) & (tf.not_equal(offset, 0) | emit_self_as_target)
    return tf.gather(flat, tf.boolean_mask(token, is_pair)), tf.gather(
        flat, tf.boolean_mask(label, is_pair)
    )


def decode_libsvm(
    input: tf.Tensor, num_features: int, dtype: tf.DType, label_dtype: tf.DType
) -> Tuple[tf.Tensor, tf.Tensor, tf.Tensor, tf.Tensor]:
    """Returns the labels of lines, and the indices, values and shape of the features as a sparse tensor.

    Its last dimension is `num_features`. A line that cannot be parsed ends the run with an InvalidArgumentError.
    """
    shape = tf.shape(input, out_type=tf.int64)
    lines = tf.reshape(input, [-1])
    entries = tf.string_split(lines, " ")
    row, column = entries.indices[:, 0], entries.indices[:, 1]
    is_label = tf.equal(column, 0)
    labels = tf.boolean_mask(entries.values, is_label)
    complete = tf.Assert(
        tf.equal(tf.size(labels), tf.size(lines)), ["No label found for an input in ", lines]
    )
    features = tf.boolean_mask(entries.values, tf.logical_not(is_label))
    parts = tf.string_split(features, ":", skip_empty=False)
    counts = tf.math.unsorted_segment_sum(
        tf.ones_like(parts.indices[:, 0]), parts.indices[:, 0], tf.size(features, out_type=tf.int64)
    )
    pairs = tf.Assert(
        tf.reduce_all(tf.equal(counts, 2)),
        ["Feature format incorrect: ", tf.boolean_mask(features, tf.not_equal(counts, 2))],
    )
    with tf.control_dependencies([complete, pairs]):
        label = tf.reshape(tf.strings.to_number(labels, label_dtype), shape)
        halves = tf.reshape(parts.values, [-1, 2])
    places = tf.transpose(tf.unravel_index(tf.boolean_mask(row, tf.logical_not(is_label)), shape))
    indices = tf.concat([places, tf.strings.to_number(halves[:, :1], tf.int64)], axis=1)
    return (
        label,
        indices,
        tf.strings.to_number(halves[:, 1], dtype),
        tf.concat([shape, [tf.constant(num_features, tf.int64)]], axis=0),
    )

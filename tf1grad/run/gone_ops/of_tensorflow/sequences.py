"""Builds ops for sequences of tokens."""

from __future__ import annotations

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

    Tokens and parents are [time, batch, beam] int32. An invalid parent on the way ends the run with
    an InvalidArgumentError.
    """
    for given, rank in ((step_ids, 3), (parent_ids, 3), (max_sequence_lengths, 1), (end_token, 0)):
        given.set_shape([None] * rank)
    shape = step_ids.shape.merge_with(parent_ids.shape)
    steps, batch, beams = tf.unstack(tf.shape(step_ids))
    last = tf.minimum(tf.expand_dims(max_sequence_lengths, 1), steps) - 1

    def parents_of(beam: tf.Tensor, step: tuple[tf.Tensor, tf.Tensor]) -> tf.Tensor:
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
    output.set_shape([None, max_sequence_lengths.shape[0], None])
    return output

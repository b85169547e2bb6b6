"""GatherTree: the tokens of each beam, followed back from its end through the beams that it came from."""

from tf1grad._compat import tf


def build(step_ids, parent_ids, max_sequence_lengths, end_token, name=None):
    """The tokens of whole beams.

        beams[t, b, k] = step_ids[t, b, q(t)],  q(last) = k,  q(t) = parent_ids[t + 1, b, q(t + 1)],
        last = max_sequence_lengths[b] - 1,

    and `end_token` after the first of them, and from max_sequence_lengths[b] on. All q come out of log2(time)
    compositions of maps, not of one op a step.

    Args:
        step_ids: [time, batch, beam] int32, the tokens.
        parent_ids: [time, batch, beam] int32, the beam that each token follows.
        max_sequence_lengths: [batch] int32.
        end_token: scalar int32.
        name: a name for the scope of the ops.

    Returns:
        [time, batch, beam] int32. A parent on the way that is no beam is an InvalidArgumentError of the run.

    Source: the op of `tf.contrib.seq2seq` in TensorFlow 1.15.
    """
    with tf.name_scope(name, "GatherTree", [step_ids, parent_ids, max_sequence_lengths, end_token]):
        step_ids = tf.convert_to_tensor(step_ids, tf.int32, name="step_ids")
        parent_ids = tf.convert_to_tensor(parent_ids, tf.int32, name="parent_ids")
        end_token = tf.convert_to_tensor(end_token, tf.int32, name="end_token")
        step_ids.shape.assert_is_compatible_with(parent_ids.shape)
        steps, _, beams = tf.unstack(tf.shape(step_ids))
        zeros = tf.zeros_like(step_ids)
        time = zeros + tf.range(steps)[:, tf.newaxis, tf.newaxis]
        itself, ends = zeros + tf.range(beams), zeros + end_token
        lengths = zeros + tf.convert_to_tensor(max_sequence_lengths, tf.int32)[tf.newaxis, :, tf.newaxis]
        on_the_way = time + 1 < tf.minimum(lengths, steps)
        followed = tf.concat([parent_ids[1:], parent_ids[:1]], axis=0)
        places = _composed(tf.where(on_the_way, tf.clip_by_value(followed, 0, beams - 1), itself), steps)
        after = tf.concat([places[1:], itself[:1]], axis=0)
        with tf.control_dependencies([_check(_picked(followed, after), on_the_way, beams)]):
            tokens = tf.where(time < lengths, _picked(step_ids, places), ends)
        ended = tf.cumsum(tf.cast(tf.equal(tokens, end_token), tf.int32), axis=0, exclusive=True) > 0
        output = tf.where(ended, ends, tokens)
        output.set_shape(step_ids.shape)
        return output


def _composed(maps, steps):
    """For each time t the map maps[t] after maps[t + 1] after ... after the last: a suffix scan by doubling."""
    def doubled(distance, composed):
        later = _picked(composed[:-distance], composed[distance:])
        whole = tf.concat([later, composed[-distance:]], axis=0)
        whole.set_shape(maps.shape)
        return 2 * distance, whole
    _, composed = tf.while_loop(lambda distance, _: distance < steps, doubled, [tf.constant(1), maps],
                                back_prop=False)
    return composed


def _picked(values, places):
    return tf.gather(values, places, axis=2, batch_dims=2)


def _check(parents, on_the_way, beams):
    """An op that fails where a beam is followed to one that is not there; it names the last of its steps."""
    wrong = tf.where(on_the_way & ((parents < 0) | (parents >= beams)))

    def first():
        time, batch, beam = tf.unstack(wrong[-1])
        text = tf.strings.format("Saw invalid parent id {} at (batch, time, beam) == ({}, {}, {})",
                                 [parents[time, batch, beam], batch, time, beam])
        return tf.Assert(False, [text])
    return tf.cond(tf.size(wrong) > 0, first, tf.no_op)

"""Builds GatherTree, which follows each beam back from its end through its parents and returns its tokens."""

from typing import Any, Optional, Tuple

from tf1grad._compat import tf

STRETCH = 16  # steps that are followed one by one


def build(step_ids: Any, parent_ids: Any, max_sequence_lengths: Any, end_token: Any,
          name: Optional[str] = None) -> tf.Tensor:
    """Returns the tokens of whole beams.

        beams[t, b, k] = step_ids[t, b, q(t)],  q(last) = k,  q(t) = parent_ids[t + 1, b, q(t + 1)],
        last = max_sequence_lengths[b] - 1,

    and `end_token` after the first `end_token`, and from max_sequence_lengths[b] on. The ways back are followed through
    all stretches of time at once, and the stretches are then joined: that takes far fewer ops than one per step.

    Tokens and parents are [time, batch, beam] int32. An invalid parent on the way ends the run with an
    InvalidArgumentError.
    """
    with tf.name_scope(name, "GatherTree", [step_ids, parent_ids, max_sequence_lengths, end_token]):
        step_ids = tf.convert_to_tensor(step_ids, tf.int32, name="step_ids")
        parent_ids = tf.convert_to_tensor(parent_ids, tf.int32, name="parent_ids")
        lengths = tf.convert_to_tensor(max_sequence_lengths, tf.int32)
        step_ids.shape.assert_is_compatible_with(parent_ids.shape)
        shape = tf.shape(step_ids)
        steps, batch, beams = tf.unstack(shape)
        way = tf.range(batch * beams)  # one for each beam at the end, of all batches
        last = tf.gather(lengths, way // beams) - 1
        time = tf.expand_dims(tf.range(steps), 1)
        parents = tf.reshape(parent_ids, [steps, batch * beams])
        follows = (time > 0) & (time <= last)
        beam = tf.clip_by_value(parents, 0, beams - 1)
        nodes = _followed(tf.where_v2(follows, beam - way % beams, 0))
        wrong = tf.reshape(follows & tf.not_equal(beam, parents), [-1])
        check = tf.cond(tf.reduce_any(wrong), lambda: _check(wrong, nodes, parent_ids), tf.no_op)
        with tf.control_dependencies([check]):
            tokens = tf.gather_nd(tf.reshape(step_ids, [-1]), tf.expand_dims(nodes, 2))
        first_end = tf.reduce_min(tf.where_v2(tf.equal(tokens, end_token), time, steps), axis=0)
        output = tf.reshape(tf.where_v2(time <= tf.minimum(first_end, last), tokens, end_token), shape)
        output.set_shape(step_ids.shape)
        return output


def _followed(turns: tf.Tensor) -> tf.Tensor:
    """Returns the nodes of each way, [time, way], by its turns: the changes of its index at the time before."""
    steps, ways = tf.unstack(tf.shape(turns))
    before = tf.expand_dims(tf.range(-ways, tf.size(turns) - ways), 1) + tf.reshape(turns, [-1, 1])
    before = tf.maximum(before, 0)  # steps before the first do not exist; the result for them is cut off
    ends = tf.expand_dims(tf.range(steps - 1, -1, -STRETCH) * ways, 1) + tf.range(ways)
    stretch = [tf.reshape(ends, [-1, 1])]
    for _ in range(STRETCH):
        stretch.append(tf.gather_nd(before, stretch[-1]))
    turned = stretch.pop() - (stretch[0] - STRETCH * ways)
    stretches = tf.transpose(tf.reshape(tf.concat(stretch, axis=0), [STRETCH, -1]))
    count = tf.shape(ends)[0]
    backwards = tf.reshape(tf.gather(stretches, _joined(turned, ways)), [count, ways, STRETCH])
    backwards = tf.reshape(tf.transpose(backwards, [0, 2, 1]), [count * STRETCH, ways])
    return tf.reverse(backwards[:steps], axis=[0])


def _joined(turned: tf.Tensor, ways: tf.Tensor) -> tf.Tensor:
    """Returns the stretches of each way, the last first, as [stretch * way] int32."""
    count = tf.size(turned)
    earlier = tf.minimum(tf.expand_dims(tf.range(ways, ways + count), 1) + turned, count - 1)

    def twice(joined: tf.Tensor, earlier: tf.Tensor) -> Tuple[tf.Tensor, tf.Tensor]:
        return tf.concat([joined, tf.gather_nd(earlier, joined)], axis=0), tf.gather_nd(earlier, earlier)

    joined, _ = tf.while_loop(lambda joined, _: tf.size(joined) < count, twice,
                              [tf.expand_dims(tf.range(ways), 1), earlier], [tf.TensorShape([None, 1])] * 2,
                              back_prop=False)
    return tf.reshape(joined, [-1])[:count]


def _check(wrong: tf.Tensor, nodes: tf.Tensor, parent_ids: tf.Tensor) -> tf.Operation:
    """Returns an op that fails where a beam on the way has an invalid parent; the message names the last such step."""
    followed = tf.reshape(tf.gather(wrong, nodes), [-1])
    place = tf.reduce_max(tf.where_v2(followed, tf.range(tf.size(followed)), -1))
    parent = tf.gather(tf.reshape(parent_ids, [-1]), tf.gather(tf.reshape(nodes, [-1]), tf.maximum(place, 0)))
    time, batch, beam = tf.unstack(tf.unravel_index(tf.maximum(place, 0), tf.shape(parent_ids)))
    text = tf.strings.format("Saw invalid parent id {} at (batch, time, beam) == ({}, {}, {})",
                             [parent, batch, time - 1, beam])
    # `tf.Assert` would add a second conditional.
    return tf.raw_ops.Assert(condition=place < 0, data=[text])

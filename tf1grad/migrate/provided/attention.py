"""The decoder with attention of `tf.contrib.legacy_seq2seq` (Vinyals et al. 2014, Grammar as a Foreign Language)."""

from tf1grad._compat import tf
from tf1grad.migrate.provided.rnn import linear

__all__ = ["attention_decoder"]


def attention_decoder(decoder_inputs, initial_state, attention_states, cell, output_size=None, num_heads=1,
                      loop_function=None, dtype=None, scope=None, initial_state_attention=False):
    """Runs the cell over inputs that are mixed with what it attends to, and mixes its outputs with that again.

    `x = linear(input, attended)`, `output, state = cell(x, state)`,
    `attended = sum(softmax(v . tanh(W attention_states + U state)) attention_states)`, `linear(output, attended)`.

    Args:
        decoder_inputs: a list of tensors of shape [batch, inputs].
        initial_state: the cell's.
        attention_states: a tensor of shape [batch, length, size].
        cell: the cell.
        output_size: the columns of the outputs; by default the cell's.
        num_heads: how many reads there are of `attention_states`.
        loop_function: see `rnn_decoder`.
        dtype: that of the scope.
        scope: the variable scope, by default "attention_decoder".
        initial_state_attention: True attends before the first step too; otherwise zeros are mixed in there.

    Returns:
        The list of outputs and the last state.

    Raises:
        ValueError: there are no inputs or heads, or a size is not known.
    """
    if not decoder_inputs:
        raise ValueError("Must provide at least 1 input to attention decoder.")
    if num_heads < 1:
        raise ValueError("With less than 1 heads, use a non-attention decoder.")
    if attention_states.get_shape().as_list()[2] is None:
        raise ValueError("Shape[2] of attention_states must be known: %s" % attention_states.get_shape())
    output_size = output_size or cell.output_size
    with tf.variable_scope(scope or "attention_decoder", dtype=dtype) as scope:
        heads = [_Head(index, attention_states, scope.dtype) for index in range(num_heads)]
        state, outputs = initial_state, []
        attended = [head.nothing(tf.shape(decoder_inputs[0])[0]) for head in heads]
        if initial_state_attention:
            attended = [head.attend(initial_state) for head in heads]
        for step, step_input in enumerate(decoder_inputs):
            if step > 0:
                tf.get_variable_scope().reuse_variables()
            if loop_function is not None and outputs:
                with tf.variable_scope("loop_function", reuse=True):
                    step_input = loop_function(outputs[-1], step)
            mixed = linear([tf.cast(one, scope.dtype) for one in [step_input] + attended], int(step_input.shape[1]))
            output, state = cell(mixed, state)
            again = step == 0 and initial_state_attention
            with tf.variable_scope(tf.get_variable_scope(), reuse=True if again else None):
                attended = [head.attend(state) for head in heads]
            with tf.variable_scope("AttnOutputProjection"):
                outputs.append(linear([tf.cast(output, scope.dtype)] + attended, output_size))
    return outputs, state


class _Head:
    """One read of the attention states."""

    def __init__(self, index, attention_states, dtype):
        length, size = attention_states.get_shape().as_list()[1:]
        self._name, self._size, self._dtype = "Attention_%d" % index, size, dtype
        self._length = tf.shape(attention_states)[1] if length is None else length
        self._hidden = tf.reshape(attention_states, [-1, self._length, 1, size])
        kernel = tf.get_variable("AttnW_%d" % index, [1, 1, size, size], dtype=dtype)
        self._features = tf.nn.conv2d(self._hidden, kernel, [1, 1, 1, 1], "SAME")
        self._v = tf.get_variable("AttnV_%d" % index, [size], dtype=dtype)

    def nothing(self, batch_size):
        """What was attended to before the first step: zeros."""
        zeros = tf.zeros(tf.stack([batch_size, self._size]), dtype=self._dtype)
        zeros.set_shape([None, self._size])
        return zeros

    def attend(self, state):
        """The mean of the attention states, weighted by how well each fits the cell's state."""
        with tf.variable_scope(self._name):
            query = tf.reshape(linear(tf.concat(tf.nest.flatten(state), 1), self._size), [-1, 1, 1, self._size])
            scores = tf.reduce_sum(self._v * tf.tanh(self._features + tf.cast(query, self._dtype)), [2, 3])
            weights = tf.cast(tf.nn.softmax(tf.cast(scores, tf.float32)), self._dtype)
            read = tf.reduce_sum(tf.reshape(weights, [-1, self._length, 1, 1]) * self._hidden, [1, 2])
            return tf.reshape(read, [-1, self._size])

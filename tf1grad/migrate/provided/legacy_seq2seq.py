"""`tf.contrib.legacy_seq2seq`: recurrent decoders over lists of time steps, and their losses.

Shapes: inputs are lists of tensors, one a time step, of shape [batch, inputs], or [batch] for integers; states are
those of the cell. Every model returns the list of its outputs and its last state.
"""

import copy

from tf1grad._compat import tf
from tf1grad.migrate.provided.attention import attention_decoder
from tf1grad.migrate.provided.rnn import EmbeddingWrapper, OutputProjectionWrapper

__all__ = ["attention_decoder", "basic_rnn_seq2seq", "embedding_attention_decoder", "embedding_attention_seq2seq",
           "embedding_rnn_decoder", "embedding_rnn_seq2seq", "embedding_tied_rnn_seq2seq", "model_with_buckets",
           "rnn_decoder", "sequence_loss", "sequence_loss_by_example", "tied_rnn_seq2seq"]


def rnn_decoder(decoder_inputs, initial_state, cell, loop_function=None, scope=None):
    """Runs the cell over the inputs; `loop_function(output, step)` makes each input but the first, where it is given.

    The variables are in `scope`, by default "rnn_decoder".
    """
    with tf.variable_scope(scope or "rnn_decoder"):
        state, outputs = initial_state, []
        for step, step_input in enumerate(decoder_inputs):
            if loop_function is not None and outputs:
                with tf.variable_scope("loop_function", reuse=True):
                    step_input = loop_function(outputs[-1], step)
            if step > 0:
                tf.get_variable_scope().reuse_variables()
            output, state = cell(step_input, state)
            outputs.append(output)
    return outputs, state


def basic_rnn_seq2seq(encoder_inputs, decoder_inputs, cell, dtype=tf.float32, scope=None):
    """An encoder and a decoder with a copy of the cell each."""
    with tf.variable_scope(scope or "basic_rnn_seq2seq"):
        _, state = tf.nn.static_rnn(copy.deepcopy(cell), encoder_inputs, dtype=dtype)
        return rnn_decoder(decoder_inputs, state, cell)


def tied_rnn_seq2seq(encoder_inputs, decoder_inputs, cell, loop_function=None, dtype=tf.float32, scope=None):
    """An encoder and a decoder that share the cell's variables."""
    with tf.variable_scope("combined_tied_rnn_seq2seq"):
        scope = scope or "tied_rnn_seq2seq"
        _, state = tf.nn.static_rnn(cell, encoder_inputs, dtype=dtype, scope=scope)
        tf.get_variable_scope().reuse_variables()
        return rnn_decoder(decoder_inputs, state, cell, loop_function=loop_function, scope=scope)


def embedding_rnn_decoder(decoder_inputs, initial_state, cell, num_symbols, embedding_size, output_projection=None,
                          feed_previous=False, update_embedding_for_previous=True, scope=None):
    """`rnn_decoder` over integers; with `feed_previous` over the most likely symbol of each output before.

    `output_projection` is None or (weights, biases), which make logits of the outputs that are fed back.
    """
    with tf.variable_scope(scope or "embedding_rnn_decoder"):
        embedding = tf.get_variable("embedding", [num_symbols, embedding_size])
        loop = _most_likely(embedding, output_projection, update_embedding_for_previous) if feed_previous else None
        return rnn_decoder(_embedded(embedding, decoder_inputs), initial_state, cell, loop_function=loop)


def embedding_rnn_seq2seq(encoder_inputs, decoder_inputs, cell, num_encoder_symbols, num_decoder_symbols,
                          embedding_size, output_projection=None, feed_previous=False, dtype=None, scope=None):
    """`basic_rnn_seq2seq` over integers, with an embedding each; `feed_previous` may be a boolean tensor."""
    with tf.variable_scope(scope or "embedding_rnn_seq2seq", dtype=dtype) as scope:
        encoder = EmbeddingWrapper(copy.deepcopy(cell), num_encoder_symbols, embedding_size)
        _, encoder_state = tf.nn.static_rnn(encoder, encoder_inputs, dtype=scope.dtype)
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_decoder_symbols)

        def decoder(feed_previous, update_embedding=True):
            return embedding_rnn_decoder(decoder_inputs, encoder_state, cell, num_decoder_symbols, embedding_size,
                                         output_projection, feed_previous, update_embedding)

        return _decoded(decoder, feed_previous, len(decoder_inputs))


def embedding_tied_rnn_seq2seq(encoder_inputs, decoder_inputs, cell, num_symbols, embedding_size,
                               num_decoder_symbols=None, output_projection=None, feed_previous=False, dtype=None,
                               scope=None):
    """`tied_rnn_seq2seq` over integers, with one embedding; `feed_previous` may be a boolean tensor."""
    with tf.variable_scope(scope or "embedding_tied_rnn_seq2seq", dtype=dtype) as scope:
        dtype = scope.dtype
        embedding = tf.get_variable("embedding", [num_symbols, embedding_size], dtype=dtype)
        encoder_inputs, decoder_inputs = _embedded(embedding, encoder_inputs), _embedded(embedding, decoder_inputs)
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_decoder_symbols or num_symbols)

        def decoder(feed_previous, update_embedding=True):
            loop = _most_likely(embedding, output_projection, update_embedding) if feed_previous else None
            return tied_rnn_seq2seq(encoder_inputs, decoder_inputs, cell, loop_function=loop, dtype=dtype)

        return _decoded(decoder, feed_previous, len(decoder_inputs))


def embedding_attention_decoder(decoder_inputs, initial_state, attention_states, cell, num_symbols, embedding_size,
                                num_heads=1, output_size=None, output_projection=None, feed_previous=False,
                                update_embedding_for_previous=True, dtype=None, scope=None,
                                initial_state_attention=False):
    """`attention_decoder` over integers; see `embedding_rnn_decoder`."""
    with tf.variable_scope(scope or "embedding_attention_decoder", dtype=dtype):
        embedding = tf.get_variable("embedding", [num_symbols, embedding_size])
        loop = _most_likely(embedding, output_projection, update_embedding_for_previous) if feed_previous else None
        return attention_decoder(
            _embedded(embedding, decoder_inputs), initial_state, attention_states, cell, output_size=output_size,
            num_heads=num_heads, loop_function=loop, initial_state_attention=initial_state_attention)


def embedding_attention_seq2seq(encoder_inputs, decoder_inputs, cell, num_encoder_symbols, num_decoder_symbols,
                                embedding_size, num_heads=1, output_projection=None, feed_previous=False, dtype=None,
                                scope=None, initial_state_attention=False):
    """`embedding_rnn_seq2seq` whose decoder attends to the outputs of the encoder."""
    with tf.variable_scope(scope or "embedding_attention_seq2seq", dtype=dtype) as scope:
        encoder = EmbeddingWrapper(copy.deepcopy(cell), num_encoder_symbols, embedding_size)
        outputs, encoder_state = tf.nn.static_rnn(encoder, encoder_inputs, dtype=scope.dtype)
        attention_states = tf.concat([tf.reshape(output, [-1, 1, cell.output_size]) for output in outputs], 1)
        output_size = None
        if output_projection is None:
            cell, output_size = OutputProjectionWrapper(cell, num_decoder_symbols), num_decoder_symbols

        def decoder(feed_previous, update_embedding=True):
            return embedding_attention_decoder(
                decoder_inputs, encoder_state, attention_states, cell, num_decoder_symbols, embedding_size, num_heads,
                output_size, output_projection, feed_previous, update_embedding,
                initial_state_attention=initial_state_attention)

        return _decoded(decoder, feed_previous, len(decoder_inputs))


def _embedded(embedding, inputs):
    return [tf.nn.embedding_lookup(embedding, step) for step in inputs]


def _most_likely(embedding, output_projection, update_embedding):
    """The loop function that embeds the most likely symbol of the output before."""
    def loop(output, _):
        if output_projection is not None:
            output = tf.nn.xw_plus_b(output, *output_projection)
        embedded = tf.nn.embedding_lookup(embedding, tf.argmax(output, 1))
        return embedded if update_embedding else tf.stop_gradient(embedded)
    return loop


def _decoded(decoder, feed_previous, steps):
    """What the decoder returns; where a tensor decides whether to feed back, both are built."""
    if isinstance(feed_previous, bool):
        return decoder(feed_previous)
    structure = []

    def branch(feed_previous):
        with tf.variable_scope(tf.get_variable_scope(), reuse=None if feed_previous else True):
            outputs, state = decoder(feed_previous, update_embedding=False)
        structure[:] = [state]
        return outputs + tf.nest.flatten(state)

    flat = tf.cond(feed_previous, lambda: branch(True), lambda: branch(False))
    return flat[:steps], tf.nest.pack_sequence_as(structure[0], flat[steps:])


def sequence_loss_by_example(logits, targets, weights, average_across_timesteps=True, softmax_loss_function=None,
                             name=None):
    """The weighted cross entropy of each example, a tensor of shape [batch]; averaged over the weights of its steps.

    Args:
        logits: a list of tensors of shape [batch, classes].
        targets: a list of integer tensors of shape [batch].
        weights: a list of tensors of shape [batch].
        average_across_timesteps: False sums.
        softmax_loss_function: a function of `labels` and `logits`, instead of sparse softmax cross entropy.
        name: the name scope.

    Raises:
        ValueError: the lists have different lengths.
    """
    if not len(targets) == len(logits) == len(weights):
        raise ValueError("Lengths of logits, weights, and targets must be the same %d, %d, %d."
                         % (len(logits), len(weights), len(targets)))
    with tf.name_scope(name, "sequence_loss_by_example", logits + targets + weights):
        losses = []
        for logit, target, weight in zip(logits, targets, weights):
            if softmax_loss_function is None:
                loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.reshape(target, [-1]), logits=logit)
            else:
                loss = softmax_loss_function(labels=target, logits=logit)
            losses.append(loss * weight)
        total = tf.add_n(losses)
        return total / (tf.add_n(weights) + 1e-12) if average_across_timesteps else total


def sequence_loss(logits, targets, weights, average_across_timesteps=True, average_across_batch=True,
                  softmax_loss_function=None, name=None):
    """The sum of `sequence_loss_by_example`, divided by the batch size if `average_across_batch`; a scalar."""
    with tf.name_scope(name, "sequence_loss", logits + targets + weights):
        loss = tf.reduce_sum(sequence_loss_by_example(logits, targets, weights, average_across_timesteps,
                                                      softmax_loss_function))
        return loss / tf.cast(tf.shape(targets[0])[0], loss.dtype) if average_across_batch else loss


def model_with_buckets(encoder_inputs, decoder_inputs, targets, weights, buckets, seq2seq, softmax_loss_function=None,
                       per_example_loss=False, name=None):
    """A model for each bucket (length in, length out), all with the same variables.

    `seq2seq` is a function of encoder and decoder inputs that returns outputs and state. Returns the lists of the
    buckets' outputs and losses; raises ValueError where there are fewer steps than the last bucket has.
    """
    most_in, most_out = buckets[-1]
    for what, steps, most in (("encoder_inputs", encoder_inputs, most_in), ("targets", targets, most_out),
                              ("weights", weights, most_out)):
        if len(steps) < most:
            raise ValueError("Length of %s (%d) must be at least that of last bucket (%d)." % (what, len(steps), most))
    loss = sequence_loss_by_example if per_example_loss else sequence_loss
    outputs, losses = [], []
    with tf.name_scope(name, "model_with_buckets", encoder_inputs + decoder_inputs + targets + weights):
        for index, (length_in, length_out) in enumerate(buckets):
            with tf.variable_scope(tf.get_variable_scope(), reuse=True if index else None):
                bucket_outputs, _ = seq2seq(encoder_inputs[:length_in], decoder_inputs[:length_out])
                outputs.append(bucket_outputs)
                losses.append(loss(bucket_outputs, targets[:length_out], weights[:length_out],
                                   softmax_loss_function=softmax_loss_function))
    return outputs, losses

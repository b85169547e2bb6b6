"""What `tf.contrib.layers` had, and tf_slim has not."""

from tf1grad._compat import tf

__all__ = ["embed_sequence"]


def embed_sequence(ids, vocab_size=None, embed_dim=None, unique=False, initializer=None, regularizer=None,
                   trainable=True, scope=None, reuse=None):
    """The rows of the variable `embeddings` that `ids` name: [batch, time] gives [batch, time, embed_dim].

    Args:
        ids: an integer tensor of shape [batch, time].
        vocab_size, embed_dim: the shape of the variable; not needed with `reuse`.
        unique: True looks each id up once; the values are the same.
        initializer, regularizer, trainable: those of the variable.
        scope: its variable scope, by default "EmbedSequence".
        reuse: True takes the variable that is there.

    Returns:
        A tensor.

    Raises:
        ValueError: the sizes are missing.

    Source: `tf.contrib.layers.embed_sequence` of TensorFlow 1.15.
    """
    if not (reuse or (vocab_size and embed_dim)):
        raise ValueError("Must specify vocab size and embedding dimension when not reusing. Got vocab_size=%s and "
                         "embed_dim=%s" % (vocab_size, embed_dim))
    with tf.variable_scope(scope, "EmbedSequence", [ids], reuse=reuse):
        embeddings = tf.get_variable(
            "embeddings", [vocab_size, embed_dim] if vocab_size and embed_dim else None, initializer=initializer,
            regularizer=regularizer, trainable=trainable,
            collections=[tf.GraphKeys.GLOBAL_VARIABLES, tf.GraphKeys.MODEL_VARIABLES])
        if not unique:
            return tf.nn.embedding_lookup(embeddings, ids)
        each, index = tf.unique(tf.reshape(ids, [-1]))
        rows = tf.gather(tf.nn.embedding_lookup(embeddings, each), index)
        return tf.reshape(rows, tf.concat([tf.shape(ids), tf.shape(embeddings)[1:]], 0))

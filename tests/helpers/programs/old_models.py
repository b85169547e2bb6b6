"""Builds graphs of old programs, with their gradients and updates, and runs none: each function builds one."""

import tensorflow.compat.v1 as tf


def layers(depth=50, size=64):
    """Builds a classifier of 50 dense layers."""
    x, labels = tf.placeholder(tf.float32, [None, size]), tf.placeholder(tf.int32, [None])
    for _ in range(depth):
        x = tf.layers.dense(x, size, activation=tf.nn.relu)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=x))
    tf.train.AdamOptimizer().minimize(loss)


def _normalized(x, name):
    size = x.shape[-1]
    with tf.variable_scope(name):
        scale = tf.get_variable("gamma", [size], initializer=tf.ones_initializer())
        offset = tf.get_variable("beta", [size], initializer=tf.zeros_initializer())
    mean, variance = tf.nn.moments(x, [-1], keepdims=True)
    return tf.nn.batch_normalization(x, mean, variance, offset, scale, 1e-12)


def _gelu(x):
    return x * 0.5 * (1.0 + tf.erf(x / 2.0 ** 0.5))


def _heads(x, batch, length, heads):
    return tf.transpose(tf.reshape(x, [batch, length, heads, int(x.shape[-1]) // heads]), [0, 2, 1, 3])


def _attention(x, bias, batch, length, heads):
    size = int(x.shape[-1])
    query, key, value = [_heads(tf.layers.dense(x, size, name=name), batch, length, heads)
                         for name in ("query", "key", "value")]
    scores = tf.matmul(query, key, transpose_b=True) * (size // heads) ** -0.5 + bias
    mixed = tf.matmul(tf.nn.dropout(tf.nn.softmax(scores), rate=0.1), value)
    mixed = tf.reshape(tf.transpose(mixed, [0, 2, 1, 3]), [batch * length, size])
    return tf.nn.dropout(tf.layers.dense(mixed, size, name="output"), rate=0.1)


def transformer(depth=12, size=768, heads=12, words=30522, length=128):
    """Builds a transformer of the size of BERT base that predicts words, trained by Adam with clipped gradients."""
    ids, labels = tf.placeholder(tf.int32, [None, length]), tf.placeholder(tf.int32, [None, length])
    seen = tf.placeholder(tf.int32, [None, length])
    batch, random = tf.shape(ids)[0], tf.truncated_normal_initializer(stddev=0.02)
    table = tf.get_variable("words", [words, size], initializer=random)
    positions = tf.get_variable("positions", [512, size], initializer=random)
    x = tf.nn.embedding_lookup(table, ids) + positions[:length]
    x = tf.reshape(tf.nn.dropout(_normalized(x, "embeddings"), rate=0.1), [batch * length, size])
    bias = (1.0 - tf.cast(seen[:, tf.newaxis, tf.newaxis], tf.float32)) * -10000.0
    for layer in range(depth):
        with tf.variable_scope(f"layer_{layer}"):
            x = _normalized(x + _attention(x, bias, batch, length, heads), "attention_norm")
            inner = tf.layers.dense(x, 4 * size, activation=_gelu, kernel_initializer=random, name="inner")
            x = _normalized(x + tf.nn.dropout(tf.layers.dense(inner, size, name="outer"), rate=0.1), "norm")
    logits = tf.matmul(x, table, transpose_b=True)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=tf.reshape(labels, [-1]), logits=logits))
    variables = tf.trainable_variables()
    gradients, _ = tf.clip_by_global_norm(tf.gradients(loss, variables), 1.0)
    tf.train.AdamOptimizer(1e-4).apply_gradients(zip(gradients, variables))


def inception():
    """Builds Inception v3 of `tf.contrib.slim`, trained by RMSProp."""
    from tensorflow.contrib import slim
    from tensorflow.contrib.slim.nets import inception as nets
    images, labels = tf.placeholder(tf.float32, [None, 299, 299, 3]), tf.placeholder(tf.int32, [None])
    with slim.arg_scope(nets.inception_v3_arg_scope()):
        logits, ends = nets.inception_v3(images, num_classes=1001, is_training=True)
    for each in (logits, ends["AuxLogits"]):
        tf.losses.sparse_softmax_cross_entropy(labels, each)
    slim.learning.create_train_op(tf.losses.get_total_loss(), tf.train.RMSPropOptimizer(0.1))


MODELS = {"50 layers": layers, "BERT base": transformer, "inception_v3": inception}

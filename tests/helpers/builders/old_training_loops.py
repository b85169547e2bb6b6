"""Builds small training loops of old programs: each function returns a step, a function that
returns a loss, and how many runs of a session it makes."""

import numpy as np
import tensorflow.compat.v1 as tf


class Weights:
    """Makes variables whose first values are the same on every TensorFlow."""

    def __init__(self):
        self._random = np.random.RandomState(0)

    def __call__(self, *shape):
        scale = np.sqrt(2.0 / max(int(np.prod(shape[:-1])), 1))
        return tf.Variable(self._random.normal(0, scale, shape).astype(np.float32))

    def convolution(self, x, filters, width):
        kernel = self(width, width, int(x.shape[-1]), filters)
        return tf.nn.conv2d(x, kernel, strides=[1, 1, 1, 1], padding="SAME") + self.bias(filters)

    def dense(self, x, size):
        return tf.matmul(x, self(int(x.shape[-1]), size)) + self.bias(size)

    @staticmethod
    def bias(size):
        return tf.Variable(np.zeros(size, np.float32))


def _minimized(loss):
    """Returns a train op that writes after the loss and all gradients,
    so that every TensorFlow has the same values.
    """
    with tf.control_dependencies([loss]):
        return tf.train.AdamOptimizer(1e-3).minimize(
            loss, gate_gradients=tf.train.Optimizer.GATE_GRAPH
        )


def _session():
    session = tf.Session()
    session.run(tf.global_variables_initializer())
    return session


def _loop(loss, feeds, train=None):
    """Returns a step that feeds what `feeds(random)` returns."""
    train = train if train is not None else _minimized(loss)
    session, random = _session(), np.random.RandomState(0)
    return lambda: session.run([loss, train], feeds(random))[0], 1


def _cross_entropy(logits, labels):
    return tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    )


def _flat(x):
    return tf.reshape(x, [-1, int(np.prod(x.shape[1:].as_list()))])


def policy():
    """Builds a tiny policy network: an action a run, then an update from the observations."""
    observed, action, w = (
        tf.placeholder(tf.float32, [None, 4]),
        tf.placeholder(tf.int32, [None]),
        Weights(),
    )
    reward = tf.placeholder(tf.float32, [None])
    logits = w.dense(tf.tanh(w.dense(observed, 16)), 2)
    probabilities = tf.nn.softmax(logits)
    loss = tf.reduce_mean(
        reward * tf.nn.sparse_softmax_cross_entropy_with_logits(labels=action, logits=logits)
    )
    train = tf.train.AdamOptimizer(1e-3).minimize(loss)
    session, random = _session(), np.random.RandomState(0)

    def step():
        states = random.normal(size=[8, 4])
        actions = [
            int(session.run(probabilities, {observed: state[None]})[0, 0] < 0.5) for state in states
        ]
        feeds = {observed: states, action: actions, reward: np.ones(8)}
        return session.run([loss, train], feed_dict=feeds)[0]

    return step, 9


def text_classifier(length=24, words=500, size=32, filters=16, batch=16):
    """Convolutions of three widths over embedded words, the greatest of each, a softmax."""
    text, label, w = (
        tf.placeholder(tf.int32, [None, length]),
        tf.placeholder(tf.int32, [None]),
        Weights(),
    )
    keep = tf.placeholder(tf.float32, [])
    embedded = tf.expand_dims(tf.nn.embedding_lookup(w(words, size), text), -1)
    features = [
        tf.nn.relu(tf.nn.conv2d(embedded, w(width, size, 1, filters), [1, 1, 1, 1], "VALID"))
        for width in (3, 4, 5)
    ]
    pooled = tf.concat([tf.reduce_max(each, axis=[1, 2]) for each in features], 1)
    logits = w.dense(tf.nn.dropout(pooled, rate=1 - keep, seed=1), 2)
    loss = _cross_entropy(logits, label)
    accuracy = tf.reduce_mean(
        tf.cast(tf.equal(tf.argmax(logits, 1, output_type=tf.int32), label), tf.float32)
    )
    step_count = tf.Variable(0, trainable=False)
    train = tf.train.AdamOptimizer(1e-3).minimize(loss, global_step=step_count)
    return _loop(
        loss,
        lambda random: {
            text: random.randint(0, words, [batch, length]),
            label: random.randint(0, 2, batch),
            keep: 0.5,
        },
        [train, step_count, accuracy],
    )


def convolutional_classifier(batch=32):
    """Two convolutions with pooling, and two dense layers, as for MNIST."""
    x, y, w = (
        tf.placeholder(tf.float32, [None, 28, 28, 1]),
        tf.placeholder(tf.int32, [None]),
        Weights(),
    )
    hidden = x
    for filters in (32, 64):
        hidden = tf.nn.relu(w.convolution(hidden, filters, 5))
        hidden = tf.nn.max_pool(hidden, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
    loss = _cross_entropy(w.dense(tf.nn.relu(w.dense(_flat(hidden), 128)), 10), y)
    return _loop(
        loss,
        lambda random: {x: random.normal(size=[batch, 28, 28, 1]), y: random.randint(0, 10, batch)},
    )


def _lstm(w, inputs, size):
    """Returns the outputs of an unrolled LSTM."""
    kernel, h = (
        w(int(inputs[0].shape[-1]) + size, 4 * size),
        tf.zeros([tf.shape(inputs[0])[0], size]),
    )
    c, outputs = h, []
    for x in inputs:
        i, j, f, o = tf.split(tf.matmul(tf.concat([x, h], 1), kernel), 4, axis=1)
        c = tf.sigmoid(f + 1) * c + tf.sigmoid(i) * tf.tanh(j)
        h = tf.sigmoid(o) * tf.tanh(c)
        outputs.append(h)
    return outputs


def lstm_language_model(batch=20, length=20, size=128, words=1000):
    """Predicts the next word with one LSTM and a full softmax; gradients are clipped."""
    text, w = tf.placeholder(tf.int32, [None, length + 1]), Weights()
    embedded = tf.nn.embedding_lookup(w(words, size), text[:, :-1])
    outputs = _lstm(w, tf.unstack(embedded, axis=1), size)
    logits = w.dense(tf.reshape(tf.stack(outputs, 1), [-1, size]), words)
    loss = _cross_entropy(logits, tf.reshape(text[:, 1:], [-1]))
    variables = tf.trainable_variables()
    gradients, _ = tf.clip_by_global_norm(tf.gradients(loss, variables, gate_gradients=True), 5.0)
    train = tf.train.GradientDescentOptimizer(1.0).apply_gradients(
        zip(tf.tuple(gradients), variables)
    )
    return _loop(loss, lambda random: {text: random.randint(0, words, [batch, length + 1])}, train)


PROGRAMS = {
    "tiny policy network": policy,
    "text classifier": text_classifier,
    "convolutional classifier": convolutional_classifier,
    "LSTM language model": lstm_language_model,
}

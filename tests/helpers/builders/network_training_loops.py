"""Builds small training loops of networks whose time is in kernels: each function returns a step and its runs."""

import numpy as np
import tensorflow.compat.v1 as tf


class Weights:
    """Makes variables whose first values are the same on every TensorFlow."""

    def __init__(self):
        self._random = np.random.RandomState(0)

    def __call__(self, *shape):
        scale = np.sqrt(2.0 / max(int(np.prod(shape[:-1])), 1))
        return tf.Variable(self._random.normal(0, scale, shape).astype(np.float32))

    def convolution(self, x, filters, width=3, stride=1, padding="SAME"):
        kernel = self(width, width, int(x.shape[-1]), filters)
        return tf.nn.conv2d(x, kernel, strides=[1, stride, stride, 1], padding=padding) + self.bias(filters)

    def dense(self, x, size):
        return tf.matmul(x, self(int(x.shape[-1]), size)) + self.bias(size)

    @staticmethod
    def bias(size):
        return tf.Variable(np.zeros(size, np.float32))


def _minimized(optimizer, loss, variables=None):
    """Returns a train op that writes after the loss and all gradients, so that every TensorFlow has the same values."""
    with tf.control_dependencies([loss]):
        return optimizer.minimize(loss, var_list=variables, gate_gradients=tf.train.Optimizer.GATE_GRAPH)


def _loop(loss, feeds, train=None, extra=()):
    """Returns a step that feeds what `feeds(random)` returns, and its number of runs."""
    train = train if train is not None else _minimized(tf.train.AdamOptimizer(1e-3), loss)
    session, random = tf.Session(), np.random.RandomState(0)
    session.run(tf.global_variables_initializer())

    def step():
        for other in extra:
            session.run(other, feeds(random))
        return session.run([loss, train], feeds(random))[0]
    return step, 1 + len(extra)


def _cross_entropy(logits, labels):
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))


def _flat(x):
    return tf.reshape(x, [-1, int(np.prod(x.shape[1:].as_list()))])


def convolutional_classifier(batch=32):
    """Two convolutions with pooling, and two dense layers, as for MNIST."""
    x, y, w = tf.placeholder(tf.float32, [None, 28, 28, 1]), tf.placeholder(tf.int32, [None]), Weights()
    hidden = x
    for filters in (32, 64):
        hidden = tf.nn.relu(w.convolution(hidden, filters, 5))
        hidden = tf.nn.max_pool(hidden, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
    loss = _cross_entropy(w.dense(tf.nn.relu(w.dense(_flat(hidden), 128)), 10), y)
    return _loop(loss, lambda random: {x: random.normal(size=[batch, 28, 28, 1]), y: random.randint(0, 10, batch)})


def _generator(w, noise, batch):
    hidden = tf.nn.relu(tf.reshape(w.dense(noise, 7 * 7 * 64), [-1, 7, 7, 64]))
    for size, before, filters in ((14, 64, 32), (28, 32, 1)):
        hidden = tf.nn.conv2d_transpose(hidden, w(5, 5, filters, before), [batch, size, size, filters], [1, 2, 2, 1])
        hidden = tf.nn.relu(hidden) if filters > 1 else tf.tanh(hidden)
    return hidden


def _critic_weights(w):
    return [w(5, 5, 1, 32), w(5, 5, 32, 64), w(7 * 7 * 64, 1)]


def _critic(x, weights):
    for kernel in weights[:2]:
        x = tf.nn.leaky_relu(tf.nn.conv2d(x, kernel, [1, 2, 2, 1], "SAME"))
    return tf.matmul(_flat(x), weights[2])


def wgan_gp(batch=16):
    """A generator against a critic, with a penalty on the critic's gradient, which is differentiated again."""
    real, noise, w = tf.placeholder(tf.float32, [batch, 28, 28, 1]), tf.placeholder(tf.float32, [batch, 32]), Weights()
    mixed = tf.placeholder(tf.float32, [batch, 1, 1, 1])
    fake = _generator(w, noise, batch)
    generator, weights = tf.trainable_variables(), _critic_weights(w)
    between = mixed * real + (1 - mixed) * fake
    gradient, = tf.gradients(_critic(between, weights), [between])
    norm = tf.sqrt(tf.reduce_sum(tf.square(gradient), axis=[1, 2, 3]) + 1e-8)
    critic_loss = (tf.reduce_mean(_critic(fake, weights)) - tf.reduce_mean(_critic(real, weights))
                   + 10 * tf.reduce_mean(tf.square(norm - 1)))
    critic_step = _minimized(tf.train.AdamOptimizer(1e-4, 0.5), critic_loss, weights)
    generator_step = _minimized(tf.train.AdamOptimizer(1e-4, 0.5), -tf.reduce_mean(_critic(fake, weights)), generator)
    return _loop(critic_loss, lambda random: {
        real: random.normal(size=[batch, 28, 28, 1]), noise: random.normal(size=[batch, 32]),
        mixed: random.uniform(size=[batch, 1, 1, 1])}, critic_step, [generator_step])


def _lstm(w, inputs, size):
    """Returns the outputs of an unrolled LSTM, and its last output."""
    kernel, h = w(int(inputs[0].shape[-1]) + size, 4 * size), tf.zeros([tf.shape(inputs[0])[0], size])
    c, outputs = h, []
    for x in inputs:
        i, j, f, o = tf.split(tf.matmul(tf.concat([x, h], 1), kernel), 4, axis=1)
        c = tf.sigmoid(f + 1) * c + tf.sigmoid(i) * tf.tanh(j)
        h = tf.sigmoid(o) * tf.tanh(c)
        outputs.append(h)
    return outputs, h


def lstm_language_model(batch=20, length=20, size=128, words=1000):
    """Predicts the next word with one LSTM and a full softmax; gradients are clipped."""
    text, w = tf.placeholder(tf.int32, [None, length + 1]), Weights()
    embedded = tf.nn.embedding_lookup(w(words, size), text[:, :-1])
    outputs, _ = _lstm(w, tf.unstack(embedded, axis=1), size)
    logits = w.dense(tf.reshape(tf.stack(outputs, 1), [-1, size]), words)
    loss = _cross_entropy(logits, tf.reshape(text[:, 1:], [-1]))
    variables = tf.trainable_variables()
    gradients, _ = tf.clip_by_global_norm(tf.gradients(loss, variables, gate_gradients=True), 5.0)
    train = tf.train.GradientDescentOptimizer(1.0).apply_gradients(zip(tf.tuple(gradients), variables))
    return _loop(loss, lambda random: {text: random.randint(0, words, [batch, length + 1])}, train)


def physics_informed(points=1000, width=20, layers=6):
    """Burgers' equation: first and second derivatives of a network in its inputs, in float32."""
    t, x, w = tf.placeholder(tf.float32, [None, 1]), tf.placeholder(tf.float32, [None, 1]), Weights()
    u = tf.concat([x, t], 1)
    for _ in range(layers):
        u = tf.tanh(w.dense(u, width))
    u = w.dense(u, 1)
    u_t, u_x = tf.gradients(u, [t, x])
    u_xx, = tf.gradients(u_x, [x])
    loss = tf.reduce_mean(tf.square(u_t + u * u_x - 0.01 / np.pi * u_xx))
    return _loop(loss, lambda random: {t: random.uniform(size=[points, 1]), x: random.uniform(-1, 1, [points, 1])})


def volumetric_classifier(batch=4, size=16):
    """Three-dimensional convolutions with pooling."""
    x, y, w = tf.placeholder(tf.float32, [None] + 3 * [size] + [1]), tf.placeholder(tf.int32, [None]), Weights()
    hidden = x
    for filters in (16, 32):
        kernel = w(3, 3, 3, int(hidden.shape[-1]), filters)
        hidden = tf.nn.relu(tf.nn.conv3d(hidden, kernel, [1, 1, 1, 1, 1], "SAME") + w.bias(filters))
        hidden = tf.nn.max_pool3d(hidden, [1, 2, 2, 2, 1], [1, 2, 2, 2, 1], "SAME")
    loss = _cross_entropy(w.dense(_flat(hidden), 10), y)
    return _loop(loss, lambda random: {x: random.normal(size=[batch] + 3 * [size] + [1]),
                                       y: random.randint(0, 10, batch)})


def wavenet(batch=2, length=512, channels=32, levels=64):
    """Dilated causal convolutions with gates and skips, as one-dimensional convolutions of width 2."""
    audio, w = tf.placeholder(tf.int32, [batch, length]), Weights()
    hidden = tf.nn.embedding_lookup(w(levels, channels), audio[:, :-1])
    skips = 0.
    for dilation in (1, 2, 4, 8, 16):
        padded = tf.pad(hidden, [[0, 0], [dilation, 0], [0, 0]])
        gates = tf.nn.convolution(padded, w(2, channels, 2 * channels), "VALID", dilation_rate=[dilation])
        output = tf.tanh(gates[:, :, :channels]) * tf.sigmoid(gates[:, :, channels:])
        output = tf.nn.conv1d(output, w(1, channels, channels), 1, "SAME")
        skips, hidden = skips + output, hidden + output
    logits = w.dense(tf.nn.relu(tf.reshape(skips, [-1, channels])), levels)
    loss = _cross_entropy(logits, tf.reshape(audio[:, 1:], [-1]))
    return _loop(loss, lambda random: {audio: random.randint(0, levels, [batch, length])})


PROGRAMS = {
    "convolutional classifier": convolutional_classifier, "WGAN-GP": wgan_gp,
    "LSTM language model": lstm_language_model, "PINN": physics_informed, "3-D convolutions": volumetric_classifier,
    "wavenet": wavenet}

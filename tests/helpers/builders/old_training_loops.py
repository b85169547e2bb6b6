"""Builds small training loops of old programs: each function returns a step, a function that returns a loss."""

import numpy as np
import tensorflow.compat.v1 as tf


def _weights(shape, seed):
    scale = 1.0 / np.sqrt(shape[0])
    return tf.Variable(np.random.RandomState(seed).normal(0, scale, shape).astype(np.float32))


def _dense(x, size, seed, activation=None):
    product = tf.matmul(x, _weights([int(x.shape[1]), size], seed)) + tf.Variable(np.zeros(size, np.float32))
    return activation(product) if activation else product


def _session():
    session = tf.Session()
    session.run(tf.global_variables_initializer())
    return session


def policy():
    """Builds a tiny policy network: an action a run, then an update from the observations."""
    observed, action = tf.placeholder(tf.float32, [None, 4]), tf.placeholder(tf.int32, [None])
    reward = tf.placeholder(tf.float32, [None])
    logits = _dense(_dense(observed, 16, 0, tf.nn.tanh), 2, 1)
    probabilities = tf.nn.softmax(logits)
    loss = tf.reduce_mean(reward * tf.nn.sparse_softmax_cross_entropy_with_logits(labels=action, logits=logits))
    train = tf.train.AdamOptimizer(1e-3).minimize(loss)
    session, random = _session(), np.random.RandomState(0)

    def step():
        states = random.normal(size=[8, 4])
        actions = [int(session.run(probabilities, {observed: state[None]})[0, 0] < 0.5) for state in states]
        feeds = {observed: states, action: actions, reward: np.ones(8)}
        return session.run([loss, train], feed_dict=feeds)[0]
    return step, 9


def linear_regression():
    """Builds a linear regression that trains on one sample a run."""
    x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    w, b = tf.Variable(0.1), tf.Variable(0.2)
    cost = tf.reduce_sum(tf.pow(x * w + b - y, 2)) / 34
    train = tf.train.GradientDescentOptimizer(0.01).minimize(cost)
    session, data = _session(), np.random.RandomState(0).normal(size=[17, 2])

    def step():
        for sample, target in data:
            session.run(train, feed_dict={x: sample, y: target})
        return session.run(cost, feed_dict={x: data[:, 0], y: data[:, 1]})
    return step, 18


def char_rnn(size=32, length=16, batch=8, letters=40):
    """Builds an unrolled recurrent network; its state is fetched and fed back."""
    text = tf.placeholder(tf.int32, [batch, length + 1])
    state, cell = tf.placeholder(tf.float32, [batch, size]), tf.placeholder(tf.float32, [batch, size])
    embedding, kernel = _weights([letters, size], 0), _weights([2 * size, 4 * size], 1)
    softmax, h, c, losses = _weights([size, letters], 2), state, cell, []
    for position in range(length):
        inputs = tf.nn.embedding_lookup(embedding, text[:, position])
        i, j, f, o = tf.split(tf.matmul(tf.concat([inputs, h], 1), kernel), 4, axis=1)
        c = tf.sigmoid(f + 1) * c + tf.sigmoid(i) * tf.tanh(j)
        h = tf.sigmoid(o) * tf.tanh(c)
        losses.append(tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=text[:, position + 1], logits=tf.matmul(h, softmax)))
    loss = tf.reduce_mean(losses)
    variables = tf.trainable_variables()
    gradients, _ = tf.clip_by_global_norm(tf.gradients(loss, variables), 5.0)
    train = tf.train.AdamOptimizer(1e-3).apply_gradients(zip(gradients, variables))
    session, random = _session(), np.random.RandomState(0)
    carried = [np.zeros([batch, size], np.float32)] * 2

    def step():
        feeds = {text: random.randint(0, letters, [batch, length + 1]), state: carried[0], cell: carried[1]}
        value, carried[0], carried[1], _ = session.run([loss, h, c, train], feeds)
        return value
    return step, 1


def gan():
    """Two players of two layers, a run each."""
    noise, real = tf.placeholder(tf.float32, [None, 8]), tf.placeholder(tf.float32, [None, 2])
    with tf.variable_scope("generator"):
        fake = _dense(_dense(noise, 32, 0, tf.nn.relu), 2, 1)
    made = tf.trainable_variables()
    first, second = _weights([2, 32], 2), _weights([32, 1], 3)

    def judge(x):
        return tf.matmul(tf.nn.relu(tf.matmul(x, first)), second)

    def cross_entropy(logits, label):
        return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(
            logits=logits, labels=label * tf.ones_like(logits)))

    d_loss = cross_entropy(judge(real), 1.0) + cross_entropy(judge(fake), 0.0)
    g_loss = cross_entropy(judge(fake), 1.0)
    d_train = tf.train.AdamOptimizer(1e-3).minimize(d_loss, var_list=[first, second])
    g_train = tf.train.AdamOptimizer(1e-3).minimize(g_loss, var_list=made)
    session, random = _session(), np.random.RandomState(0)

    def step():
        batch = random.normal(size=[32, 2])
        session.run([d_train, d_loss], {noise: random.uniform(-1, 1, [32, 8]), real: batch})
        return session.run([g_train, g_loss], feed_dict={noise: random.uniform(-1, 1, [32, 8])})[1]
    return step, 2


def text_classifier(length=24, words=500, size=32, filters=16, batch=16):
    """Convolutions of three widths over embedded words, the greatest of each, a softmax."""
    text, label = tf.placeholder(tf.int32, [None, length]), tf.placeholder(tf.int32, [None])
    keep = tf.placeholder(tf.float32, [])
    embedded = tf.expand_dims(tf.nn.embedding_lookup(_weights([words, size], 0), text), -1)
    pooled = []
    for width in (3, 4, 5):
        kernel = tf.Variable(np.random.RandomState(width).normal(0, 0.1, [width, size, 1, filters]).astype(np.float32))
        features = tf.nn.relu(tf.nn.conv2d(embedded, kernel, [1, 1, 1, 1], "VALID"))
        pooled.append(tf.reduce_max(features, axis=[1, 2]))
    dropped = tf.nn.dropout(tf.concat(pooled, 1), rate=1 - keep, seed=1)
    logits = _dense(dropped, 2, 7)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=label, logits=logits))
    accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1, output_type=tf.int32), label), tf.float32))
    step_count = tf.Variable(0, trainable=False)
    train = tf.train.AdamOptimizer(1e-3).minimize(loss, global_step=step_count)
    session, random = _session(), np.random.RandomState(0)

    def step():
        feeds = {text: random.randint(0, words, [batch, length]), label: random.randint(0, 2, batch), keep: 0.5}
        return session.run([train, step_count, loss, accuracy], feeds)[2]
    return step, 1


def lbfgs_fit(size=20):
    """Builds a fit by SciPy, which asks for loss and gradient at an assigned vector."""
    import scipy.optimize
    random = np.random.RandomState(0)
    design, target = random.normal(size=[100, size]), random.normal(size=100)
    w, vector = tf.Variable(np.zeros(size)), tf.placeholder(tf.float64, [size])
    loss = tf.reduce_mean(tf.log(tf.cosh(tf.linalg.matvec(tf.constant(design), w) - target)))
    gradient, = tf.gradients(loss, [w])
    assign, session = tf.group(w.assign(vector)), _session()

    def function(point):
        session.run(assign, {vector: point})
        return session.run([loss, gradient])

    def step():
        return scipy.optimize.minimize(function, np.zeros(size), jac=True, method="L-BFGS-B",
                                       options={"maxiter": 10}).fun
    return step, 24


PROGRAMS = {"tiny policy network": policy, "linear regression": linear_regression, "char-rnn": char_rnn, "GAN": gan,
            "text classifier": text_classifier, "L-BFGS fit": lbfgs_fit}

"""Classifies the points of three spirals, in the style of 2017."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

BATCHES_PER_STEP = 4
np.random.seed(1)
tf.set_random_seed(1)


def spirals(count):
    classes = np.random.randint(3, size=count)
    radius = np.random.uniform(0.1, 1, count)
    angle = 4 * radius + classes * 2 * np.pi / 3
    points = [radius * np.sin(angle), radius * np.cos(angle)]
    return np.transpose(points).astype(float), classes


def layer(name, inputs, units):
    with tf.variable_scope(name):
        xavier = tf.initializers.glorot_uniform(seed=1)
        shape = [inputs.shape[1].value, units]
        w = tf.get_variable("w", shape, initializer=xavier)
        b = tf.get_variable("b", [units], initializer=tf.zeros_initializer())
        return tf.matmul(inputs, w) + b


x = tf.placeholder(tf.float32, [None, 2])
y = tf.placeholder(tf.int64, [None])
logits = layer("out", tf.nn.relu(layer("hidden", x, 64)), 3)
loss = tf.losses.sparse_softmax_cross_entropy(y, logits)
accuracy = tf.reduce_mean(tf.to_float(tf.equal(tf.argmax(logits, 1), y)))

optimizer = tf.train.AdamOptimizer(0.02)
gradients, variables = zip(*optimizer.compute_gradients(loss))
sums = [tf.Variable(tf.zeros_like(v.initialized_value()), trainable=False)
        for v in variables]
zero = [s.assign(tf.zeros_like(s)) for s in sums]
add = [s.assign_add(g / BATCHES_PER_STEP) for s, g in zip(sums, gradients)]
clipped, norm = tf.clip_by_global_norm(sums, 1.0)
train = optimizer.apply_gradients(zip(clipped, variables))

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(101):
        sess.run(zero)
        for _ in range(BATCHES_PER_STEP):
            points, classes = spirals(32)
            sess.run(add, {x: points, y: classes})
        sess.run(train)
        if step % 50 == 0:
            points, classes = spirals(500)
            values = sess.run((loss, accuracy), {x: points, y: classes})
            print("step %d: loss %.4f, accuracy %.3f" % ((step,) + values))

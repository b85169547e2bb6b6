"""Accumulation by hand: the textbook recipe. Eight small batches make one step of Adam.

    python accumulate_by_hand.py
"""

from __future__ import print_function

import math

import numpy as np
import tensorflow as tf

BATCHES_PER_STEP = 8
BATCH_SIZE = 16
STEPS = 12

np.random.seed(1)
tf.set_random_seed(1)

x = tf.placeholder(tf.float32, [None, 8], name='x')
y = tf.placeholder(tf.float32, [None, 1], name='y')

w1 = tf.Variable(tf.truncated_normal([8, 32], stddev=0.3), name='w1')
b1 = tf.Variable(tf.zeros([32]), name='b1')
w2 = tf.Variable(tf.truncated_normal([32, 1], stddev=0.3), name='w2')
b2 = tf.Variable(tf.zeros([1]), name='b2')
prediction = tf.matmul(tf.nn.tanh(tf.matmul(x, w1) + b1), w2) + b2
loss = tf.reduce_mean(tf.square(prediction - y))

optimizer = tf.train.AdamOptimizer(0.01)
variables = tf.trainable_variables()
accumulators = [tf.Variable(tf.zeros_like(v.initialized_value()), trainable=False) for v in variables]
zero_ops = [a.assign(tf.zeros_like(a)) for a in accumulators]
gradients = optimizer.compute_gradients(loss, variables)
accumulate_ops = [accumulators[i].assign_add(g) for i, (g, _) in enumerate(gradients)]
train_op = optimizer.apply_gradients(
    [(accumulators[i] / BATCHES_PER_STEP, v) for i, (_, v) in enumerate(gradients)])


def next_batch():
    xs = np.random.uniform(-1, 1, [BATCH_SIZE, 8]).astype(np.float32)
    return xs, (xs[:, :1] * xs[:, 1:2] - xs[:, 2:3]).astype(np.float32)


with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    weights = np.concatenate([v.ravel() for v in sess.run(variables)])
    print('initial weights sum to %.15g' % math.fsum(weights))
    for step in range(STEPS):
        sess.run(zero_ops)
        total = 0.0
        for _ in range(BATCHES_PER_STEP):
            xs, ys = next_batch()
            batch_loss, _ = sess.run([loss, accumulate_ops], feed_dict={x: xs, y: ys})
            total += batch_loss
        sess.run(train_op)
        print('step %d, loss %.9g' % (step, total / BATCHES_PER_STEP))

"""Clip by global norm: a recurrent network learns the adding problem, its gradients scaled together.

    python clip_by_global_norm.py
"""

from __future__ import print_function

import math

import numpy as np
import tensorflow as tf
from tensorflow.contrib import rnn

BATCH, TIME, UNITS = 32, 30, 24
MAX_GRAD_NORM = 0.5


def adding_problem(random):
    """Sequences of numbers, of which two are marked; the target is the sum of these."""
    numbers, marks = random.uniform(size=[BATCH, TIME]), np.zeros([BATCH, TIME])
    for row in range(BATCH):
        marks[row, random.choice(TIME, 2, replace=False)] = 1
    return np.stack([numbers, marks], axis=2), np.sum(numbers * marks, axis=1)


def main():
    tf.set_random_seed(2)
    inputs = tf.placeholder(tf.float32, [BATCH, TIME, 2])
    targets = tf.placeholder(tf.float32, [BATCH])
    cell = rnn.GRUCell(UNITS)
    _, state = tf.nn.dynamic_rnn(cell, inputs, dtype=tf.float32)
    w = tf.get_variable('w', [UNITS, 1], initializer=tf.random_uniform_initializer(-0.5, 0.5))
    loss = tf.reduce_mean(tf.square(tf.squeeze(tf.matmul(state, w), [1]) - targets))

    tvars = tf.trainable_variables()
    grads, norm = tf.clip_by_global_norm(tf.gradients(loss, tvars), MAX_GRAD_NORM)
    global_step = tf.Variable(0, name='global_step', trainable=False)
    learning_rate = tf.train.exponential_decay(0.01, global_step, 5, 0.9, staircase=True)
    train_op = tf.train.AdamOptimizer(learning_rate).apply_gradients(zip(grads, tvars), global_step=global_step)

    config = tf.ConfigProto(inter_op_parallelism_threads=1, intra_op_parallelism_threads=1)
    with tf.Session(config=config) as sess:
        sess.run(tf.initialize_all_variables())
        weights = np.concatenate([v.ravel() for v in sess.run(tvars)])
        print('initial weights sum to %.15g' % math.fsum(weights))
        random = np.random.RandomState(2)
        for step in range(12):
            xs, ys = adding_problem(random)
            value, size, _ = sess.run([loss, norm, train_op], {inputs: xs, targets: ys})
            print('step %d, loss %.9g, norm %.6g' % (step, value, size))


if __name__ == '__main__':
    main()

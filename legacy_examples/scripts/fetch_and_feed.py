"""Fetch and feed: gradients are fetched, averaged in NumPy, and fed back through placeholders.

    python fetch_and_feed.py
"""

from __future__ import print_function

import math

import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_integer('batches', 4, 'batches averaged for one step')
flags.DEFINE_integer('steps', 12, 'steps to train')
flags.DEFINE_float('learning_rate', 0.05, 'learning rate of momentum')
FLAGS = flags.FLAGS


def build():
    images = tf.placeholder(tf.float32, [None, 20], name='images')
    labels = tf.placeholder(tf.int64, [None], name='labels')
    with tf.variable_scope('hidden'):
        w = tf.get_variable('w', [20, 24], initializer=tf.contrib.layers.xavier_initializer())
        b = tf.get_variable('b', [24], initializer=tf.constant_initializer(0.1))
        hidden = tf.nn.relu(tf.matmul(images, w) + b)
    with tf.variable_scope('softmax'):
        w = tf.get_variable('w', [24, 5], initializer=tf.contrib.layers.xavier_initializer())
        b = tf.get_variable('b', [5], initializer=tf.zeros_initializer())
        logits = tf.matmul(hidden, w) + b
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    return images, labels, loss


def main(_):
    random = np.random.RandomState(7)
    centers = random.randn(5, 20)
    tf.set_random_seed(7)

    images, labels, loss = build()
    optimizer = tf.train.MomentumOptimizer(FLAGS.learning_rate, 0.9)
    grads_and_vars = optimizer.compute_gradients(loss)
    placeholders = [tf.placeholder(tf.float32, v.get_shape()) for _, v in grads_and_vars]
    apply_op = optimizer.apply_gradients([(p, v) for p, (_, v) in zip(placeholders, grads_and_vars)])

    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        weights = np.concatenate([v.ravel() for v in sess.run(tf.trainable_variables())])
        print('initial weights sum to %.15g' % math.fsum(weights))
        for step in xrange(FLAGS.steps):
            losses, gradients = [], []
            for _ in xrange(FLAGS.batches):
                classes = random.randint(5, size=32)
                batch = centers[classes] + random.randn(32, 20)
                value, grads = sess.run([loss, [g for g, _ in grads_and_vars]],
                                        feed_dict={images: batch, labels: classes})
                losses.append(value)
                gradients.append(grads)
            means = [np.mean(grads, axis=0) for grads in zip(*gradients)]
            sess.run(apply_op, feed_dict=dict(zip(placeholders, means)))
            print('step %d, loss %.9g' % (step, np.mean(losses)))


try:
    xrange
except NameError:
    xrange = range

if __name__ == '__main__':
    tf.app.run()

"""tf.contrib.layers.optimize_loss: decay, clipping, multipliers and summaries in one call.

    python optimize_loss.py
"""

from __future__ import print_function

import math

import numpy as np
import tensorflow as tf
from tensorflow.contrib import layers


def decay(learning_rate, global_step):
    return tf.train.exponential_decay(learning_rate, global_step, decay_steps=4, decay_rate=0.8)


def model_fn(features, targets):
    net = layers.stack(features, layers.fully_connected, [24, 12], activation_fn=tf.nn.relu, scope='hidden')
    logits = layers.linear(net, 3, scope='logits', weights_initializer=tf.random_uniform_initializer(-0.3, 0.3))
    loss = tf.losses.softmax_cross_entropy(layers.one_hot_encoding(targets, 3), logits)
    train_op = layers.optimize_loss(
        loss=loss,
        global_step=tf.train.get_or_create_global_step(),
        learning_rate=0.02,
        optimizer='Adam',
        clip_gradients=0.3,
        gradient_multipliers={'logits/weights': 2.0},
        learning_rate_decay_fn=decay,
        summaries=['loss', 'learning_rate', 'gradient_norm'])
    return loss, train_op


def spirals(random, count=60):
    classes = random.randint(3, size=count)
    radius = random.uniform(0.1, 1, size=count)
    angle = 4 * radius + classes * 2 * np.pi / 3
    return np.stack([radius * np.sin(angle), radius * np.cos(angle)], axis=1), classes


if __name__ == '__main__':
    tf.set_random_seed(21)
    x = tf.placeholder(tf.float32, [None, 2])
    y = tf.placeholder(tf.int32, [None])
    loss_op, train = model_fn(x, y)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        trainable = sess.run(tf.trainable_variables())
        print('initial weights sum to %.15g' % math.fsum(np.concatenate([v.ravel() for v in trainable])))
        rng = np.random.RandomState(21)
        for step in range(12):
            points, classes = spirals(rng)
            print('step %d, loss %.9g' % (step, sess.run(train, feed_dict={x: points, y: classes})))

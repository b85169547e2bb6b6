"""TF-Slim: layers under an arg_scope, and slim.learning.create_train_op with clipping and a multiplier.

    python slim_train_op.py
"""

from __future__ import print_function

import math

import numpy as np
import tensorflow as tf

slim = tf.contrib.slim


def small_net(images, is_training=True):
    with slim.arg_scope([slim.conv2d, slim.fully_connected],
                        weights_regularizer=slim.l2_regularizer(1e-3),
                        normalizer_fn=slim.batch_norm,
                        normalizer_params={'is_training': is_training, 'decay': 0.9}):
        net = slim.conv2d(images, 8, [3, 3], scope='conv1')
        net = slim.max_pool2d(net, [2, 2], scope='pool1')
        net = slim.flatten(net)
        net = slim.fully_connected(net, 16, scope='fc1')
        return slim.fully_connected(net, 2, activation_fn=None, normalizer_fn=None, scope='logits')


def stripes(random, count=32, size=12):
    """Noisy images of horizontal (0) and vertical (1) stripes."""
    labels = random.randint(2, size=count)
    wave = np.sin(np.arange(size) * 1.5 + random.uniform(0, 6, [count, 1]))
    images = np.where(labels[:, None, None], wave[:, None, :], wave[:, :, None])
    return (images + random.randn(count, size, size))[..., None].astype(np.float32), labels


def main(_):
    tf.logging.set_verbosity(tf.logging.INFO)
    tf.set_random_seed(8)
    images = tf.placeholder(tf.float32, [None, 12, 12, 1])
    labels = tf.placeholder(tf.int64, [None])
    logits = small_net(images)
    tf.losses.sparse_softmax_cross_entropy(labels=labels, logits=logits)
    total_loss = tf.losses.get_total_loss()
    slim.get_or_create_global_step()
    train_op = slim.learning.create_train_op(total_loss, tf.train.MomentumOptimizer(0.05, 0.9),
                                             clip_gradient_norm=0.5,
                                             gradient_multipliers={'conv1/weights': 0.1})

    with tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads=1)) as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        weights = np.concatenate([v.ravel() for v in sess.run(slim.get_trainable_variables())])
        print('initial weights sum to %.15g' % math.fsum(weights))
        random = np.random.RandomState(8)
        for step in range(12):
            batch, classes = stripes(random)
            loss = sess.run(train_op, feed_dict={images: batch, labels: classes})
            print('step %d, loss %.9g' % (step, loss))


if __name__ == '__main__':
    tf.app.run()

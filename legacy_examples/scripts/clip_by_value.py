"""Clip by value: every component of every gradient is kept within [-1, 1].

    python clip_by_value.py
"""

from __future__ import print_function

import math

import numpy as np
import tensorflow as tf

tf.flags.DEFINE_float('clip', 1.0, 'bound of the gradient\'s components')
tf.flags.DEFINE_float('lr', 0.005, 'learning rate')
FLAGS = tf.flags.FLAGS


def dense(inputs, units, name, activation=None):
    with tf.variable_scope(name):
        kernel = tf.get_variable('kernel', [inputs.get_shape().as_list()[1], units],
                                 initializer=tf.contrib.layers.variance_scaling_initializer())
        bias = tf.get_variable('bias', [units], initializer=tf.zeros_initializer())
        outputs = tf.nn.xw_plus_b(inputs, kernel, bias)
        return activation(outputs) if activation is not None else outputs


def main(argv):
    random = np.random.RandomState(11)
    inputs = random.uniform(-2, 2, [256, 2])
    targets = 10 * (inputs[:, 1] - inputs[:, 0] ** 2) ** 2 + (1 - inputs[:, 0]) ** 2

    tf.set_random_seed(11)
    x = tf.placeholder(tf.float32, [None, 2])
    y = tf.placeholder(tf.float32, [None])
    hidden = dense(dense(x, 32, 'first', tf.nn.elu), 32, 'second', tf.nn.elu)
    loss = tf.reduce_mean(tf.abs(tf.squeeze(dense(hidden, 1, 'last'), [1]) - y))

    optimizer = tf.train.RMSPropOptimizer(FLAGS.lr)
    gvs = optimizer.compute_gradients(loss)
    capped_gvs = [(tf.clip_by_value(grad, -FLAGS.clip, FLAGS.clip), var) for grad, var in gvs]
    train_op = optimizer.apply_gradients(capped_gvs)
    tf.summary.scalar('loss', loss)
    for grad, var in capped_gvs:
        tf.summary.histogram(var.op.name + '/gradient', grad)
    summaries = tf.summary.merge_all()

    sess = tf.InteractiveSession()
    tf.global_variables_initializer().run()
    weights = np.concatenate([v.eval().ravel() for v in tf.trainable_variables()])
    print('initial weights sum to %.15g' % math.fsum(weights))
    for step in range(12):
        rows = slice(step * 64 % 256, step * 64 % 256 + 64)
        value, _, _ = sess.run([loss, train_op, summaries], feed_dict={x: inputs[rows], y: targets[rows]})
        print('step %d, loss %.9g' % (step, value))


if __name__ == '__main__':
    tf.app.run()

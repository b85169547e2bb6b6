"""Unknown coefficients beside a network: results are arrays of one number, formatted as they always were.

NumPy has changed under scripts like this one: np.float, np.asscalar and '%f' % array([x]) are gone.

    python coefficients.py
"""

from __future__ import print_function

import collections
import math
import time

import numpy as np
import tensorflow as tf

np.random.seed(9)
tf.set_random_seed(9)

t = np.linspace(0, 4, 80, dtype=np.float)[:, None]
u = np.exp(-0.3 * t) * np.cos(2 * t)

t_tf = tf.placeholder(tf.float32, [None, 1])
u_tf = tf.placeholder(tf.float32, [None, 1])
damping = tf.Variable([0.0], dtype=tf.float32)
stiffness = tf.Variable([1.0], dtype=tf.float32)


def xavier_init(size):
    stddev = np.sqrt(2.0 / np.sum(size))
    return tf.Variable(tf.truncated_normal(size, stddev=stddev), dtype=tf.float32)


def network(x):
    h = tf.tanh(tf.matmul(x, xavier_init([1, 20])))
    h = tf.tanh(tf.matmul(h, xavier_init([20, 20])))
    return tf.matmul(h, xavier_init([20, 1]))


u_pred = network(t_tf)
u_t = tf.gradients(u_pred, t_tf)[0]
u_tt = tf.gradients(u_t, t_tf)[0]
f_pred = u_tt + damping * u_t + stiffness * u_pred
loss = tf.reduce_mean(tf.square(u_pred - u_tf)) + 0.01 * tf.reduce_mean(tf.square(f_pred))
train_op = tf.train.AdamOptimizer(0.01).minimize(loss)

sess = tf.Session()
sess.run(tf.global_variables_initializer())
weights = np.concatenate([v.ravel() for v in sess.run(tf.trainable_variables())])
print('initial weights sum to %.15g' % math.fsum(weights))
history = np.zeros(12)
start_time = time.clock()
for step in range(12):
    value, _ = sess.run([loss, train_op], {t_tf: t, u_tf: u})
    history[step] = sess.run(stiffness)
    print('step %d, loss %.9g, damping %.6f' % (step, np.asscalar(value), sess.run(damping)))
assert isinstance({'Time': time.clock() - start_time}, collections.Mapping)
print('stiffness: %.5f' % (sess.run(stiffness)), 'was %.5f' % history[0])

"""Uses `tf1grad.v1` as programs do, for the checker of types: each name resolves. Never run."""

import tf1grad.v1 as tf
from tf1grad.v1 import contrib

x = tf.placeholder(tf.float32, [None, 2])
loss = tf.reduce_mean(contrib.layers.fully_connected(x, 1))
optimizer: tf.train.Optimizer = tf.train.AdamOptimizer(1e-3)
train_op: tf.Operation = optimizer.minimize(loss)

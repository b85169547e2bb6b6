"""Uses `tf1grad.v1` as programs do, for the checker of types.
A name that is wrong is an error. Never run.
"""

import tf1grad.v1 as tf
from tf1grad.v1 import contrib

x = tf.placeholder(tf.float32, [None, 2])
loss = tf.reduce_mean(contrib.layers.fully_connected(x, 1))
optimizer: tf.train.Optimizer = tf.train.AdamOptimizer(1e-3)
train_op: tf.Operation = optimizer.minimize(loss)

tf.plaecholder(tf.float32)  # type: ignore[attr-defined]
tf.train.AdamOptimiser(1e-3)  # type: ignore[attr-defined]
tf.nn.dropuot(x)  # type: ignore[attr-defined]


class Doubled(tf.train.GradientDescentOptimizer):
    """Is a subclass, as programs have."""

"""Builds a model that forgets nothing: each micro-batch adds to the weights something unique,
which stays to the end.

A loss that is linear in its variables has the same gradients wherever they are, so that a
micro-batch lost or taken twice shows in the last weights, thousands of steps later. The input is a
part of the graph, and its position is saved.
"""

import numpy as np
import tensorflow.compat.v1 as tf

import models

K = 4  # micro-batches a step
_random = np.random.RandomState(0)
X = _random.randint(-99, 99, [97, 3]).astype(np.float64)
IDS = _random.randint(0, 5, [97, 2])
Y = _random.randint(-99, 99, [97, 2]).astype(np.float64)


class Linear:
    """loss = w . x + sum(table[ids] * y), of the micro-batch at `position`,
    which each run of the loss moves on.

    Args:
        checked: a function of the position that returns it, or fails as an input does.
    """

    def __init__(self, checked=tf.identity):
        self.position = tf.get_variable(
            "position", initializer=tf.constant(0, tf.int64), trainable=False
        )
        w = tf.get_variable("w", initializer=tf.zeros([3], tf.float64))
        table = tf.get_variable("table", initializer=tf.zeros([5], tf.float64))
        self.values = {"w": w, "table": table}
        index = checked(tf.identity(self.position.assign_add(1)) - 1) % len(X)
        x, ids, y = (tf.gather(tf.constant(data), index) for data in (X, IDS, Y))
        self.loss = tf.reduce_sum(w * x) + tf.reduce_sum(tf.gather(table, ids) * y)


def gradients(window):
    """NumPy: the mean gradients of the micro-batches at the given positions,
    and the rows touched.
    """
    indices = np.array(window) % len(X)
    table = np.zeros(5)
    np.add.at(table, IDS[indices].ravel(), Y[indices].ravel() / len(indices))
    return {"w": X[indices].mean(0), "table": table}, {"table": np.unique(IDS[indices])}


def train_in_numpy(rule, windows):
    """NumPy: the weights after one step on each window, a list of positions."""
    values = {"w": np.zeros(3), "table": np.zeros(5)}
    for window in windows:
        rule.begin_step()
        found, rows = gradients(window)
        values = {
            name: rule.update(name, value, found[name], rows.get(name))
            for name, value in values.items()
        }
    return values


def assert_trained(values, rule, windows):
    """Checks that the values are those of training on the windows, one step each."""
    models.assert_same_values(values, train_in_numpy(rule, windows))

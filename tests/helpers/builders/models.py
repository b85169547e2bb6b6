"""Builds the model that most tests train, in TensorFlow and, independently, in NumPy."""

import numpy as np
import tensorflow.compat.v1 as tf

START = {
    "matrix": np.linspace(-1.0, 1.0, 6).reshape(3, 2),
    "bias": np.array(0.25),
    "table": np.linspace(0.5, -0.5, 12).reshape(6, 2),
    "unused": np.array([3.0, 4.0]),
}


class Model:
    """A regression with a matrix, a scalar and an embedding table;
    the loss does not reach the variable `unused`.

    loss = mean_i |x_i matrix + bias + table[ids_i] - y_i|^2
    """

    def __init__(self, dtype=tf.float64):
        self.x = tf.placeholder(dtype, [None, 3], name="x")
        self.ids = tf.placeholder(tf.int32, [None], name="ids")
        self.y = tf.placeholder(dtype, [None, 2], name="y")
        self.variables = {
            name: tf.get_variable(name, initializer=tf.constant(value, dtype))
            for name, value in sorted(START.items())
        }
        self._values = {name: variable.read_value() for name, variable in self.variables.items()}
        self.samples = tf.shape(self.x)[0]
        self.loss = self.loss_of(self.x, self.ids, self.y)

    def loss_of(self, x, ids, y):
        """Returns the loss of other samples, with the same variables."""
        rows = tf.nn.embedding_lookup(self.variables["table"], ids)
        predicted = tf.matmul(x, self.variables["matrix"]) + self.variables["bias"] + rows
        return tf.reduce_mean(tf.reduce_sum(tf.square(predicted - y), axis=1))

    def feed_dict(self, batch):
        """Returns the feed_dict of a batch (x, ids, y)."""
        return dict(zip([self.x, self.ids, self.y], batch))

    def values(self, session):
        """Returns the current values, by name."""
        return session.run(self._values)


def loss_and_gradients(values, batch, linear=False):
    """NumPy: the loss of the model and its derivative by each variable;
    for the table also the rows touched.

    With `linear` the loss is the mean of `y_i * predicted_i`.
    """
    x, ids, y = batch
    predicted = x @ values["matrix"] + values["bias"] + values["table"][ids]
    losses = y * predicted if linear else (predicted - y) ** 2
    outer = (y if linear else 2 * (predicted - y)) / len(x)
    table = np.zeros_like(values["table"])
    np.add.at(table, ids, outer)
    gradients = {"matrix": x.T @ outer, "bias": outer.sum(), "table": table}
    return np.mean(np.sum(losses, axis=1)), gradients, {"table": np.unique(ids)}


def train_in_numpy(rule, batches):
    """NumPy: the values and losses of training on one full batch after the other with `rule`."""
    values = {name: value.copy() for name, value in START.items()}
    losses = []
    for batch in batches:
        loss, gradients, rows = loss_and_gradients(values, batch)
        rule.begin_step()
        for name, gradient in sorted(gradients.items()):
            values[name] = rule.update(name, values[name], gradient, rows.get(name))
        losses.append(loss)
    return values, losses


def random_batch(samples, seed):
    """Returns a batch (x, ids, y) with repeated ids, which leaves some rows of the table alone."""
    random = np.random.RandomState(seed)
    return random.randn(samples, 3), random.choice([0, 1, 1, 4], samples), random.randn(samples, 2)


def split(batch, sizes):
    """Splits the batch into parts of the given sizes."""
    ends = np.cumsum(sizes)
    assert ends[-1] == len(batch[0])
    return [tuple(array[end - size : end] for array in batch) for size, end in zip(sizes, ends)]


def assert_same_values(actual, expected, rtol=1e-9):
    """Every variable within rtol of the expected one, and the failure names the variable."""
    assert sorted(actual) == sorted(expected)
    for name in sorted(expected):
        np.testing.assert_allclose(actual[name], expected[name], rtol=rtol, atol=rtol, err_msg=name)

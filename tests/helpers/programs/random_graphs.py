"""Composes random graphs of functions with counted ops, and trains each for a step, for `tf1grad run`.

Prints the findings of the graphs from the first number to before the second. Under TensorFlow 1.15, `python
tests/helpers/programs/random_graphs.py --record` records those of all. A graph's number decides everything about it:
its functions, shapes and seeds are drawn with the number.
"""

import hashlib
import json
import os
import random
import sys

import numpy as np
import tensorflow as old  # 1.15, or what `tf1grad run` gives for it
import tensorflow.compat.v1 as tf

from paths import ROOT

RECORD = os.path.join(ROOT, "tests", "recorded", "random_graphs.json")
COUNT = 120
STEPPED = 3  # one in so many is looked at after its step, for the time that it takes

# Functions of a tensor of shape [batch, 6] to one of the same shape, by the name that its variables may have.
BLOCKS = {
    "dense": lambda h, name: old.layers.dense(h, 6, activation=tf.nn.tanh, name=name),
    "dense_l2": lambda h, name: old.layers.dense(h, 6, kernel_regularizer=old.keras.regularizers.l2(0.01), name=name),
    "matmul": lambda h, name: tf.nn.relu(tf.matmul(h, tf.get_variable(name, [6, 6]))),
    "xavier": lambda h, name: tf.nn.elu(tf.nn.bias_add(
        tf.matmul(h, tf.get_variable(name, [6, 6], initializer=tf.truncated_normal_initializer(stddev=0.3))),
        tf.get_variable(name + "_b", [6], initializer=tf.zeros_initializer()))),
    "resource": lambda h, name: h * tf.sigmoid(tf.get_variable(name, [6], use_resource=True)),
    "variable": lambda h, name: h + tf.Variable(tf.random_normal([6], stddev=0.1), name=name),
    "dropout": lambda h, name: tf.nn.dropout(h, 0.9),
    "batch_norm": lambda h, name: old.layers.batch_normalization(h, training=True, name=name),
    "moments": lambda h, name: (h - tf.nn.moments(h, [0])[0]) / tf.sqrt(tf.nn.moments(h, [0])[1] + 1.0),
    "conv": lambda h, name: tf.reshape(
        old.layers.conv2d(tf.reshape(h, [-1, 2, 3, 1]), 1, 2, padding="same", name=name), [-1, 6]),
    "pool": lambda h, name: tf.tile(tf.reshape(
        tf.nn.max_pool(tf.reshape(h, [-1, 2, 3, 1]), [1, 2, 1, 1], [1, 2, 1, 1], "SAME"), [-1, 3]), [1, 2]),
    "lstm": lambda h, name: old.layers.dense(tf.nn.dynamic_rnn(
        old.nn.rnn_cell.BasicLSTMCell(4, name=name), tf.reshape(h, [-1, 3, 2]), dtype=tf.float32)[0][:, -1], 6),
    "gru": lambda h, name: tf.pad(tf.nn.static_rnn(
        old.nn.rnn_cell.GRUCell(5, name=name), [h, h], dtype=tf.float32)[0][-1], [[0, 0], [0, 1]]),
    "softmax": lambda h, name: tf.nn.softmax(h) * 6.0,
    "reduce": lambda h, name: h - tf.reduce_mean(h, axis=1, keepdims=True) + tf.reduce_max(h, 1, keepdims=True),
    "slice": lambda h, name: tf.concat([h[:, 3:], h[:, :3]], 1),
    "slice_shape": lambda h, name: h[0:tf.shape(h)[0]],
    "split": lambda h, name: tf.concat([tf.abs(part) for part in tf.split(h, 3, 1)], axis=1),
    "stack": lambda h, name: tf.reduce_sum(tf.stack([h, tf.square(h)], 2), 2),
    "where": lambda h, name: tf.where(h > 0.0, h, 0.1 * h),
    "clip": lambda h, name: tf.clip_by_value(h, -2.0, 2.0),
    "l2_normalize": lambda h, name: tf.nn.l2_normalize(h, 1) * 2.0,
    "embedding": lambda h, name: h + tf.nn.embedding_lookup(tf.get_variable(name, [5, 6]), [1, 3, 1, 4]),
    "one_hot": lambda h, name: h * tf.one_hot(tf.argmax(h, 1), 6, on_value=2.0, off_value=0.5),
    "cond": lambda h, name: tf.cond(tf.reduce_sum(h) > 0.0, lambda: h * 1.5, lambda: h - 0.5),
    "while": lambda h, name: tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * 0.9 + 0.1), [0, h])[1],
    "map_fn": lambda h, name: tf.map_fn(lambda row: tf.tanh(row) + row, h),
    "einsum": lambda h, name: tf.einsum("ij,jk->ik", h, tf.get_variable(name, [6, 6])),
    "tensordot": lambda h, name: tf.tensordot(h, tf.get_variable(name, [6, 6]), 1),
    "noise": lambda h, name: h + tf.random_uniform(tf.shape(h), maxval=0.1),
    "gaussian": lambda h, name: h + tf.random_normal([6], stddev=0.1),
    "swish": lambda h, name: tf.nn.swish(h),
    "logsumexp": lambda h, name: h - tf.reduce_logsumexp(h, axis=1, keepdims=True),
    "cumsum": lambda h, name: tf.cumsum(h, axis=1) * 0.3,
}
LOSSES = [
    lambda h, y: tf.losses.mean_squared_error(y, h),
    lambda h, y: tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=y, logits=h)),
    lambda h, y: tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=h)),
    lambda h, y: tf.losses.huber_loss(y, h) + tf.losses.get_regularization_loss(),
    lambda h, y: tf.losses.sparse_softmax_cross_entropy(tf.argmax(y, 1), h),
]
OPTIMIZERS = [
    lambda: tf.train.GradientDescentOptimizer(0.1), lambda: tf.train.MomentumOptimizer(0.1, 0.9),
    lambda: tf.train.AdamOptimizer(0.01), lambda: tf.train.RMSPropOptimizer(0.01), lambda: tf.train.FtrlOptimizer(0.1),
    lambda: tf.train.AdagradOptimizer(0.1), lambda: tf.train.AdadeltaOptimizer(0.1)]


def derive(number, measure_noise=False):
    """Returns graph `number`'s ops, digests of its variables' names and initial values, and the results of a step.

    That is the losses around the step, and two elements of each variable after it. The noise, where it is measured, is
    how far any variable comes from there when the feed is the next floats: no other kernel can be asked for less.
    """
    draw = random.Random(number)
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(number)
        h = tf.placeholder(tf.float32, [draw.choice([None, 4]), 6])
        x, y = h, tf.placeholder(tf.float32, [draw.choice([None, 4]), 6])
        names = [draw.choice(sorted(BLOCKS)) for _ in range(draw.randint(2, 7))]
        h = old.layers.dense(h, 6, name="first")
        for place, name in enumerate(names):
            h = BLOCKS[name](h, f"block{place}")
        loss = draw.choice(LOSSES)(h, y)
        train = draw.choice(OPTIMIZERS)().minimize(loss)
        variables = tf.global_variables()
        values = np.random.RandomState(number)
        fed, expected = values.rand(4, 6).astype(np.float32), np.eye(6)[values.randint(6, size=4)]
        initialize = tf.global_variables_initializer()

        def step(fed):
            with tf.Session() as session:
                session.run(initialize)
                session.run(train, {x: fed, y: expected})
                return [value for value in session.run(variables) if value.dtype.kind == "f" and value.size]

        with tf.Session() as session:
            session.run(initialize)
            weights, before = session.run([variables, loss], {x: fed, y: expected})
            session.run(train, {x: fed, y: expected})
            after = session.run(loss, {x: fed, y: expected})
        found = {"ops": len(graph.get_operations()), "names": _digest(each.name.encode() for each in variables),
                 "weights": _digest(value.tobytes() for value in weights), "losses": [float(before), float(after)]}
        if measure_noise or number % STEPPED == 0:
            stepped = step(fed)
            found["stepped"] = [float(f"{each.flat[place]:.9g}") for each in stepped for place in (0, each.size // 2)]
        if measure_noise:
            other = step(np.nextafter(fed, np.float32(2)))
            found["noise"] = float(f"{max(np.abs(one - each).max() for one, each in zip(stepped, other)):.2g}")
        return found


def _digest(parts):
    digest = hashlib.sha1()
    for part in parts:
        digest.update(part)
    return digest.hexdigest()[:12]


def record():
    """Returns what TensorFlow 1.15.5 gave, by number."""
    with open(RECORD, encoding="utf-8") as file:
        return json.load(file)


def main(arguments):
    tf.disable_v2_behavior()
    tf.logging.set_verbosity(tf.logging.ERROR)
    first, end = (0, COUNT) if "--record" in arguments else map(int, arguments)
    found = [derive(number, "--record" in arguments) for number in range(first, end)]
    if "--record" in arguments:
        with open(RECORD, "w", encoding="utf-8") as file:
            file.write("[\n" + ",\n".join(json.dumps(each, sort_keys=True) for each in found) + "\n]\n")
    else:
        print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1:])

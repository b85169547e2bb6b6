"""Holds cases of `whole_graphs.py` that return values:
training functions of `tf.contrib`, and searches by SciPy.

The training functions take what stands for `tf.contrib`.
"""

import functools
import zlib

import numpy as np
import tensorflow as old
import tensorflow.compat.v1 as tf


def momentum():
    return tf.train.MomentumOptimizer(0.1, 0.9)


def optimize(learning_rate=0.1, optimizer="SGD", has_step=True, **options):
    """Returns a function of contrib and the loss that calls `optimize_loss`."""

    def build(contrib, loss):
        step = tf.train.get_or_create_global_step() if has_step else None
        return contrib.layers.optimize_loss(loss, step, learning_rate, optimizer, **options)

    return build


def decayed(rate, step):
    return tf.train.exponential_decay(rate, step, 2, 0.5)


def noisy(contrib, loss):
    return optimize(
        0.1,
        "Adam",
        gradient_noise_scale=0.1,
        gradient_multipliers={"table:0": 2.0},
        clip_gradients=1.0,
        learning_rate_decay_fn=decayed,
        summaries=contrib.layers.OPTIMIZER_SUMMARIES,
        colocate_gradients_with_ops=True,
    )(contrib, loss)


def transformed(contrib, loss):
    def transform(pairs):
        pairs = contrib.training.multiply_gradients(pairs, {"w": 0.5})
        return contrib.training.clip_gradient_norms(pairs, 0.3)

    return contrib.training.create_train_op(
        loss, momentum(), transform_grads_fn=transform, summarize_gradients=True
    )


def clipped_by_norm(contrib, loss):
    optimizer = contrib.estimator.clip_gradients_by_norm(tf.train.AdamOptimizer(0.1), 0.5)
    with tf.control_dependencies([optimizer.minimize(loss, tf.train.get_or_create_global_step())]):
        return tf.constant(0.0)


TRAINING = {
    "layers": optimize(has_step=False),
    "layers, noise": noisy,
    "layers, clipped": optimize(0.1, "Momentum", clip_gradients=0.5),
    "layers, no step": optimize(
        0.1, lambda rate: tf.train.MomentumOptimizer(rate, 0.5), increment_global_step=False
    ),
    "slim": lambda contrib, loss: contrib.slim.learning.create_train_op(
        loss, tf.train.AdamOptimizer(0.1)
    ),
    "slim, all options": lambda contrib, loss: contrib.slim.learning.create_train_op(
        loss,
        momentum(),
        clip_gradient_norm=1.0,
        summarize_gradients=True,
        gradient_multipliers={"table": 2.0},
    ),
    "training": lambda contrib, loss: contrib.training.create_train_op(
        loss, momentum(), check_numerics=False
    ),
    "training, transformed": transformed,
    "estimator": clipped_by_norm,
}


def trained(name, use_resource, contrib=None):
    """Trains an embedding and a dense layer, with an update op.

    Returns the losses, the sums of the variables and a checksum of the tags of all summaries. With
    noise, a row of the embedding is looked up twice.
    """
    tf.get_variable_scope().set_use_resource(use_resource)
    x = tf.placeholder(tf.float32, [3, 4])
    table = tf.get_variable(
        "table", initializer=np.linspace(-1, 1, 20, dtype=np.float32).reshape(5, 4)
    )
    w = tf.get_variable("w", initializer=np.linspace(1, -2, 8, dtype=np.float32).reshape(4, 2))
    seen = tf.get_variable("seen", [], initializer=tf.zeros_initializer(), trainable=False)
    tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, seen.assign(seen + tf.reduce_mean(x)).op)
    rows = tf.nn.embedding_lookup(table, [0, 1, 1] if name == "layers, noise" else [0, 3, 1])
    loss = tf.reduce_mean(tf.square(tf.matmul(rows + x, w)))
    train = TRAINING[name](contrib or old.contrib, loss)
    tf.random_uniform([], name="later")
    merged = tf.summary.merge_all()
    feed = {x: np.linspace(-1, 2, 12, dtype=np.float32).reshape(3, 4)}
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        losses = [float(session.run(train, feed)) for _ in range(4)]
        variables = sorted(tf.global_variables(), key=lambda variable: variable.name)
        sums = [float(np.sum(session.run(variable))) for variable in variables]
        summary = b"" if merged is None else session.run(merged, feed)
    tags = sorted(value.tag for value in tf.Summary.FromString(summary).value)
    return losses + sums + [zlib.crc32(" ".join(tags).encode())]


def searched(method, use_resource):
    """Returns the end of a search by SciPy, with constraints where the method takes them."""
    tf.get_variable_scope().set_use_resource(use_resource)
    v = tf.get_variable("v", initializer=np.float32([7, 6]))
    u = tf.get_variable("u", initializer=np.float32(3))
    loss = tf.reduce_sum(tf.square(v - [1.0, 2.0]) * [1.0, 3.0]) + tf.square(u - 0.5 * v[0])
    constraints = (
        {"equalities": [v[1] - 1.0], "inequalities": [v[0] - 1.5]} if method == "SLSQP" else {}
    )
    bounds = {} if method == "SLSQP" else {"var_to_bounds": {v: (1.25, 9.0)}}
    search = old.contrib.opt.ScipyOptimizerInterface(loss, method=method, **constraints, **bounds)
    tf.random_uniform([], name="later")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        search.minimize(session)
        return [round(float(value), 3) for value in session.run([v[0], v[1], u])]


def cases(build, names):
    """Returns cases by name, which build the same on ref and on resource variables."""
    return {
        f"{name}, {kind}": functools.partial(build, name, kind == "resource")
        for name in names
        for kind in ("ref", "resource")
    }


CASES = {**cases(trained, TRAINING), **cases(searched, ("L-BFGS-B", "SLSQP", "TNC"))}

"""Holds cases of `whole_graphs.py` that return values: training functions of `tf.contrib`, and searches by SciPy."""

import functools

import numpy as np
import tensorflow as tf
from tensorflow.contrib import layers, slim, training


def momentum():
    return tf.train.MomentumOptimizer(0.1, 0.9)


def all_options(loss):
    step = tf.train.get_or_create_global_step()
    return layers.optimize_loss(
        loss, step, 0.1, "Adam", gradient_noise_scale=0.1, gradient_multipliers={"table:0": 2.0}, clip_gradients=1.0,
        learning_rate_decay_fn=lambda rate, step: tf.train.exponential_decay(rate, step, 10, 0.5),
        summaries=layers.OPTIMIZER_SUMMARIES, colocate_gradients_with_ops=True)


def adaptive(loss):
    from tensorflow.contrib.layers.python.layers.optimizers import adaptive_clipping_fn
    return layers.optimize_loss(
        loss, tf.train.get_or_create_global_step(), None, momentum,
        clip_gradients=adaptive_clipping_fn(report_summary=True, static_max_norm=2.0))


def transformed(loss):
    def transform(pairs):
        pairs = training.multiply_gradients(pairs, {"w": 0.5})
        return training.clip_gradient_norms(pairs, 0.3)
    return training.create_train_op(
        loss, momentum(), transform_grads_fn=transform, summarize_gradients=True)


TRAINING = {
    "layers": lambda loss: layers.optimize_loss(loss, None, 0.1, "SGD"),
    "layers, all options": all_options,
    "layers, adaptive": adaptive,
    "slim": lambda loss: slim.learning.create_train_op(loss, tf.train.AdamOptimizer(0.1)),
    "slim, all options": lambda loss: slim.learning.create_train_op(
        loss, momentum(), clip_gradient_norm=1.0, summarize_gradients=True, gradient_multipliers={"table": 2.0}),
    "training": lambda loss: training.create_train_op(loss, momentum(), check_numerics=False),
    "training, transformed": transformed,
}


def trained(name, use_resource):
    """Trains an embedding with a repeated row and a dense layer, with an update op, and returns the losses."""
    tf.get_variable_scope().set_use_resource(use_resource)
    x = tf.placeholder(tf.float32, [3, 4])
    table = tf.get_variable("table", [5, 4], initializer=tf.random_normal_initializer())
    w = tf.get_variable("w", [4, 2], initializer=tf.random_normal_initializer())
    seen = tf.get_variable("seen", [], initializer=tf.zeros_initializer(), trainable=False)
    tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, seen.assign(tf.reduce_mean(x)).op)
    loss = tf.reduce_mean(tf.square(tf.matmul(tf.nn.embedding_lookup(table, [0, 1, 1]) + x, w)))
    train = TRAINING[name](loss)
    tf.random_uniform([], name="later")
    feed = {x: np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4)}
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return [float(session.run(train, feed)) for _ in range(4)]


def searched(method, use_resource):
    """Returns the end of a search by SciPy, with constraints where the method takes them."""
    tf.get_variable_scope().set_use_resource(use_resource)
    v = tf.get_variable("v", initializer=np.float32([7, 6]))
    u = tf.get_variable("u", initializer=np.float32(3))
    loss = tf.reduce_sum(tf.square(v - [1.0, 2.0]) * [1.0, 3.0]) + tf.square(u - 0.5 * v[0])
    constraints = {"equalities": [v[1] - 1.0], "inequalities": [v[0] - 1.5]} if method == "SLSQP" else {}
    bounds = {} if method == "SLSQP" else {"var_to_bounds": {v: (1.25, 9.0)}}
    search = tf.contrib.opt.ScipyOptimizerInterface(loss, method=method, **constraints, **bounds)
    tf.random_uniform([], name="later")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        search.minimize(session)
        return [round(float(value), 3) for value in session.run([v[0], v[1], u])]


def cases(build, names):
    """Returns cases by name, which build the same on ref and on resource variables."""
    return {f"{name}, {kind}": functools.partial(build, name, kind == "resource")
            for name in names for kind in ("ref", "resource")}


CASES = {**cases(trained, TRAINING), **cases(searched, ("L-BFGS-B", "SLSQP", "TNC"))}

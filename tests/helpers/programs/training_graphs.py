"""Builds a graph with each training function of `tf.contrib`, and trains a few steps, for `tf1grad run`.

Prints the findings; `python tests/helpers/programs/training_graphs.py --record` under TensorFlow 1.15 records them
instead. A finding has the names of all ops, in order, and a digest for each op of its type, name, static shapes, inputs
and control inputs.
"""

import hashlib
import json
import sys

import numpy as np
import tensorflow as old  # 1.15, or what `tf1grad run` gives for it
import tensorflow.compat.v1 as tf

import records

DIGITS = 5  # of an op's digest


def momentum():
    return tf.train.MomentumOptimizer(0.1, 0.9)


def all_options(loss):
    step = tf.train.get_or_create_global_step()
    return old.contrib.layers.optimize_loss(
        loss, step, 0.1, "Adam", gradient_noise_scale=0.1, gradient_multipliers={"table:0": 2.0}, clip_gradients=1.0,
        learning_rate_decay_fn=lambda rate, step: tf.train.exponential_decay(rate, step, 10, 0.5),
        summaries=old.contrib.layers.OPTIMIZER_SUMMARIES, colocate_gradients_with_ops=True)


def adaptive(loss):
    from tensorflow.contrib.layers.python.layers.optimizers import adaptive_clipping_fn
    return old.contrib.layers.optimize_loss(
        loss, tf.train.get_or_create_global_step(), None, momentum,
        clip_gradients=adaptive_clipping_fn(report_summary=True, static_max_norm=2.0))


def transformed(loss):
    def transform(pairs):
        pairs = old.contrib.training.multiply_gradients(pairs, {"w": 0.5})
        return old.contrib.training.clip_gradient_norms(pairs, 0.3)
    return old.contrib.training.create_train_op(
        loss, momentum(), transform_grads_fn=transform, summarize_gradients=True)


TRAINING = {
    "layers": lambda loss: old.contrib.layers.optimize_loss(loss, None, 0.1, "SGD"),
    "layers, all options": all_options,
    "layers, adaptive": adaptive,
    "slim": lambda loss: old.contrib.slim.learning.create_train_op(loss, tf.train.AdamOptimizer(0.1)),
    "slim, all options": lambda loss: old.contrib.slim.learning.create_train_op(
        loss, momentum(), clip_gradient_norm=1.0, summarize_gradients=True, gradient_multipliers={"table": 2.0}),
    "training": lambda loss: old.contrib.training.create_train_op(loss, momentum(), check_numerics=False),
    "training, transformed": transformed,
}


def with_training(name, use_resource):
    """Returns the finding for a training function: an embedding with a repeated row, a dense layer, an update op."""
    tf.set_random_seed(1)
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
    """Returns the finding for a search by SciPy, with constraints where the method takes them."""
    tf.get_variable_scope().set_use_resource(use_resource)
    v = tf.get_variable("v", initializer=np.float32([7, 6]))
    u = tf.get_variable("u", initializer=np.float32(3))
    loss = tf.reduce_sum(tf.square(v - [1.0, 2.0]) * [1.0, 3.0]) + tf.square(u - 0.5 * v[0])
    constraints = {"equalities": [v[1] - 1.0], "inequalities": [v[0] - 1.5]} if method == "SLSQP" else {}
    bounds = {} if method == "SLSQP" else {"var_to_bounds": {v: (1.25, 9.0)}}
    search = old.contrib.opt.ScipyOptimizerInterface(loss, method=method, **constraints, **bounds)
    tf.random_uniform([], name="later")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        search.minimize(session)
        return [round(float(value), 3) for value in session.run([v[0], v[1], u])]


CASES = {name: with_training for name in TRAINING}
CASES.update({method: searched for method in ("L-BFGS-B", "SLSQP", "TNC")})


def digest(op):
    """Returns the digest of an op."""
    shapes = [None if output.shape.ndims is None else output.shape.as_list() for output in op.outputs]
    row = [op.type, op.name, shapes, [tensor.name for tensor in op.inputs], sorted(op.name for op in op.control_inputs)]
    if "seed2" in op.node_def.attr:
        row.append([op.get_attr("seed"), op.get_attr("seed2")])
    return hashlib.sha1(json.dumps(row).encode("ascii")).hexdigest()[:DIGITS]


def finding(name, use_resource):
    """Returns the names, the digests and the values of a case."""
    with tf.Graph().as_default() as graph:
        values = CASES[name](name, use_resource)
        ops = graph.get_operations()
        return {"names": [op.name for op in ops], "ops": "".join(map(digest, ops)), "values": values}


def key(name, use_resource):
    return name + (", resource" if use_resource else ", ref")


def assert_same_ops(ours, recorded):
    """Compares a finding with one of TensorFlow 1.15.5, which has no names."""
    for number, op in enumerate(ours["names"]):
        where = slice(number * DIGITS, (number + 1) * DIGITS)
        assert ours["ops"][where] == recorded["ops"][where], f"the first op that differs is {number}, {op}"
    assert len(ours["ops"]) == len(recorded["ops"])


if __name__ == "__main__":
    found = {key(name, use_resource): finding(name, use_resource) for name in CASES for use_resource in (False, True)}
    if "--record" in sys.argv:
        for each in found.values():
            del each["names"]
        records.write("training_graphs", dict(sorted(found.items())))
    else:
        print(json.dumps(found))

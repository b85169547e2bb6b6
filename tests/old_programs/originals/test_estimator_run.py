"""Tests `tf.estimator` in scripts under `tf1grad run`: its names and parameter servers."""

import json

import numpy as np
import pytest

import clusters

pytestmark = pytest.mark.period(on_1_15=True)

MEMBER = """
    import sys
    import tensorflow as tf
    tf.logging.set_verbosity(tf.logging.ERROR)

    def input_fn():
        return tf.data.Dataset.from_tensors(({"x": [[1.0, 2.0], [3.0, -1.0]]}, [1.0, 2.0])).repeat()

    def model_fn(features, labels, mode):
        weights = tf.get_variable("weights", [2], initializer=tf.zeros_initializer())
        loss = tf.reduce_mean(tf.square(tf.reduce_sum(features["x"] * weights, 1) - labels))
        print(weights.device)
        train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

    job = tf.estimator.Estimator(model_fn, config=tf.estimator.RunConfig(sys.argv[1]))
    tf.estimator.train_and_evaluate(job, tf.estimator.TrainSpec(input_fn, max_steps=6),
                                    tf.estimator.EvalSpec(input_fn, steps=1))
    print(job.get_variable_value("weights").tolist(), job.get_variable_value("global_step"))
"""


def test_parameter_servers_of_tf_config(folder):
    addresses = clusters.free_addresses(2)
    cluster = {"ps": addresses[:1], "chief": addresses[1:]}
    folder.write("script.py", MEMBER)

    def of(kind):
        return {"TF_CONFIG": json.dumps({"cluster": cluster, "task": {"type": kind, "index": 0}})}

    server = folder.start("-m", "tf1grad", "run", "script.py", "model", env=of("ps"))
    try:
        device, values = folder.lines("script.py", "model", env=of("chief"))
    finally:
        server.kill()  # it would serve on
        server.communicate()
    assert device == "/job:ps/task:0"
    x, y, weights = np.array([[1.0, 2.0], [3.0, -1.0]]), np.array([1.0, 2.0]), np.zeros(2)
    for _ in range(6):
        weights -= 0.1 * x.T.dot(x.dot(weights) - y)
    found, step = values[1:].split("] ")
    np.testing.assert_allclose([float(value) for value in found.split(",")], weights, rtol=1e-5)
    assert step == "6"

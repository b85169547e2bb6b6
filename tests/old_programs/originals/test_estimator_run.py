"""Tests `tf.estimator` in scripts under `tf1grad run`: its names and parameter servers."""

import json
import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import clusters
from paths import ROOT

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


@pytest.fixture
def start(tmp_path):
    """Yields a function that starts a script under `run`, and kills the remaining processes at the end."""
    started = []

    def starter(text, *arguments, **variables):
        script = tmp_path / "script.py"
        script.write_text(textwrap.dedent(text))
        path = os.pathsep.join(filter(None, [ROOT, os.environ.get("PYTHONPATH")]))
        started.append(subprocess.Popen(
            [sys.executable, "-m", "tf1grad", "run", str(script)] + list(arguments), cwd=str(tmp_path),
            env=dict(os.environ, PYTHONPATH=path, **variables), universal_newlines=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE))
        return started[-1]

    yield starter
    for process in started:
        if process.poll() is None:
            process.kill()
            process.communicate()


def printed(process):
    output, errors = process.communicate()
    assert process.returncode == 0, errors[-3000:]
    return output.splitlines()


def test_parameter_servers_of_tf_config(start, tmp_path):
    addresses = clusters.free_addresses(2)
    cluster = {"ps": addresses[:1], "chief": addresses[1:]}

    def member(kind):
        return start(MEMBER, str(tmp_path / "model"),
                     TF_CONFIG=json.dumps({"cluster": cluster, "task": {"type": kind, "index": 0}}))

    member("ps")  # serves until it is killed
    device, values = printed(member("chief"))
    assert device == "/job:ps/task:0"
    x, y, weights = np.array([[1.0, 2.0], [3.0, -1.0]]), np.array([1.0, 2.0]), np.zeros(2)
    for _ in range(6):
        weights -= 0.1 * x.T.dot(x.dot(weights) - y)
    found, step = values[1:].split("] ")
    np.testing.assert_allclose([float(value) for value in found.split(",")], weights, rtol=1e-5)
    assert step == "6"

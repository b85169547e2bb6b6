"""Tests that `run` without TensorFlow 1.15's op layer warns where the number of ops may differ from 1.15's."""

import os

import pytest
import tensorflow.compat.v1 as tf

from paths import ROOT
from tf1grad._compat import VERSION

pytestmark = [pytest.mark.slow,
              pytest.mark.skipif(tf.__version__.startswith("1."), reason="TensorFlow 1.15 counts itself")]

SCRIPT = """
import tensorflow as tf
from tf1grad.old_programs.seeds import op_counts

CASES = [
    lambda x: tf.reduce_mean(tf.nn.relu(x)),
    lambda x: tf.math.maximum(x, 1.),  # tf.maximum by another name
    lambda x: tf.gradients(tf.reduce_sum(tf.square(x)), x),
    lambda x: tf.sparse_placeholder(tf.float32, [3, 4]),
    lambda x: tf.math.polyval([x, x], x),
    lambda x: tf.digamma(x),
    lambda x: tf.gradients(tf.digamma(x), x),
    lambda x: tf.train.ProximalAdagradOptimizer(0.1).minimize(tf.reduce_sum(x * tf.get_variable("v", [4]))),
    lambda x: tf.compat.v1.fake_quant_with_min_max_args(x),
]
for case in CASES:
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(1)
        case(tf.placeholder(tf.float32, [None, 4]))
        print(op_counts.uncertain_function(graph))
        tf.random_normal([2])
"""
NEVER = "tf.%s (which was never measured)"


def test_doubtful_counts_name_their_function(folder):
    folder.write("train.py", SCRIPT)
    code, output, errors = folder.run("--ops", "installed", "train.py")
    assert code == 0, errors[-3000:]
    assert output.splitlines() == [
        "None", "None", "None", "tf.sparse_placeholder", NEVER % "math.polyval", NEVER % "digamma", NEVER % "digamma",
        "Optimizer.apply_gradients", NEVER % "fake_quant_with_min_max_args"]
    said = [line for line in errors.splitlines() if line.startswith("tf1grad:")]
    assert len(said) == 1 and "after tf.sparse_placeholder the number of ops in TensorFlow 1.15 is unknown" in said[0]
    assert "--record-seeds FILE" in said[0] and "tf1grad contrib install fetches it" in said[0]


def test_corrections_in_a_branch_are_doubtful(folder):
    folder.write("train.py", """
        import tensorflow as tf
        from tf1grad.old_programs.seeds import op_counts
        tf.set_random_seed(1)
        x, flag = tf.placeholder(tf.float32, [2]), tf.placeholder(tf.bool, [])
        tf.cond(flag, lambda: x + 1, lambda: x)
        print(op_counts.uncertain_function(x.graph))
        tf.cond(flag, lambda: tf.nn.dropout(x, .5), lambda: x)
        print(op_counts.uncertain_function(x.graph))
    """)
    code, output, errors = folder.run("--ops", "installed", "train.py")
    assert code == 0, errors[-3000:]
    assert output.splitlines()[0] == "None" and output.splitlines()[1].endswith("dropout_v2 in a branch or a loop")


@pytest.mark.parametrize("switch", ["enable_eager_execution", "enable_v2_behavior"])
def test_counting_does_not_prevent_eager_execution(folder, switch):
    folder.write("train.py", f"import tensorflow as tf\ntf.{switch}()\nprint(tf.add(1, 2).numpy())")
    code, output, errors = folder.run("--ops", "installed", "train.py")
    assert code == 0, errors[-3000:]
    assert output.split() == ["3"]


@pytest.mark.skipif(VERSION < (2, 16), reason="Keras 3 comes with TensorFlow 2.16")
def test_keras_3_was_never_measured(folder):
    folder.write("sitecustomize.py", "import sys; sys.modules['tf_keras'] = None")  # as if it were not installed
    folder.write("train.py", """
        import tensorflow as tf
        from tf1grad.old_programs.seeds import op_counts

        def constant():
            return tf.get_variable("g", [2], initializer=tf.keras.initializers.Constant(2.))

        for build in (lambda: tf.keras.layers.Dense(3)(tf.zeros([2, 4])), constant, lambda: tf.zeros([2])):
            with tf.Graph().as_default() as graph:
                build()
                print(op_counts.uncertain_function(graph) is not None)
        """)
    found = folder.lines("--ops", "installed", "train.py", env={
        "PYTHONPATH": os.pathsep.join([folder.path, ROOT]), "TF_USE_LEGACY_KERAS": "0"})
    assert found == ["True", "True", "False"]

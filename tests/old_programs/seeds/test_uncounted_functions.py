"""Tests that upgraded programs are warned where the number of ops may differ from TensorFlow 1.15's."""

import pytest
import tensorflow.compat.v1 as tf

from tf1grad._compat import VERSION

pytestmark = pytest.mark.skipif(tf.__version__.startswith("1."), reason="TensorFlow 1.15 counts itself")

PROGRAM = """
import tensorflow.compat.v1 as tf
from tf1grad.migrate import seeds
from tf1grad.old_programs.seeds import op_counts
tf.disable_v2_behavior()
seeds.install("tf1")
%s
for case in CASES:
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(1)
        case(tf.placeholder(tf.float32, [None, 4]))
        print(op_counts.uncertain_function(graph))
        tf.random_normal([2])
"""


def test_doubtful_counts_name_their_function(run_program):
    output = run_program(PROGRAM % """
CASES = [
    lambda x: tf.reduce_mean(tf.nn.relu(x)),
    lambda x: tf.gradients(tf.reduce_sum(tf.square(x)), x),
    lambda x: x[0:tf.shape(x)[0]],
    lambda x: tf.gradients(tf.digamma(x), x),
    lambda x: tf.train.ProximalAdagradOptimizer(0.1).minimize(tf.reduce_sum(x * tf.get_variable("v", [4]))),
    lambda x: tf.cond(tf.placeholder(tf.bool, []), lambda: x + 1, lambda: x),
    lambda x: tf.cond(tf.placeholder(tf.bool, []), lambda: tf.nn.dropout(x, .5), lambda: x),
]
""")
    *found, last = output.splitlines()
    assert found == [
        "None", "None", "Tensor.__getitem__", "the gradient of Digamma", "Optimizer.apply_gradients", "None"]
    assert last.endswith("dropout_v2 in a branch or a loop")


@pytest.mark.skipif(VERSION < (2, 16), reason="Keras 3 comes with TensorFlow 2.16")
def test_keras_3_was_never_measured(run_program):
    output = run_program("import os; os.environ['TF_USE_LEGACY_KERAS'] = '0'" + PROGRAM % """
CASES = [
    lambda x: tf.keras.layers.Dense(3)(tf.zeros([2, 4])),
    lambda x: tf.get_variable("g", [2], initializer=tf.keras.initializers.Constant(2.)),
    lambda x: tf.zeros([2]),
]
""")
    assert [line == "None" for line in output.splitlines()] == [False, False, True]

"""Upgraded programs run on the TensorFlow that is here,
and give what the formulas of the old ones give.
"""

import json
import re
import textwrap

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import fork_server
from other_pythons import NEEDS_PYTHON_3_8
from script_folder import ScriptFolder, run_output
from tf1grad.cli import main
from tf1grad.upgrade.rules import requirements

pytestmark = NEEDS_PYTHON_3_8

needs_keras = pytest.mark.skipif(
    not tf.__version__.startswith(("1.", "2.15")) and not requirements.is_installed("tf_keras"),
    reason="the layers and cells of TensorFlow 1 need tf_keras",
)


@pytest.fixture
def run_upgraded(tmp_path):
    """Writes, upgrades and runs programs, and gives what the last of them prints as JSON."""

    def run(**texts):
        for name, text in texts.items():
            (tmp_path / (name + ".py")).write_text(textwrap.dedent(text).lstrip("\n"))
        assert main.main(["upgrade", "--write", str(tmp_path)]) == 0
        upgraded = (tmp_path / (name + ".py")).read_text()
        is_on_1_15 = "import tf1grad.v1" in upgraded
        assert is_on_1_15 or not re.search(r"tensorflow\.contrib|tf\.contrib", upgraded)
        # These come before TensorFlow, which a fork has.
        if is_on_1_15 or "import tf1grad.migrate.legacy" in upgraded:
            output, errors = ScriptFolder(tmp_path).start(f"{name}.py").communicate()
            assert output, errors[-3000:]
        else:
            output = run_output(f"{name}.py", folder=str(tmp_path), under=fork_server.UNDER_PYTHON)
        return json.loads(output.strip().split("\n")[-1])

    return run


@pytest.mark.slow
@pytest.mark.period
def test_train_ops_seeds_and_initializers(run_upgraded):
    result = run_upgraded(
        train="""
        import json
        import numpy as np
        import tensorflow as tf
        from tensorflow.contrib import layers
        from tensorflow.contrib.framework import get_or_create_global_step

        tf.set_random_seed(5)
        x = tf.placeholder(tf.float32, [None, 2])
        drawn = tf.random_uniform([3])
        w = tf.get_variable("w", initializer=[3.0, 4.0])
        glorot = tf.get_variable("glorot", [7, 5], initializer=layers.xavier_initializer(seed=3))
        loss = tf.reduce_sum(tf.square(w) * x)
        clipped = layers.optimize_loss(loss, get_or_create_global_step(), np.float(0.5), "SGD", clip_gradients=1.0)
        other = tf.contrib.training.create_train_op(loss, tf.train.GradientDescentOptimizer(0.25))
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            values = [session.run(drawn).tolist(), session.run(glorot).tolist()]
            session.run(clipped, {x: [[1.0, 1.0]]})
            values.append(session.run(w).tolist())
            session.run(other, {x: [[2.0, 0.0]]})
            values += [session.run(w).tolist(), int(session.run(tf.train.get_global_step()))]
        print(json.dumps(values))
        """
    )
    limit = np.sqrt(3.0 / ((7 + 5) / 2.0))  # Glorot and Bengio's, as contrib.layers computed it
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(5)
        glorot = session.run(tf.random_uniform([7, 5], -limit, limit, seed=3))
        # TensorFlow 1 takes the number of ops so far: the placeholder, the shape, the minimum and
        # the maximum.
        drawn = session.run(tf.random_uniform([3], seed=4))
    np.testing.assert_array_equal(np.array(result[0], np.float32), drawn)
    np.testing.assert_array_equal(np.array(result[1], np.float32), glorot)
    w = np.array([3.0, 4.0])
    w -= 0.5 * 2 * w / np.linalg.norm(2 * w)  # the gradient 2 w, clipped to norm 1
    np.testing.assert_allclose(result[2], w, rtol=1e-6)
    w -= 0.25 * 2 * w * [2, 0]
    np.testing.assert_allclose(result[3], w, rtol=1e-6)
    assert result[4] == 2


@pytest.mark.slow
def test_a_package_and_the_line_search(run_upgraded):
    pytest.importorskip("scipy")
    result = run_upgraded(
        model="""
        import tensorflow as tf

        class Model(object):
            def __init__(self):
                self.v = tf.Variable([-1.2, 1.0], dtype=tf.float64)
                self.loss = 100 * (self.v[1] - self.v[0] ** 2) ** 2 + (1 - self.v[0]) ** 2
                self.optimizer = tf.contrib.opt.ScipyOptimizerInterface(self.loss, method='L-BFGS-B')
        """,
        train="""
        from __future__ import print_function
        import json
        from model import Model

        def main():
            import tensorflow as tf
            model = Model()
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                model.optimizer.minimize(session)
                print(json.dumps(session.run([model.loss, model.v])[1].tolist()))

        if __name__ == '__main__':
            main()
        """,
    )
    np.testing.assert_allclose(result, [1.0, 1.0], atol=1e-3)  # Rosenbrock's minimum


@pytest.mark.slow
@needs_keras
def test_cells(run_upgraded):
    result = run_upgraded(
        train="""
        import json
        import tensorflow as tf
        rnn = tf.contrib.rnn

        inputs = tf.ones([1, 2, 3])
        with tf.variable_scope("rnn", initializer=tf.constant_initializer(0.5)):
            outputs, _ = tf.nn.dynamic_rnn(rnn.BasicRNNCell(2), inputs, dtype=tf.float32)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            print(json.dumps(session.run(outputs).tolist()))
        """
    )
    first = np.tanh(3 * 0.5)
    second = np.tanh(3 * 0.5 + 2 * 0.5 * first)
    np.testing.assert_allclose(result, [[[first] * 2, [second] * 2]], rtol=1e-6)


@needs_keras
@pytest.mark.slow
def test_slim(run_upgraded):
    pytest.importorskip("tf_slim", reason="the layers of slim are its")
    result = run_upgraded(
        train="""
        import json
        import tensorflow as tf
        import tensorflow.contrib.slim as slim

        def main(_):
            x = tf.ones([4, 3])
            with slim.arg_scope([slim.fully_connected], weights_initializer=tf.constant_initializer(0.5)):
                y = slim.fully_connected(slim.batch_norm(x, is_training=False), 2, activation_fn=None)
            tf.losses.mean_squared_error(tf.zeros([4, 2]), y)
            loss = tf.losses.get_total_loss()
            train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                values = [session.run(each) for each in (loss, train_op, loss)]
            print(json.dumps([float(values[0]), float(values[2])]))

        if __name__ == '__main__':
            tf.app.run()
        """
    )
    x = 1 / np.sqrt(1 + 1e-3)
    y = 3 * 0.5 * x  # of each of 4 x 2; the gradient of the mean square is 2 y / 8 for each
    rate = 0.1
    weight, bias, beta = [
        0.5 - rate * 4 * x * 2 * y / 8,
        -rate * 4 * 2 * y / 8,
        -rate * 2 * 4 * 0.5 * 2 * y / 8,
    ]
    np.testing.assert_allclose(result, [y**2, (3 * weight * (x + beta) + bias) ** 2], rtol=1e-5)


def test_imports_from_below_mean_those_of_version_1(run_upgraded):
    kept = run_upgraded(
        train="""
        import json
        import tensorflow as tf
        from tensorflow.nn import dropout
        import tensorflow.nn as nn

        drawn = [dropout(tf.ones([10000]), 0.9), nn.dropout(tf.ones([10000]), 0.9)]
        with tf.Session() as session:
            print(json.dumps([float((each != 0).mean()) for each in session.run(drawn)]))
        """
    )
    np.testing.assert_allclose(kept, [0.9, 0.9], atol=0.03)  # the probability to keep, of 10,000


def test_whole_numbers_are_divided_as_in_python_2(run_upgraded):
    pytest.importorskip("fissix", reason="it translates Python 2")
    result = run_upgraded(
        train="""
        import json
        import numpy as np
        import tensorflow as tf

        def steps(n, size):
            n /= size
            return n

        counts = np.array([7, 8])
        halves = counts
        halves /= 2
        print json.dumps([steps(7, 2), steps(7.0, 2), 7 / 2, len(range(9 / 2)), counts.tolist(), str(tf.Session)[:0]])
        """
    )
    assert result == [3, 3.5, 3, 4, [3, 4], ""]

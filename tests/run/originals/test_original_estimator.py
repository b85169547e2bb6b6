"""Tests that `tf.estimator` and `tf.contrib.estimator` are TensorFlow 1.15's own under `run`:
graphs, values, clusters.

The expected graphs and values are TensorFlow 1.15.5's.
"""

import json
import os

import numpy as np
import pytest

import clusters
import op_digests
import records
from paths import PROGRAMS
from script_folder import run_output

pytestmark = pytest.mark.slow
RECORDED = records.read("estimators")


@pytest.fixture(scope="module")
def found(names_of_run):
    """Returns the findings."""
    return json.loads(
        run_output(os.path.join(PROGRAMS, "estimator_programs.py"), *sorted(names_of_run))
    )


@pytest.mark.period
@pytest.mark.parametrize("name", [name for name in RECORDED if "ops" in RECORDED[name]])
def test_graph_and_values_are_those_of_1_15(name, found):
    assert op_digests.differences(RECORDED[name]["ops"], found[name]["ops"]) == []
    assert found[name]["functions"] == RECORDED[name]["functions"]
    assert found[name]["values"] == pytest.approx(RECORDED[name]["values"], rel=1e-4)


@pytest.mark.period
def test_early_stopping_and_exports(found):
    ours, theirs = found["stopped_and_exported"], RECORDED["stopped_and_exported"]
    assert ours == dict(
        theirs, predicted=[pytest.approx(row, rel=1e-4) for row in theirs["predicted"]]
    )


@pytest.mark.period
@pytest.mark.parametrize("name", RECORDED["boosted_trees"])
def test_boosted_trees_have_the_values_of_1_15(name, found):
    assert found["boosted_trees"][name] == pytest.approx(
        RECORDED["boosted_trees"][name], rel=1e-5, abs=1e-6
    )


@pytest.mark.period
def test_it_may_be_imported_before_tensorflow(folder):
    lines = folder.lines(
        folder.write(
            "first.py",
            """
        from tensorflow_estimator.contrib.estimator.python.estimator import exporter
        from tensorflow.core.kernels.boosted_trees import boosted_trees_pb2
        import tensorflow as tf
        print(issubclass(exporter.StepsExporter, tf.estimator.Exporter))
        print(boosted_trees_pb2.TreeEnsemble(tree_weights=[0.5]))
    """,
        )
    )
    assert lines == ["True", "tree_weights: 0.5", ""]


@pytest.mark.period
def test_checkpoints_cost_no_run_that_1_15_does_not_make(folder):
    program = folder.write("saves.py", SAVES)
    assert folder.lines(program)[0] == "40"  # TensorFlow 1.15.5's number


SAVES = """
    import tempfile
    import tensorflow as tf
    from tensorflow.python.client import session
    from tensorflow.python.training import training_util

    runs = []
    run_of_session = session.BaseSession._do_run

    def counted(self, *arguments, **options):
        runs.append(self)
        return run_of_session(self, *arguments, **options)

    def input_fn():
        return tf.data.Dataset.from_tensors(({"x": [[1.0, 2.0]]}, [[1.0]])).repeat()

    def model_fn(features, labels, mode):
        loss = tf.losses.mean_squared_error(labels, tf.layers.dense(features["x"], 1))
        optimizer = tf.train.GradientDescentOptimizer(0.1)
        with tf.control_dependencies([optimizer.minimize(loss)]):
            # After the read of the hooks. They run the step once more if it looks due too early.
            train_op = training_util._increment_global_step(1)
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

    session.BaseSession._do_run = counted
    config = tf.estimator.RunConfig(tempfile.mkdtemp(), save_checkpoints_steps=5)
    tf.estimator.Estimator(model_fn, config=config).train(input_fn, steps=20)
    print(len(runs))
"""

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


@pytest.mark.period(on_1_15=True)
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


@pytest.mark.slow
@pytest.mark.period(on_1_15=True)
def test_a_hook_asks_for_the_step_where_it_may_save_only(folder):
    folder.write(
        "train.py",
        """
        import tensorflow as tf

        runs = []
        run = tf.Session.run

        def counted(session, *arguments, **options):
            runs.append(arguments)
            return run(session, *arguments, **options)

        train = tf.assign_add(tf.train.get_or_create_global_step(), 1)
        tf.Session.run = counted
        hook = tf.train.CheckpointSaverHook("saved", save_steps=5)
        with tf.train.SingularMonitoredSession(hooks=[hook]) as session:
            runs.clear()
            for _ in range(12):
                session.run(train)
        print(len(runs))
        """,
    )
    # 12 steps, and two runs for each of the three saves. A step that is read after its increment
    # makes one more.
    assert 18 <= int(folder.lines("train.py")[0]) <= 20

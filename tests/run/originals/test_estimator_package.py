"""Tests tensorflow-estimator on the installed TensorFlow:
training equals NumPy's, and removed parts say so.
"""

import importlib
import json
from unittest import mock

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

import estimators
from tf1grad.programs import _compat
from tf1grad.run.originals import estimator_package

pytestmark = estimators.needs_package
estimator = estimators.module()
only_repaired = pytest.mark.skipif(
    not _compat.lacks_estimator(), reason="this TensorFlow has tf.estimator itself"
)

X = np.random.RandomState(3).randn(24, 2).astype(np.float32)
Y = X.dot(np.float32([1, -2])) + 1
BATCH, RATE = 4, 0.1


def input_fn(params=None):
    return tf.data.Dataset.from_tensor_slices(({"x": X}, Y)).batch(BATCH, drop_remainder=True)


def build(features, labels, mode, spec):
    """Linear regression without a bias; `spec` is the class of what a model_fn returns."""
    weights = tf.get_variable("weights", [2], initializer=tf.ones_initializer())
    predicted = tf.linalg.matvec(features["x"], weights)
    if mode == "infer":
        return spec(mode, predictions={"y": predicted})
    loss = tf.reduce_mean(tf.square(predicted - labels))
    train_op = tf.train.GradientDescentOptimizer(RATE).minimize(loss, tf.train.get_global_step())
    return spec(mode, loss=loss, train_op=train_op)


def model_fn(features, labels, mode):
    return build(features, labels, mode, estimator.EstimatorSpec)


def in_numpy(steps):
    """Returns the weights after some steps of gradient descent."""
    weights = np.ones(2)
    for start in range(0, steps * BATCH, BATCH):
        x, y = X[start : start + BATCH], Y[start : start + BATCH]
        weights -= RATE * 2 * x.T.dot(x.dot(weights) - y) / BATCH
    return weights


def assert_trained(job, steps):
    np.testing.assert_allclose(job.get_variable_value("weights"), in_numpy(steps), rtol=1e-5)


def test_it_trains_evaluates_and_predicts(tmpdir):
    job = estimator.Estimator(model_fn, str(tmpdir))
    job.train(input_fn, steps=5)
    assert_trained(job, 5)
    weights = in_numpy(5)
    metrics = job.evaluate(input_fn)
    np.testing.assert_allclose(metrics["loss"], np.mean(np.square(X.dot(weights) - Y)), rtol=1e-5)
    found = [prediction["y"] for prediction in job.predict(input_fn)]
    np.testing.assert_allclose(found, X.dot(weights), rtol=1e-4, atol=1e-5)


def test_train_and_evaluate_exports(tmpdir):
    job = estimator.Estimator(model_fn, str(tmpdir))
    receiver = estimator.export.build_raw_serving_input_receiver_fn(
        {"x": tf.placeholder(tf.float32, [None, 2])}
    )
    exporter = estimator.FinalExporter("final", receiver)
    estimator.train_and_evaluate(
        job,
        estimator.TrainSpec(input_fn, max_steps=4),
        estimator.EvalSpec(input_fn, steps=2, exporters=exporter),
    )
    assert_trained(job, 4)
    (exported,) = tmpdir.join("export", "final").listdir()
    with tf.Graph().as_default(), tf.Session() as session:
        signature = tf.saved_model.load(session, ["serve"], str(exported)).signature_def[
            "serving_default"
        ]
        found = session.run(signature.outputs["y"].name, {signature.inputs["x"].name: X})
    np.testing.assert_allclose(found, X.dot(in_numpy(4)), rtol=1e-4, atol=1e-5)


def test_tpu_estimator_without_a_tpu(tmpdir):
    def tpu_model_fn(features, labels, mode, params):
        assert params["batch_size"] == BATCH
        return build(features, labels, mode, estimator.tpu.TPUEstimatorSpec)

    config = estimator.tpu.RunConfig(
        model_dir=str(tmpdir), tpu_config=estimator.tpu.TPUConfig(iterations_per_loop=2)
    )
    job = estimator.tpu.TPUEstimator(
        tpu_model_fn, config=config, use_tpu=False, train_batch_size=BATCH
    )
    job.train(input_fn, max_steps=5)
    assert_trained(job, 5)


def test_a_strategy_in_one_process(tmpdir):
    strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
    job = estimator.Estimator(
        model_fn, config=estimator.RunConfig(str(tmpdir), train_distribute=strategy)
    )
    job.train(input_fn, steps=5)
    assert_trained(job, 5)


@only_repaired
def test_a_strategy_across_a_cluster_is_refused(monkeypatch):
    monkeypatch.setenv(
        "TF_CONFIG",
        json.dumps(
            {
                "cluster": {"chief": ["a:1"], "worker": ["b:1"]},
                "task": {"type": "chief", "index": 0},
            }
        ),
    )
    with pytest.raises(
        NotImplementedError,
        match="MirroredStrategyV1 across .*'worker'.* Leave train_distribute out",
    ):
        estimator.RunConfig(train_distribute=tf.distribute.MirroredStrategy(["/cpu:0"]))
    assert estimator.RunConfig().is_chief


@pytest.mark.parametrize("kind, seen", [("chief", "/job:chief"), ("worker", "/job:worker/task:0")])
def test_a_session_in_a_cluster_sees_itself_and_the_parameter_servers(monkeypatch, kind, seen):
    """As on TensorFlow 1.15.5; it would wait for the other workers otherwise."""
    cluster = {"chief": ["a:1"], "worker": ["b:1", "c:1"], "ps": ["d:1"]}
    task = {"type": kind, "index": 0}
    monkeypatch.setenv("TF_CONFIG", json.dumps({"cluster": cluster, "task": task}))
    strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
    for options in ({}, {"eval_distribute": strategy}):
        config = estimator.RunConfig(**options)
        assert config.session_config.device_filters == ["/job:ps", seen]


def test_two_strategies_for_one_purpose_are_an_error():
    asked = mock.Mock(train_distribute="train", eval_distribute=None, remote_cluster=None)
    config = mock.Mock(
        train_distribute="mine", eval_distribute=None, _experimental_distribute=asked
    )
    with pytest.raises(ValueError, match="give either train_distribute .* got 'mine' and 'train'"):
        estimator_package.init_run_config(config, {})


@only_repaired
def test_tpu_only_names_raise_with_the_reason():
    module = importlib.import_module("tensorflow.python.tpu.tpu_embedding")
    assert not isinstance(3, module.AdagradParameters)
    with pytest.raises(
        AttributeError, match="tf.python.tpu.tpu_embedding.AdagradParameters was used"
    ):
        module.AdagradParameters(0.1)

"""Tests AccumulateHook and its train op inside tf.estimator."""

import numpy as np
import tensorflow.compat.v1 as tf

import estimators
import models
import tf1grad
from numpy_optimizers import RULES
from tf1grad import AccumulateHook, GradientNormHook

pytestmark = estimators.needs_package
estimator = estimators.module()

K, PARTS = 3, models.split(models.random_batch(22, 0), [2] * 11)
X, IDS, Y = (np.stack(arrays) for arrays in zip(*PARTS))


def input_fn():
    return tf.data.Dataset.from_tensor_slices(({"x": X, "ids": IDS}, Y))


def make_model_fn(lines):
    """Returns a model_fn; its training writes the norms to the list `lines`."""

    def model_fn(features, labels, mode):
        model = models.Model()
        loss = model.loss_of(features["x"], features["ids"], labels)
        if mode == "eval":
            return estimator.EstimatorSpec(mode, loss=loss)
        optimizer, norms = RULES["nesterov"][1](), GradientNormHook(write=lines.append)
        accumulator = tf1grad.GradientAccumulator(optimizer.compute_gradients(loss), loss=loss)
        hook = AccumulateHook(
            accumulator, tf1grad.ClippingOptimizer(optimizer, transform=norms.watch), K
        )
        return estimator.EstimatorSpec(
            mode, loss=loss, train_op=hook.train_op, training_hooks=[hook, norms]
        )

    return model_fn


def windows(size):
    return [
        tuple(np.concatenate(arrays) for arrays in zip(*PARTS[start : start + size]))
        for start in range(0, len(PARTS), size)
    ]


def test_train_op_and_hook_in_an_estimator(tmpdir):
    lines = []
    job = estimator.Estimator(make_model_fn(lines), str(tmpdir))
    job.train(input_fn)  # 11 micro-batches: three windows, and a short one
    values, _ = models.train_in_numpy(RULES["nesterov"][0](), windows(K))
    models.assert_same_values({name: job.get_variable_value(name) for name in values}, values)
    assert job.get_variable_value("global_step") == 4
    assert [line.split("  ")[0] for line in lines] == [f"step {step}" for step in (1, 2, 3, 4)]
    assert not [name for name in job.get_variable_names() if "accumulator" in name]
    expected = np.mean([models.loss_and_gradients(values, part)[0] for part in PARTS])
    np.testing.assert_allclose(job.evaluate(input_fn)["loss"], expected, rtol=1e-5)

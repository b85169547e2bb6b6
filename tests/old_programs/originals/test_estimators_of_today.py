"""Tests estimators of the package tensorflow-estimator that are given 1.15's heads' reductions and Keras models.

The expected values are TensorFlow 1.15.5's.
"""

import importlib.util
import json

import pytest

from script_folder import run_output
from tf1grad._compat import VERSION
from tf1grad.old_programs.originals import folder

pytestmark = [
    pytest.mark.skipif(VERSION < (2,), reason="this is TensorFlow 1, with estimators of its time"),
    pytest.mark.skipif(not folder.has_op_layer(), reason="no originals here: tf1grad contrib install"),
]

SCRIPT = """
import json, os, sys
import numpy as np
import tensorflow as tf

x = np.arange(30, dtype=np.float32).reshape(10, 3) / 30
y = x.sum(1, keepdims=True)
config = tf.estimator.RunConfig(tf_random_seed=1)

def trained(estimator, name):
    def batches():
        return tf.data.Dataset.from_tensor_slices(({name: x}, y)).batch(5)
    estimator.train(batches)
    evaluated = {key: float(value) for key, value in estimator.evaluate(batches).items()}
    return evaluated, [float(list(each.values())[0][0]) for each in estimator.predict(batches)][:3]

model = tf.keras.Sequential([
    tf.keras.layers.Dense(4, activation="relu", input_shape=(3,), kernel_initializer="ones", name="first"),
    tf.keras.layers.Dense(1, kernel_initializer="ones")])
model.compile(tf.keras.optimizers.SGD(0.01), "mse", metrics=["mae"])
keras = tf.keras.estimator.model_to_estimator(model, model_dir=os.path.join(sys.argv[1], "keras"), config=config)
head = tf.estimator.RegressionHead()
baseline = tf.estimator.BaselineEstimator(head, model_dir=os.path.join(sys.argv[1], "baseline"), config=config)
found = [trained(keras, "first_input"), trained(baseline, "x")]
column = tf.feature_column.numeric_column("x", [3])
try:
    trained(tf.estimator.LinearEstimator(head, [column]), "x")
except ValueError as error:  # 1.15 asks for an optimizer of Keras, which its own default is not
    found.append("tf.keras.optimizers.Optimizer" in str(error))
print(json.dumps(found))
"""


def test_heads_and_keras_models(tmp_path):
    """Tests `model_to_estimator`, and estimators with `tf.estimator.RegressionHead`."""
    if importlib.util.find_spec("tensorflow_estimator") is None:
        pytest.skip("tf.estimator asks for tensorflow-estimator")
    script = tmp_path / "estimators.py"
    script.write_text(SCRIPT)
    (keras, predicted), (baseline, _), asks_for_keras = json.loads(run_output(str(script), str(tmp_path)))
    assert keras == pytest.approx(
        {"global_step": 2, "loss": 4.223344802856445, "mean_absolute_error": 1.66486394405365}, rel=1e-5)
    assert predicted == pytest.approx([-0.1605890989303589, 0.4080045819282532, 1.1612269878387451], rel=1e-5)
    assert baseline == pytest.approx(
        {"average_loss": 1.5109069347381592, "label/mean": 1.4500000476837158, "loss": 1.5109070539474487,
         "prediction/mean": 0.573411762714386, "global_step": 2}, rel=1e-5)
    assert asks_for_keras

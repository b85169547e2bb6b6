"""Tests models of 1.15's Keras under `run` whose layers are single ops, as `tf.concat` makes of a Keras tensor."""


import numpy as np
import pytest

from script_folder import values_of

pytestmark = pytest.mark.period

MODELS = """
if sys.argv[1] == "eager":
    tf.enable_eager_execution()
inputs = tf.keras.Input((4,))
left, right = tf.split(inputs, 2, axis=1)
joined = tf.concat([right, tf.stack([left, left], axis=2)[:, :, 0], tf.abs(inputs)], axis=-1)
inner = tf.keras.Model(inputs, tf.expand_dims(tf.tensordot(joined, tf.eye(8) * 2.0, 1), axis=-1))
outer_inputs = tf.keras.Input((4,))
outer = tf.keras.Model(outer_inputs, tf.add_n([inner(outer_inputs), inner(outer_inputs * 3.0)]))
copy = tf.keras.models.model_from_json(inner.to_json())
x = np.array([[1.0, -2.0, 3.0, 4.0]], np.float32)
print(json.dumps([model.predict(x).tolist() for model in (inner, copy, outer)]))
"""


@pytest.mark.parametrize("mode", ["graph", "eager"])
def test_models_of_ops_are_called_again(mode, tmp_path):
    """Tests ops with one list of inputs, with several outputs and with constants, in models in models and in copies."""
    inner, copy, outer = values_of(MODELS, tmp_path, mode)
    x = np.array([1.0, -2.0, 3.0, 4.0])
    expected = 2 * np.concatenate([x[2:], x[:2], np.abs(x)])
    assert np.ravel(inner).tolist() == np.ravel(copy).tolist() == expected.tolist()
    assert np.ravel(outer).tolist() == (4 * expected).tolist() and np.shape(outer) == (1, 8, 1)

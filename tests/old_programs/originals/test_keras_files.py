"""Tests SavedModels and event files of 1.15's Keras under `run`; the values are TensorFlow 1.15.5's."""

import base64
import zlib

import pytest

import records
from script_folder import values_of

pytestmark = pytest.mark.period

MODEL = """
import os

mode, folder = sys.argv[1:]
if mode == "eager":
    tf.enable_eager_execution()
elif mode == "second":
    tf.enable_v2_behavior()
layers = tf.keras.layers
x = np.arange(12, dtype=np.float32).reshape(4, 3) / 12
y = x.sum(1, keepdims=True)
"""

SAVED = MODEL + """
model = tf.keras.Sequential([
    layers.Dense(4, activation="relu", input_shape=(3,), kernel_initializer="ones"),
    layers.BatchNormalization(), layers.Dense(1, kernel_initializer="ones")])
model.compile(tf.keras.optimizers.SGD(0.01), "mse", metrics=["mae"])
model.fit(x, y, epochs=1, batch_size=4, shuffle=False, verbose=0)

def load(path):
    return tf.keras.models.load_model(os.path.join(folder, path))

model.save(os.path.join(folder, "saved"), save_format="tf")
model.save(os.path.join(folder, "file.h5"))
tf.keras.experimental.export_saved_model(model, os.path.join(folder, "exported"))
found = []
for read in (load("saved"), load("file.h5"),
             tf.keras.experimental.load_from_saved_model(os.path.join(folder, "exported"))):
    found.append([type(read).__name__, len(read.layers), read.predict(x).ravel().tolist()])
evaluated = [float(value) for value in load("saved").evaluate(x, y, verbose=0)]
if mode == "eager":
    again = load("saved")
    again.fit(x, y, epochs=2, batch_size=4, shuffle=False, verbose=0)
    again.save(os.path.join(folder, "again"), save_format="tf")
    found.append(np.allclose(load("again").predict(x), again.predict(x)))
old = load("recorded").predict(x).ravel().tolist()
with open(os.path.join(folder, "saved", "saved_model.pb"), "rb") as file:
    newer = b"DisableCopyOnRead" in file.read()
print(json.dumps([found, evaluated, old, newer]))
"""


def write_recorded(path):
    """Writes the SavedModel of a dense layer of ones, which TensorFlow 1.15.5 saved while executing eagerly."""
    for name, text in records.read("keras_saved_model").items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(zlib.decompress(base64.b64decode(text)))


@pytest.mark.parametrize("mode", ["graph", "eager"])
def test_models_are_saved_and_loaded(mode, tmp_path):
    """Tests `save`, `load_model` and `export_saved_model`, outside of a `with` of a session too."""
    write_recorded(tmp_path / "recorded")
    found, evaluated, old, newer = values_of(SAVED, tmp_path, mode, str(tmp_path))
    for name, layers, predicted in found[:3]:
        assert (name, layers) == ("Sequential", 3)
        assert predicted == pytest.approx([0.9608018398, 3.5965077877, 6.2322139740, 8.8679199219], rel=1e-5)
    assert evaluated == pytest.approx([16.971935272216797, 3.539361], rel=1e-5)
    assert (old, newer) == (pytest.approx([0.25, 1.0, 1.75, 2.5]), True)
    assert found[3:] == ([True] if mode == "eager" else [])


FUNCTIONS = MODEL + """
class Scaled(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = layers.Dense(2, kernel_initializer="ones", kernel_regularizer=tf.keras.regularizers.l2(0.5))
        self.factor = tf.Variable(3.0)

    def call(self, inputs, training=False):
        return self.dense(inputs) * self.factor

    @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
    def times(self, value):
        return value * self.factor

model = Scaled()
model._set_inputs(tf.constant(x))
tf.saved_model.save(model, os.path.join(folder, "saved"), signatures=model.times)
read = tf.compat.v2.saved_model.load(os.path.join(folder, "saved"))
keras = tf.keras.models.load_model(os.path.join(folder, "saved"))
served = read.signatures["serving_default"](tf.constant(2.0))["output_0"].numpy().item()
print(json.dumps([float(read.times(2.0)), served,
                  keras.predict(x)[0].tolist(), [float(loss) for loss in keras.losses], len(read.variables),
                  sorted(each.name for each in read.variables)]))
"""


def test_functions_and_losses_of_models_are_saved(tmp_path):
    """Tests a subclassed model with a `tf.function` and a regularizer."""
    *found, names = values_of(FUNCTIONS, tmp_path, "second", str(tmp_path))
    assert found == [6.0, 6.0, pytest.approx([0.75, 0.75]), [3.0], 3]
    assert names == ["Variable:0", "scaled/dense/bias:0", "scaled/dense/kernel:0"]


EVENTS = MODEL + """
callbacks = tf.compat.v2.keras.callbacks if mode == "second" else tf.keras.callbacks
model = tf.keras.Sequential([layers.Dense(1, input_shape=(3,), kernel_initializer="zeros", name="out")])
model.compile(tf.keras.optimizers.SGD(0.01), "mse", metrics=["mae"])
model.fit(x, y, epochs=2, batch_size=4, verbose=0, validation_data=(x, y),
          callbacks=[callbacks.TensorBoard(folder, histogram_freq=1, update_freq="epoch", profile_batch=0)])
found = {}
for place, _, files in os.walk(folder):
    for file in files:
        for event in tf.train.summary_iterator(os.path.join(place, file)):
            for value in event.summary.value:
                kept = value.simple_value if value.HasField("simple_value") else None
                if value.HasField("tensor") and not value.tensor.tensor_shape.dim and value.tensor.dtype == 1:
                    kept = tf.make_ndarray(value.tensor).item()
                found[f"{os.path.basename(place)} {value.tag} {event.step}"] = kept
print(json.dumps(found))
"""


@pytest.mark.parametrize("mode", ["eager", "second"])
def test_event_files_of_eager_training(mode, tmp_path):
    """Tests the TensorBoard callback, whose writer and step are `tf.summary`'s."""
    found = values_of(EVENTS, tmp_path, mode, str(tmp_path / "events"))
    first, metric = ("train ", "mae") if mode == "second" else ("events ", "mean_absolute_error")
    validation = "validation epoch_" if mode == "second" else "events epoch_val_"
    assert {f"{first}epoch_loss 0", f"{first}epoch_{metric} 1", f"{validation}loss 1"} <= set(found)
    assert [found[f"{first}epoch_loss {step}"] for step in (0, 1)] == pytest.approx([2.59375, 2.43025279], rel=1e-5)
    errors = [found[f"{validation}{metric} {step}"] for step in (0, 1)]
    assert errors == pytest.approx([1.32334197, 1.27349412], rel=1e-5)
    described = {"train keras 0", "train out/kernel_0 0", "train out/bias_0 1"} if mode == "second" else set()
    assert described <= set(found) and len(found) == (13 if mode == "second" else 8)

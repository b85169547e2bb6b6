"""Tests that pinned releases of Keras 2 train, save and load as on TensorFlow 1.15,
also with custom layers.
"""

import pytest
import tensorflow.compat.v1 as tf

from tf1grad.programs import _compat

pytestmark = [
    pytest.mark.period,
    pytest.mark.slow,
    pytest.mark.skipif(
        tf.__version__.startswith("1.") or (_compat.installed_release("keras") or (3,)) < (3,),
        reason="Keras 2 is installed",
    ),
]

# Each optimizer trains one weight, whose gradient is -1, and is compared with its formula. Its
# decay takes the number of the step, and Adam and Adamax take one more: Keras adds 1 to a count
# that has been increased.
COUNTERS = """
import sys
import numpy as np
import keras
from keras import backend as K, initializers, layers, models, optimizers

def weights(optimizer):
    K.clear_session()
    model = models.Sequential([layers.Dense(1, input_dim=1, use_bias=False, kernel_initializer="zeros")])
    model.compile(optimizer(), lambda labels, outputs: K.mean(-outputs))
    for step in range(3):
        model.train_on_batch(np.ones((4, 1)), np.ones((4, 1)))
        yield float(model.get_weights()[0])
    assert K.get_value(model.optimizer.iterations) == 3
    model.evaluate(np.ones((4, 1)), np.ones((4, 1)), verbose=0)
    assert K.get_value(model.optimizer.iterations) == 3

steps = np.arange(1, 4)
rate = 0.1 / (1 + 0.5 * steps)
summed, unbiased = 1 - 0.9 ** steps, 1 - 0.9 ** (steps + 1)
cases = {
    "sgd": (lambda: optimizers.SGD(lr=0.1, decay=0.5), rate),
    "adam": (
        lambda: optimizers.Adam(lr=0.1, decay=0.5, beta_2=0.9, epsilon=1e-12),
        rate * np.sqrt(unbiased) / unbiased * summed / np.sqrt(summed),
    ),
    "adamax": (lambda: optimizers.Adamax(lr=0.1, epsilon=1e-12), 0.1 / unbiased * summed),
}
for name, (optimizer, changes) in cases.items():
    np.testing.assert_allclose(list(weights(optimizer)), np.cumsum(changes), rtol=2e-5, err_msg=name)
"""
# The attribute that holds the names of the layers must have the type that each release tests for.
SAVING = """
inner = models.Sequential([layers.Dense(3, input_dim=2, activation="relu"), layers.BatchNormalization()])
inputs = layers.Input((2,))
model = models.Model(inputs, layers.Dense(1)(layers.Dropout(0.5)(inner(inputs))))
model.compile("adam", "mse")
x = np.random.RandomState(0).rand(8, 2)
model.train_on_batch(x, x[:, :1])
model.save("model.h5")
model.save_weights("weights.h5")
loaded = models.load_model("model.h5")
assert np.array_equal(loaded.predict(x), model.predict(x))
assert len(loaded.optimizer.get_weights()) == len(model.optimizer.get_weights()) > 8
copied = models.model_from_json(model.to_json())
copied.load_weights("weights.h5")
assert np.array_equal(copied.predict(x), model.predict(x))
inner.load_weights("weights.h5", by_name=True)
"""
# A layer and an activation of the program, generators and callbacks.
CUSTOM = """
from keras import callbacks

class Scaled(layers.Layer):
    def build(self, shape):
        self.scale = self.add_weight(name="scale", shape=(shape[-1],), initializer="ones")
        super().build(shape)

    def call(self, inputs):
        return inputs * self.scale

def twice(inputs):
    return 2 * inputs

def batches():
    while True:
        yield x, x[:, :1]

K.clear_session()
model = models.Sequential([Scaled(input_shape=(2,)), layers.Dense(1, activation=twice)])
model.compile(optimizers.Nadam(), "mse", metrics=["mae"])
rates = callbacks.LearningRateScheduler(lambda epoch: 0.1 / (1 + epoch))
written = [callbacks.ModelCheckpoint("kept-{epoch}.h5"), callbacks.CSVLogger("log.csv")]
history = model.fit_generator(batches(), 2, 3, verbose=0, callbacks=[rates, *written]).history
assert len(history["loss"]) == len(open("log.csv").readlines()) - 1 == 3
np.testing.assert_allclose(K.get_value(model.optimizer.lr), 0.1 / 3, rtol=1e-6)
loaded = models.load_model("kept-3.h5", custom_objects={"Scaled": Scaled, "twice": twice})
assert np.array_equal(loaded.predict_generator(batches(), 1), model.predict(x))
early = callbacks.EarlyStopping(monitor="loss", min_delta=9)
history = model.fit(x, x[:, :1], epochs=9, verbose=0, callbacks=[early]).history
assert len(history["loss"]) == 2
print(keras.__version__)
"""


@pytest.mark.parametrize("release", ["2.0.9", "2.1.6", "2.2.4"])
def test_a_pinned_release_counts_steps_first_and_loads_what_it_saves(release, folder):
    folder.write("requirements.txt", f"keras=={release}\n")
    folder.write("train.py", COUNTERS + SAVING + CUSTOM)
    assert folder.lines("train.py") == [release]

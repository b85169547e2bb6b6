"""Holds cases of 1.15's Keras: training, layers of ops, SavedModels and event files;
see `recorded_cases.py`.
"""

import base64
import collections
import glob
import json
import os
import zlib

import numpy as np
import tensorflow as tf

import records
from recorded_cases import case

layers = tf.keras.layers
X = np.arange(12, dtype=np.float32).reshape(4, 3) / 12
Y = X.sum(1, keepdims=True)


@case("eager")
def training():
    x = np.arange(30, dtype=np.float32).reshape(10, 3) / 30
    y = x.sum(1, keepdims=True)
    histories = []
    for optimizer in (tf.keras.optimizers.SGD(0.01), tf.train.GradientDescentOptimizer(0.01)):
        model = tf.keras.Sequential(
            [
                layers.Dense(4, activation="relu", input_shape=(3,), kernel_initializer="ones"),
                layers.Dense(1, kernel_initializer="ones"),
            ]
        )
        model.compile(optimizer, "mse", metrics=["mae"])
        batches = tf.data.Dataset.from_tensor_slices((x, y)).batch(5)
        for fit in (
            lambda: model.fit(x, y, epochs=2, batch_size=5, shuffle=False, verbose=0),
            lambda: model.fit(batches, epochs=1, verbose=0, validation_data=batches),
        ):
            histories.append(fit().history)
        histories.append([*model.evaluate(x, y, verbose=0), *model.predict(x)[0]])
    return histories


@case("graph", "eager")
def mixed_precision():
    policy = tf.keras.mixed_precision.experimental.Policy("infer_float32_vars")
    layer = layers.Dense(2, kernel_initializer="ones", dtype=policy)
    inputs = tf.keras.Input((3,), batch_size=4, dtype=tf.float16)
    model = tf.keras.Model(inputs, layers.Lambda(lambda y: tf.cast(y, tf.float32))(layer(inputs)))
    model.compile(tf.keras.optimizers.SGD(0.1), "mse")
    model.fit(X.astype(np.float16), np.ones([4, 2], np.float32), batch_size=4, verbose=0)
    return layer.kernel.dtype.name, tf.keras.backend.get_value(layer.kernel)[:, 0]


@case("graph", "eager")
def layers_of_ops():
    inputs = tf.keras.Input((4,))
    left, right = tf.split(inputs, 2, axis=1)
    joined = tf.concat([right, tf.stack([left, left], axis=2)[:, :, 0], tf.abs(inputs)], axis=-1)
    inner = tf.keras.Model(
        inputs, tf.expand_dims(tf.tensordot(joined, tf.eye(8) * 2.0, 1), axis=-1)
    )
    copy = tf.keras.models.model_from_json(inner.to_json())
    x = np.array([[1.0, -2.0, 3.0, 4.0]], np.float32)
    return [model.predict(x) for model in (inner, copy)]


@case("graph", "eager")
def losses_are_averaged_in_float64():
    model = tf.keras.Sequential([layers.Dense(1, input_shape=(1,), kernel_initializer="ones")])
    model.compile(tf.keras.optimizers.SGD(0.0), "mse")
    x = np.arange(1, 8, dtype=np.float32)[:, None]
    return json.dumps(model.fit(x, x * 1.1, batch_size=3, shuffle=False, verbose=0).history["loss"])


@case("graph", "eager")
def saved_models(folder):
    model = tf.keras.Sequential(
        [
            layers.Dense(4, activation="relu", input_shape=(3,), kernel_initializer="ones"),
            layers.BatchNormalization(),
            layers.Dense(1, kernel_initializer="ones"),
        ]
    )
    model.compile(tf.keras.optimizers.SGD(0.01), "mse", metrics=["mae"])
    model.fit(X, Y, epochs=1, batch_size=4, shuffle=False, verbose=0)

    def load(path):
        return tf.keras.models.load_model(os.path.join(folder, path))

    model.save(os.path.join(folder, "saved"), save_format="tf")
    model.save(os.path.join(folder, "file.h5"))
    tf.keras.experimental.export_saved_model(model, os.path.join(folder, "exported"))
    found = []
    for read in (
        load("saved"),
        load("file.h5"),
        tf.keras.experimental.load_from_saved_model(os.path.join(folder, "exported")),
    ):
        found.append([type(read).__name__, len(read.layers), read.predict(X)])
    found.append(load("saved").evaluate(X, Y, verbose=0))
    files = {
        name: zlib.decompress(base64.b64decode(text))
        for name, text in records.read("keras_saved_model").items()
    }
    # TensorFlow 1.15.5 saved it while executing eagerly.
    records.write_files(os.path.join(folder, "recorded"), files)
    return found + [load("recorded").predict(X)]


@case("eager")
def functions_and_losses_of_models(folder):
    class Scaled(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = layers.Dense(
                2, kernel_initializer="ones", kernel_regularizer=tf.keras.regularizers.l2(0.5)
            )
            self.factor = tf.Variable(3.0)

        def call(self, inputs, training=False):
            return self.dense(inputs) * self.factor

        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def times(self, value):
            return value * self.factor

    model = Scaled()
    model._set_inputs(tf.constant(X))
    tf.saved_model.save(model, os.path.join(folder, "saved"), signatures=model.times)
    read = tf.compat.v2.saved_model.load(os.path.join(folder, "saved"))
    keras = tf.keras.models.load_model(os.path.join(folder, "saved"))
    served = read.signatures["serving_default"](tf.constant(2.0))["output_0"]
    return [
        read.times(2.0),
        served,
        keras.predict(X)[0],
        keras.losses,
        sorted(each.name for each in read.variables),
    ]


@case("graph", "eager")
def event_files(folder):
    model = tf.keras.Sequential(
        [layers.Dense(1, input_shape=(3,), kernel_initializer="zeros", name="out")]
    )
    model.compile(tf.keras.optimizers.SGD(0.01), "mse", metrics=["mae"])
    board = tf.keras.callbacks.TensorBoard(folder + "/events", histogram_freq=1)
    model.fit(X, Y, epochs=2, batch_size=2, verbose=0, validation_data=(X, Y), callbacks=[board])
    profiles = glob.glob(folder + "/**/plugins/profile/*/*", recursive=True)
    found = {"is profiled": max(map(os.path.getsize, profiles)) > 100}
    for place, _, files in os.walk(folder):
        for file in files:
            if "tfevents" not in file or file.endswith("profile-empty"):
                continue
            for event in tf.train.summary_iterator(os.path.join(place, file)):
                for value in event.summary.value:
                    name = f"{os.path.basename(place)} {value.tag} {event.step}"
                    found[name] = value.simple_value if value.HasField("simple_value") else None
    return found


@case("graph")
def applications():
    from tensorflow.keras.applications.mobilenet import MobileNet
    from tensorflow.python.keras.preprocessing.sequence import pad_sequences

    tf.set_random_seed(1)
    body = MobileNet(input_shape=(32, 32, 3), alpha=0.25, include_top=False, weights=None)
    model = tf.keras.models.Model(
        body.input, layers.Dense(2, activation="softmax")(layers.Flatten()(body.output))
    )
    model.compile("sgd", "categorical_crossentropy")
    drawn = sum(np.abs(weights).sum(dtype=np.float64) for weights in model.get_weights())
    is_finite = np.isfinite(model.train_on_batch(np.ones([4, 32, 32, 3]), np.eye(2)[[0, 1, 1, 0]]))
    return [
        model.layers[2].name,
        model.count_params(),
        pad_sequences([[1], [2, 3]]),
        drawn,
        is_finite,
    ]


class SessionWithGPUs(tf.Session):
    """Lists two GPUs, which `multi_gpu_model` looks for, where there may be none."""

    def list_devices(self):
        device = collections.namedtuple("device", "name")
        names = ("CPU:0", "GPU:0", "GPU:1")
        return [device("/job:localhost/replica:0/task:0/device:" + name) for name in names]


@case("graph")
def multi_gpu_models():
    placed = tf.ConfigProto(allow_soft_placement=True)
    tf.keras.backend.set_session(SessionWithGPUs(config=placed))
    model = tf.keras.Sequential([layers.Dense(1, input_shape=(3,), kernel_initializer="ones")])
    of_all = tf.keras.utils.multi_gpu_model(model, gpus=2)
    ops = [
        (op.type, op.name, op.device) for op in tf.get_default_graph().get_operations() if op.device
    ]
    of_all.compile(tf.keras.optimizers.SGD(0.1), "mse")
    losses = of_all.fit(X, Y * 2, epochs=3, batch_size=4, shuffle=False, verbose=0).history["loss"]
    return [ops, losses, of_all.predict(X), model.get_weights()[0]]

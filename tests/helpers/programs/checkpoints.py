"""Writes and reads checkpoints of TensorFlow 1, for 1.15 itself and for `tf1grad run`.

checkpoints.py write FOLDER   trains two steps of each case and saves; prints the values as JSON
checkpoints.py read FOLDER    restores each case, and prints the values, and those after one more
                              step
checkpoints.py record         under TensorFlow 1.15: writes FOLDER, and records its files and both
                              outputs
"""

import json
import os
import sys
import tempfile

import numpy as np
import tensorflow as tf

import records

X = np.linspace(-1, 1, 12).reshape(4, 3).astype("float32")


def _model(use_resource, partitioner=None):
    with tf.variable_scope("model", use_resource=use_resource, partitioner=partitioner):
        kernel = tf.get_variable("kernel", [3, 4], initializer=tf.constant_initializer(0.25))
        bias = tf.get_variable("bias", [4], initializer=tf.zeros_initializer())
        with tf.variable_scope(
            "embedding", partitioner=tf.fixed_size_partitioner(2) if partitioner else None
        ):
            table = tf.get_variable("table", [5, 4], initializer=tf.constant_initializer(0.5))
    rows = tf.nn.embedding_lookup(table, [0, 3, 3, 4], partition_strategy="div")
    return tf.reduce_sum(
        tf.square(tf.nn.bias_add(tf.matmul(X, tf.convert_to_tensor(kernel)), bias) * rows - 1.0)
    )


class Graph:
    """Holds the graph of a case: its training op, and its saver."""

    def __init__(self, optimizer, use_resource=False, partitioner=None):
        loss = _model(use_resource, partitioner)
        step = tf.train.get_or_create_global_step()
        applied = optimizer.minimize(loss, global_step=step)
        average = tf.train.ExponentialMovingAverage(0.9, step)
        with tf.control_dependencies([applied]):
            self.train = average.apply(tf.trainable_variables())

    def values(self, session):
        return {
            each.op.name: np.ravel(session.run(each)).tolist() for each in tf.global_variables()
        }


class Cells:
    """Holds the cells that read cuDNN's canonical weights on a CPU."""

    def __init__(self):
        from tensorflow.contrib import cudnn_rnn

        tf.set_random_seed(3)
        cells = [cudnn_rnn.CudnnCompatibleLSTMCell(3), cudnn_rnn.CudnnCompatibleGRUCell(3)]
        self._outputs, _ = tf.nn.dynamic_rnn(
            tf.nn.rnn_cell.MultiRNNCell(cells), tf.constant(X[None]), dtype=tf.float32
        )
        self.train = tf.no_op()

    def values(self, session):
        return {"outputs": np.ravel(session.run(self._outputs)).tolist()}


CASES = {
    "adam_ref": lambda: Graph(tf.train.AdamOptimizer(0.1)),
    "adam_resource": lambda: Graph(tf.train.AdamOptimizer(0.1), use_resource=True),
    "momentum_partitioned": lambda: Graph(
        tf.train.MomentumOptimizer(0.1, 0.9), partitioner=tf.fixed_size_partitioner(3)
    ),
    "rmsprop_partitioned_resource": lambda: Graph(
        tf.train.RMSPropOptimizer(0.1), True, tf.fixed_size_partitioner(2)
    ),
    "cudnn": Cells,
}


def _write_graphs(folder):
    found = {}
    for name, build in CASES.items():
        with tf.Graph().as_default(), tf.Session() as session:
            graph = build()
            session.run(tf.global_variables_initializer())
            for _ in range(2):
                session.run(graph.train)
            tf.train.Saver().save(session, os.path.join(folder, name), write_meta_graph=False)
            found[name] = graph.values(session)
    return found


def _read_graphs(folder):
    found = {}
    for name, build in CASES.items():
        with tf.Graph().as_default(), tf.Session() as session:
            graph = build()
            tf.train.Saver().restore(session, os.path.join(folder, name))
            found[name] = graph.values(session)
            session.run(graph.train)
            found[name + " and a step"] = graph.values(session)
    return found


def _read_into_others(folder):
    """Reads by assign_from_checkpoint, init_from_checkpoint and warm_start,
    into variables of other names.
    """
    path, found = os.path.join(folder, "adam_ref"), {}
    readers = {
        "assign": lambda variables: tf.contrib.framework.assign_from_checkpoint(path, variables),
        "init": lambda variables: tf.train.init_from_checkpoint(path, {"model/": "mine/"}),
        "warm_start": lambda variables: tf.train.warm_start(
            path,
            "mine/.*",
            var_name_to_prev_var_name={"mine/" + name[len("model/") :]: name for name in variables},
        ),
        "parts": lambda variables: tf.train.init_from_checkpoint(
            path, {name: list(variable) for name, variable in variables.items()}
        ),
    }
    for reader, read in readers.items():
        with tf.Graph().as_default(), tf.Session() as session:
            partitioner = tf.fixed_size_partitioner(2) if reader == "parts" else None
            variables = {
                "model/" + name: tf.get_variable("mine/" + name, shape, partitioner=partitioner)
                for name, shape in (("kernel", [3, 4]), ("bias", [4]))
            }
            assigned = read(variables)
            session.run(tf.global_variables_initializer())
            if assigned:
                session.run(*assigned)
            found[reader] = {
                name[len("model/") :]: np.ravel(
                    session.run(tf.convert_to_tensor(variable))
                ).tolist()
                for name, variable in variables.items()
            }
    return found


def _keras():
    return tf.keras.Sequential(
        [
            tf.keras.layers.Dense(3, input_shape=(4,), activation="relu"),
            tf.keras.layers.BatchNormalization(),
            tf.keras.layers.Dense(2),
        ]
    )


def _write_keras(folder):
    with tf.Graph().as_default(), tf.Session().as_default():
        tf.set_random_seed(5)
        model = _keras()
        model.compile(tf.train.AdamOptimizer(0.01), "mse")
        model.fit(np.ones([4, 4]), np.zeros([4, 2]), epochs=2, verbose=0)
        for name in ("weights.h5", "weights"):
            model.save_weights(os.path.join(folder, name))
        model.save(os.path.join(folder, "model.h5"), include_optimizer=False)
        return {"keras": _keras_values(model)}


def _keras_values(model):
    return [np.ravel(weight).tolist() for weight in model.get_weights()]


def _read_keras(folder):
    found = {}
    with tf.Graph().as_default(), tf.Session().as_default():
        model = _keras()
        for name in ("weights.h5", "weights"):
            model.load_weights(os.path.join(folder, name))
            found["keras " + name] = _keras_values(model)
        model = tf.keras.models.load_model(os.path.join(folder, "model.h5"))
        found["keras model.h5"] = _keras_values(model)
    return found


def write(folder):
    """Writes all files, and returns the values that are in them."""
    return {**_write_graphs(folder), **_write_keras(folder)}


def read(folder):
    """Returns the values that are read from the files."""
    return {**_read_graphs(folder), **_read_into_others(folder), **_read_keras(folder)}


def record():
    """Records what 1.15 writes and reads."""
    folder = tempfile.mkdtemp()
    found = {"written": write(folder), "read": read(folder)}
    records.write(
        "checkpoints", dict(found, files=records.packed(folder, sorted(os.listdir(folder))))
    )


if __name__ == "__main__":
    if sys.argv[1] == "record":
        record()
    else:
        print(json.dumps({"write": write, "read": read}[sys.argv[1]](sys.argv[2])))

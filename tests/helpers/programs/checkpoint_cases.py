"""Holds cases of checkpoints and SavedModels; see `recorded_cases.py`.

`python tests/helpers/programs/checkpoint_cases.py` under TensorFlow 1.15 records checkpoints of
boosted trees.
"""

import hashlib
import json
import os
import tempfile

import numpy as np
import tensorflow as tf

import records
from recorded_cases import case


@case("graph")
def checkpoints_of_objects(folder):
    """Uses lists, tuples, the state of NumPy, `CheckpointManager` and objects that are
    refused; and hashes the ops.
    """
    from tensorflow.python.training.tracking import graph_view, tracking

    class Model(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.listed, self.pair = [tf.keras.layers.Dense(2)], (tf.keras.layers.Dense(2),)

        def call(self, inputs):
            return self.pair[0](self.listed[0](inputs))

    class Refused(tracking.NotTrackable, tf.train.Checkpoint):
        pass

    def error(checkpoint):
        try:
            checkpoint.save(folder + "/refused")
        except Exception as error:
            return type(error).__name__

    model = Model()
    model(tf.ones([1, 3]))
    state = tf.contrib.checkpoint.NumpyState()
    checkpoint = tf.train.Checkpoint(
        model=model, ref=tf.Variable(3.0, use_resource=False), state=state
    )
    _, graph, _ = graph_view.ObjectGraphView(checkpoint).serialize_object_graph()
    keys = sorted(each.checkpoint_key for node in graph.nodes for each in node.attributes)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        manager = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=1)
        paths = [manager.save() for _ in range(2)]
        checkpoint.restore(paths[1]).assert_consumed().run_restore_ops()
    ops = json.dumps([[each.type, each.name] for each in tf.get_default_graph().get_operations()])
    deleted, ordered = tf.train.Checkpoint(), tf.train.Checkpoint()
    deleted.rows, ordered.rows = [tf.Variable(1.0)], [3, 1]
    del deleted.rows[0]
    ordered.rows.sort()
    return [
        keys,
        [each.shape.as_list() for each in model.trainable_variables],
        [tf.train.checkpoint_exists(path) for path in paths],
        hashlib.md5(ops.encode()).hexdigest(),
        error(deleted),
        error(ordered),
        error(tf.train.Checkpoint(child=Refused())),
    ]


@case("graph")
def optimizers_are_restored(folder):
    class Named(tf.train.GradientDescentOptimizer):
        def _lookup_dependency(self, name):  # 1.15's signature, in user code
            return super()._lookup_dependency(name)

    def model(optimizer):
        made = tf.keras.Sequential(
            [tf.keras.layers.Dense(2, input_shape=(3,), kernel_initializer="ones")]
        )
        made.compile(optimizer, "mse")
        return made

    found = []
    for optimizer in (
        tf.train.AdamOptimizer(0.1),
        tf.contrib.optimizer_v2.AdamOptimizer(0.1),
        Named(0.1),
    ):
        network, place = model("sgd"), os.path.join(folder, type(optimizer).__name__)
        step = tf.Variable(0)
        train = optimizer.minimize(
            tf.reduce_sum(network(tf.ones([1, 3]))),
            global_step=step,
            var_list=network.trainable_variables,
        )
        checkpoint = tf.train.Checkpoint(model=network, optimizer=optimizer, step=step)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(3):
                session.run(train)
            path = checkpoint.save(os.path.join(place, "saved"), session=session)
            before = session.run([optimizer.variables(), network.trainable_variables, step])
            session.run(tf.global_variables_initializer())
            checkpoint.restore(path).assert_consumed().run_restore_ops(session)
            after = session.run([optimizer.variables(), network.trainable_variables, step])
        found.append(
            [
                len(before[0]),
                str(before) == str(after),
                sorted(name for name, _ in tf.train.list_variables(path) if "optimizer" in name),
            ]
        )
    network = model(tf.train.AdamOptimizer())
    network.fit(np.ones([4, 3]), np.ones([4, 2]), verbose=0)
    network.save_weights(os.path.join(folder, "weights"))
    weights = network.get_weights()
    network.fit(np.ones([4, 3]), np.ones([4, 2]), verbose=0)
    network.load_weights(os.path.join(folder, "weights"))
    found.append(bool(np.all(network.get_weights()[0] == weights[0])))
    return found


@case("eager")
def slots_are_restored_when_they_are_made(folder):
    found = []
    for make in (tf.train.AdamOptimizer, tf.keras.optimizers.Adam):
        for path in (None, folder + "/saved-1"):
            variable, optimizer = tf.Variable([1.0, 2.0]), make(0.1)
            state = tf.contrib.checkpoint.NumpyState()
            checkpoint = tf.train.Checkpoint(variable=variable, optimizer=optimizer, state=state)
            status = checkpoint.restore(path) if path else None
            for _ in range(1 if path else 2):  # makes the slots, which are restored at that moment
                with tf.GradientTape() as tape:
                    loss = tf.reduce_sum(variable * variable)
                optimizer.apply_gradients([(tape.gradient(loss, variable), variable)])
            if path:
                status.assert_consumed()
            else:
                state.steps = tf.constant([1, 2]).numpy()
                checkpoint.save(folder + "/saved")
        slots = sorted(each.numpy().tolist() for each in optimizer.variables() if each.shape.ndims)
        found.append([variable, slots, state.steps])
    return found


@case("eager")
def saved_models_hold_lists_and_dicts(folder):
    class Module(tf.Module):
        def __init__(self):
            super().__init__()
            self.rows, self.table = [tf.Variable(2.0)], {"factor": tf.Variable(3.0)}

        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def call(self, x):
            return x * self.rows[0] * self.table["factor"]

    tf.compat.v2.saved_model.save(Module(), folder)
    loaded = tf.compat.v2.saved_model.load(folder)
    return [loaded.call(tf.constant(5.0)), loaded.rows[0], loaded.table["factor"]]


@case("eager")
def checkpoints_in_functions(folder):
    checkpoint = tf.train.Checkpoint(value=tf.Variable(2.0))

    @tf.function
    def write():
        return tf.compat.v2.train.Checkpoint(value=checkpoint.value).write(folder + "/written")

    write()
    checkpoint.value.assign(3.0)
    checkpoint.restore(folder + "/written")
    return checkpoint.value


NUMBERS = np.random.RandomState(3).rand(60, 2).astype(np.float32)
WORDS = np.array(["a", "b", "c"] * 20)
CLASSES = (NUMBERS[:, 0] + NUMBERS[:, 1] * (WORDS == "a") > 0.7).astype(np.int32)
TARGETS = (NUMBERS.sum(1) + (WORDS == "b")).astype(np.float32)


def _trees(kind, folder):
    """Returns a classifier or a regressor with buckets, quantiles and words."""
    column = tf.feature_column
    columns = [
        column.bucketized_column(column.numeric_column("first"), [0.2, 0.4, 0.6, 0.8]),
        column.indicator_column(column.categorical_column_with_vocabulary_list("word", ["a", "b"])),
        column.numeric_column("second"),
    ]
    config = tf.estimator.RunConfig(folder, tf_random_seed=1)
    if kind == "classifier":
        return tf.estimator.BoostedTreesClassifier(
            columns, 1, n_trees=3, max_depth=3, config=config
        )
    return tf.estimator.BoostedTreesRegressor(
        columns, 1, n_trees=3, max_depth=2, center_bias=True, config=config
    )


def _input_fn(labels=None):
    def batches():
        features = {"first": NUMBERS[:, 0], "second": NUMBERS[:, 1], "word": WORDS}
        return tf.data.Dataset.from_tensors(
            (features, labels) if labels is not None else features
        ).repeat(30 if labels is not None else 1)

    return batches


@case("graph")
def trees_that_1_15_trained(folder):
    records.unpack(folder, records.read("trained_trees"))
    return [
        float(each[key][0])
        for kind, key in (("classifier", "logits"), ("regressor", "predictions"))
        for each in _trees(kind, os.path.join(folder, kind)).predict(_input_fn())
    ]


def record_trees():
    """Trains both models, and records their files."""
    assert tf.__version__.startswith("1.15"), tf.__version__
    folder, files = tempfile.mkdtemp(), {}
    for kind, labels in (("classifier", CLASSES), ("regressor", TARGETS)):
        trained = _trees(kind, os.path.join(folder, kind))
        trained.train(_input_fn(labels[:, None]), max_steps=12)
        latest = os.path.basename(tf.train.latest_checkpoint(trained.model_dir))
        kept = [
            name
            for name in sorted(os.listdir(trained.model_dir))
            if name == "checkpoint" or name.startswith(latest) and not name.endswith(".meta")
        ]
        files.update(records.packed(folder, [kind + "/" + name for name in kept]))
    records.write("trained_trees", files)


if __name__ == "__main__":
    record_trees()

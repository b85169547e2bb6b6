"""A program for 1.15.5 and `run`: what checkpoints of objects hold, and the ops that `tf.train.Checkpoint` makes.

Argument: a folder. Prints JSON.
"""

import hashlib
import json
import sys

import tensorflow as tf
from tensorflow.python.training.tracking import graph_view, tracking

found = {}


class Model(tf.keras.Model):
    """Has a list and a tuple of layers."""

    def __init__(self):
        super().__init__()
        self.listed, self.pair = [tf.keras.layers.Dense(2)], (tf.keras.layers.Dense(2),)

    def call(self, inputs):
        return self.pair[0](self.listed[0](inputs))


class Refused(tracking.NotTrackable, tf.train.Checkpoint):
    """Cannot be saved."""


def error(call):
    """Returns the name of the class of the error that `call` raises."""
    try:
        call()
    except Exception as error:
        return type(error).__name__


model = Model()
model(tf.ones([1, 3]))
state = tf.contrib.checkpoint.NumpyState()
checkpoint = tf.train.Checkpoint(model=model, ref=tf.Variable(3.0, use_resource=False), state=state)
_, graph, _ = graph_view.ObjectGraphView(checkpoint).serialize_object_graph()
found["keys"] = sorted(each.checkpoint_key for node in graph.nodes for each in node.attributes)
found["trained"] = [each.shape.as_list() for each in model.trainable_variables]
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    manager = tf.train.CheckpointManager(checkpoint, sys.argv[1], max_to_keep=1)
    paths = [manager.save() for _ in range(2)]
    found["kept"] = [tf.train.checkpoint_exists(path) for path in paths]
    checkpoint.restore(paths[1]).assert_consumed().run_restore_ops()
ops = json.dumps([[each.type, each.name] for each in tf.get_default_graph().get_operations()])
found["ops"] = hashlib.md5(ops.encode()).hexdigest()

lists = tf.train.Checkpoint()
lists.rows = [tf.Variable(1.0)]
del lists.rows[0]
found["deleted"] = error(lambda: lists.save(sys.argv[1] + "/deleted"))
lists = tf.train.Checkpoint()
lists.rows = [3, 1]
lists.rows.sort()
found["sorted"] = error(lambda: lists.save(sys.argv[1] + "/sorted"))
found["refused"] = error(lambda: tf.train.Checkpoint(child=Refused()).save(sys.argv[1] + "/refused"))
print(json.dumps(found))

"""Builds model files with the installed TensorFlow, as old programs wrote them,
and graphs of single nodes.
"""

import json

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

WEIGHTS = np.arange(6, dtype="f").reshape(3, 2) / 7


def node(name, op, *inputs, **attributes):
    """Returns a `NodeDef`; the attributes are dtypes."""
    built = tf.NodeDef(name=name, op=op, input=inputs)
    for key, value in attributes.items():
        built.attr[key].type = value.as_datatype_enum
    return built


def graph_of(path, *nodes):
    """Writes a graph of `nodes`, and returns its path."""
    path.write_bytes(tf.GraphDef(node=nodes).SerializeToString())
    return str(path)


def frozen_graph(path, build=lambda x: tf.matmul(x, WEIGHTS)):
    """Writes the graph from the placeholder "x" to "y", and returns its path."""
    with tf.Graph().as_default() as graph:
        tf.identity(build(tf.placeholder(tf.float32, [None, 3], name="x")), name="y")
    path.write_bytes(graph.as_graph_def().SerializeToString())
    return str(path)


def _model(use_resource):
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    return x, tf.identity(
        tf.matmul(x, tf.get_variable("w", initializer=WEIGHTS, use_resource=use_resource)), name="y"
    )


def checkpoint(folder, build, name="model.ckpt", **options):
    """Writes a checkpoint of what `build` builds, and its meta graph, and returns its prefix."""
    folder.mkdir(exist_ok=True)
    with tf.Graph().as_default(), tf.Session() as session:
        build()
        session.run(tf.global_variables_initializer())
        return tf.train.Saver(**options).save(session, str(folder / name))


def meta_graph(folder, use_resource=False):
    """Writes a checkpoint of the model, and its meta graph, and returns its prefix."""
    return checkpoint(folder, lambda: _model(use_resource))


def saved_model(folder, use_resource=False):
    """Writes a SavedModel, and returns its folder."""
    with tf.Graph().as_default(), tf.Session() as session:
        x, y = _model(use_resource)
        session.run(tf.global_variables_initializer())
        builder = tf.saved_model.Builder(str(folder))
        signature = tf.saved_model.predict_signature_def({"features": x}, {"scores": y})
        builder.add_meta_graph_and_variables(session, ["serve"], {"serving_default": signature})
        builder.save()
    return str(folder)


def keras_file(path, *layers):
    """Writes a Keras HDF5 file with the configurations of layers and one weight,
    and returns its path.
    """
    h5py = pytest.importorskip("h5py")
    model = {"class_name": "Sequential", "config": {"name": "s", "layers": layers}}
    with h5py.File(str(path), "w") as file:
        file.attrs["keras_version"] = b"2.2.4"
        file.attrs["model_config"] = json.dumps(model).encode()
        file["model_weights/dense_1/dense_1/kernel:0"] = np.zeros((4, 3), "f")
    return str(path)

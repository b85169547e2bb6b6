"""Loads models from Keras HDF5 files, as graphs with a checkpoint."""

from __future__ import annotations

import os
from typing import Any, Dict, NamedTuple

from tf1grad._compat import tf
from tf1grad.old_programs import _compat
from tf1grad.old_programs.models import keras_files, loading
from tf1grad.old_programs.models.model_files import ModelError

KERAS = "tensorflow.compat.v1.keras."


class KerasModel(NamedTuple):
    """Holds the `MetaGraphDef` of a model, the checkpoint's prefix, and the tensors of its inputs and outputs."""

    meta: Any
    prefix: str
    inputs: Dict[str, str]
    outputs: Dict[str, str]


def load(path: str, folder: str) -> KerasModel:
    """Returns the model of an HDF5 file, with its variables in a checkpoint in `folder`, which is made.

    Raises:
        ModelError: it holds weights alone, or Keras cannot build it.
    """
    if keras_files.read(path).config is None:
        raise ModelError(f"{path}: it holds weights, but no model. Build the model in Python, call its load_weights, "
                         "and save it with model.save.")
    os.mkdir(folder)
    with tf.Graph().as_default(), tf.Session() as session:
        backend = _resolve("backend", path)
        backend.set_session(session)
        backend.set_learning_phase(0)
        try:
            model = _resolve("models", path).load_model(path, compile=False)
        except Exception as error:  # any, from the layers' own code
            raise ModelError(f"{path}: Keras cannot build it: {loading.first_line(error)} Classes of the program's own "
                             "need the program: load it there and save it with tf.saved_model.simple_save.") from error
        prefix = tf.train.Saver(model.weights).save(session, os.path.join(folder, "model"), write_meta_graph=False) \
            if model.weights else ""
        return KerasModel(tf.train.export_meta_graph(), prefix,
                          {_plain(tensor.name): tensor.name for tensor in model.inputs},
                          dict(zip(model.output_names, [tensor.name for tensor in model.outputs])))


def _plain(name: str) -> str:
    return name.split(":")[0].replace("/", "_")


def _resolve(name: str, path: str) -> Any:
    try:
        return _compat.resolve(KERAS + name)
    except (ImportError, AttributeError) as error:
        raise ModelError(f"{path}: it needs Keras 2, which this TensorFlow lacks. `tf1grad doctor` prints the command "
                         "that installs tf_keras.") from error

"""Loads models from Keras HDF5 files, as graphs with a checkpoint."""

import os
import re
from typing import Any

from tf1grad._compat import tf
from tf1grad.old_programs import _compat
from tf1grad.old_programs.models import loading
from tf1grad.old_programs.models.graph_facts import Signature, Tensor
from tf1grad.old_programs.models.model_files import ModelError, ModelFile

KERAS = "tensorflow.compat.v1.keras."
REMEDY = (
    "Code of the program's own needs the program: load the model there and save it with "
    "tf.saved_model.simple_save."
)
UNKNOWN = re.compile(r"Unknown [a-z ]+: *'?[\w<>.]+'?")


def load(file: ModelFile, folder: str) -> ModelFile:
    """Returns the model of an HDF5 file as a graph with a signature, and a checkpoint in `folder`, which is made.

    Raises:
        ModelError: it holds weights alone, or Keras cannot build it.
    """
    path, (facts,) = file.path, file.graphs
    if not facts.outputs:
        raise ModelError(
            f"{path}: it holds weights, but no model. Build the model in Python, call its load_weights, "
            "and save it with model.save."
        )
    if facts.python:
        raise ModelError(
            f"{path}: the function of its Lambda layer {', '.join(map(repr, facts.python))} is a Python "
            f"function of the program that wrote it. {REMEDY}"
        )
    os.mkdir(folder)
    with tf.Graph().as_default(), tf.Session() as session:
        _resolve("backend.set_session", path)(session)  # Keras 3 has none
        _resolve("backend.set_learning_phase", path)(0)
        try:
            model = _resolve("models", path).load_model(path, compile=False)
        except Exception as error:  # any, from the layers' own code
            unknown = UNKNOWN.search(str(error))
            cause = f"{unknown.group()}." if unknown else loading.first_line(error)
            raise ModelError(f"{path}: Keras cannot build it: {cause} {REMEDY}") from error
        prefix = ""
        variables = tf.global_variables()  # also the states of layers that keep theirs
        if variables:
            prefix = os.path.join(folder, "model")
            tf.train.Saver(variables).save(session, prefix, write_meta_graph=False)
        signature = Signature(
            "",
            "",
            [
                Tensor(each.op.name.replace("/", "_"), each.name, None, None)
                for each in model.inputs
            ],
            [
                Tensor(name, each.name, None, None)
                for name, each in zip(model.output_names, model.outputs)
            ],
        )
        return file._replace(
            metas=[tf.train.export_meta_graph()],
            prefix=prefix,
            graphs=[facts._replace(signatures=[signature])],
        )


def _resolve(name: str, path: str) -> Any:
    try:
        return _compat.resolve(KERAS + name)
    except (ImportError, AttributeError) as error:
        raise ModelError(
            f"{path}: it needs Keras 2, which this TensorFlow lacks. `tf1grad doctor` prints the command "
            "that installs tf_keras."
        ) from error

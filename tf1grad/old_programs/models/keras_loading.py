"""Loads models from Keras HDF5 files, as graphs with a checkpoint."""

from __future__ import annotations

import os
import re
from typing import Any

from tf1grad._compat import tf
from tf1grad.old_programs import _compat
from tf1grad.old_programs.models import loading
from tf1grad.old_programs.models.graph_facts import GraphFacts
from tf1grad.old_programs.models.loading import Source
from tf1grad.old_programs.models.model_files import ModelError

KERAS = "tensorflow.compat.v1.keras."
REMEDY = (
    "Code of the program's own needs the program: load the model there and save it with "
    "tf.saved_model.simple_save."
)
UNKNOWN = re.compile(r"Unknown [a-z ]+: *'?[\w<>.]+'?")


def load(path: str, facts: GraphFacts, folder: str) -> Source:
    """Returns the model of an HDF5 file, with its variables in a checkpoint in `folder`, which is made.

    Raises:
        ModelError: it holds weights alone, or Keras cannot build it.
    """
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
        return Source(
            [tf.train.export_meta_graph()],
            prefix,
            {tensor.op.name.replace("/", "_"): tensor.name for tensor in model.inputs},
            dict(zip(model.output_names, [tensor.name for tensor in model.outputs])),
        )


def _resolve(name: str, path: str) -> Any:
    try:
        return _compat.resolve(KERAS + name)
    except (ImportError, AttributeError) as error:
        raise ModelError(
            f"{path}: it needs Keras 2, which this TensorFlow lacks. `tf1grad doctor` prints the command "
            "that installs tf_keras."
        ) from error

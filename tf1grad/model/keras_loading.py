"""Loads models from Keras HDF5 files, as graphs with a checkpoint."""

from __future__ import annotations

import contextlib
import inspect
import os
import re
from typing import Any, Iterator

from google.protobuf import json_format

from tf1grad._compat import tf
from tf1grad.model import keras_files, loading, permitted_ops
from tf1grad.model.graph_facts import Signature, Tensor
from tf1grad.model.keras_files import Config
from tf1grad.model.model_files import ModelError, ModelFile
from tf1grad.programs import _compat
from tf1grad.programs.process import patches

KERAS = "tensorflow.compat.v1.keras."
REMEDY = (
    "Code of the program's own needs the program: load the model there and save it with "
    "tf.saved_model.simple_save."
)
# Where Keras has the classes that a file may name, apart from those that it writes and does not
# export.
NAMESPACES = ("layers", "experimental", "models", "initializers", "regularizers", "constraints")
UNEXPORTED = re.compile(
    r"Functional|SyncBatchNormalization|(Dropout|Residual|Device)Wrapper|AddLoss|AddMetric|\w+Column|Policy(V1)?|"
    r"(Dynamic|Fixed)LossScale|TensorShape|__(tuple|ellipsis|bytes|numpy|tensor)__"
)
HOLDS_CODE = "Lambda"
OP_LAYER = "TensorFlowOpLayer"
MODULE = re.compile(r"(tf_)?keras(\.\w+)*")
UNKNOWN = re.compile(r"Unknown [a-z ]+: *'?[\w<>.]+'?")


def load(file: ModelFile, folder: str) -> ModelFile:
    """Returns the model of an HDF5 file as a graph with a signature,
    and a checkpoint in `folder`, which is made.

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
    set_session = _resolve("backend.set_session", path)  # Keras 3 has none
    for what in _foreign(keras_files.model_config(path), path):
        raise ModelError(f"{path}: its configuration names {what}. {REMEDY}")
    os.mkdir(folder)
    with tf.Graph().as_default(), tf.Session() as session:
        set_session(session)
        _resolve("backend.set_learning_phase", path)(0)
        try:
            with _code_refused(_resolve("layers.Lambda", path)):
                model = _resolve("models", path).load_model(path, compile=False)
        except Exception as error:  # any, from the layers' own code
            unknown = UNKNOWN.search(str(error))
            cause = unknown.group().rstrip(".") + "." if unknown else loading.first_line(error)
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


def _foreign(config: object, path: str) -> Iterator[str]:
    """Yields what a configuration names that is not Keras's own,
    or that would run or read something else.

    Keras imports the modules that a file names, and calls the functions of TensorFlow that it
    names.
    """
    known: set[str] = set()
    package = _resolve("layers.Lambda", path).__module__.split(".")[0] + "."
    for namespace in NAMESPACES:
        # That of TensorFlow 1 and the newest: each has names that the other lacks.
        for keras in (KERAS, package):
            module = _resolve(namespace, path, keras)
            known.update(name for name, _ in inspect.getmembers(module, inspect.isclass))
    for each in keras_files.objects(config):
        if isinstance(each.get("vocabulary"), str):
            yield f"the file {each['vocabulary']!r}"
        if each.get("class_name") == OP_LAYER:
            node = _node_of(each)
            if permitted_ops.first_refused(tf.GraphDef(node=[node]), [node.name]) is not None:
                yield f"the op {node.op}, which {permitted_ops.REASON}"
        elif "class_name" in each and not _is_own(each, known):
            yield f"{each['class_name']!r}, which is not one of the classes that Keras exports for models"


def _is_own(each: Config, known: set[str]) -> bool:
    """Says whether a part of a configuration is an object of a class of
    Keras that takes no function.
    """
    name = str(each["class_name"])
    exported = re.sub(r"V\d$", "", name)  # such as BatchNormalizationV1
    return (
        not known.isdisjoint([name, exported])
        and name != HOLDS_CODE
        or UNEXPORTED.fullmatch(name) is not None
    ) and (
        MODULE.fullmatch(str(each.get("module") or "keras")) is not None
        and each.get("registered_name") in (None, name)
    )


def _node_of(layer: Config) -> Any:
    """Returns the `NodeDef` of a layer that is an op, as Keras reads it."""
    node = layer["config"]["node_def"]
    if isinstance(node, dict):
        return json_format.ParseDict(node, tf.NodeDef())
    return tf.NodeDef.FromString(node.encode("utf-8"))


@contextlib.contextmanager
def _code_refused(layer: Any) -> Iterator[None]:
    """Keeps the Keras of a layer's class from making functions of the code in a file,
    wherever it finds some.
    """

    def refuse(*unused: object, **also_unused: object) -> None:
        raise ValueError("the file holds the code of a Python function.")

    with contextlib.ExitStack() as stack:
        for module in _compat.modules_that_load_code(layer):
            stack.enter_context(patches.temporarily(module, _compat.LOADS_CODE, refuse))
        yield


def _resolve(name: str, path: str, keras: str | None = None) -> Any:
    try:
        return _compat.resolve((keras or KERAS) + name)
    except (ImportError, AttributeError) as error:
        raise ModelError(
            f"{path}: it needs Keras 2, which this TensorFlow lacks. `tf1grad doctor` prints the command "
            "that installs tf_keras."
        ) from error

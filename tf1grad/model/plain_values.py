"""Computes a converted model's outputs with plain TensorFlow:
a script of its process, which does not import tf1grad.

usage: python plain_values.py MODEL REQUESTS VALUES

REQUESTS is a pickled list of (tags, signature, inputs by name, outputs by name). For a frozen graph
the tags are the ops to run first, the signature is None, and the names are tensors. VALUES becomes
the pickled list of the outputs' values. If an input is None, the model is loaded and not run.
"""

from __future__ import annotations

import importlib
import os
import pickle
import sys
from typing import TYPE_CHECKING, Any, Mapping, Sequence

if TYPE_CHECKING:
    from types import ModuleType

tf: ModuleType = importlib.import_module("tensorflow")


def run_signature(
    path: str, tags: Sequence[str], signature: str, inputs: Mapping[str, Any]
) -> dict[str, Any]:
    """Returns the outputs of a signature."""
    loaded = tf.saved_model.load(path, tags=list(tags))
    function = loaded.signatures[signature]
    if any(value is None for value in inputs.values()):
        return {}
    dtypes = {name: spec.dtype for name, spec in function.structured_input_signature[1].items()}
    fed = {name: tf.constant(value, dtypes[name]) for name, value in inputs.items()}
    found = function(**fed)
    # The signature names the values of a SparseTensor.
    return {name: getattr(value, "values", value).numpy() for name, value in found.items()}


def run_frozen_graph(
    path: str, first: Sequence[str], inputs: Mapping[str, Any], outputs: Mapping[str, str]
) -> dict[str, Any]:
    """Returns the values of tensors of a frozen graph, in eager execution."""
    graph_def = tf.compat.v1.GraphDef()
    with open(path, "rb") as file:
        graph_def.ParseFromString(file.read())
    wrapped = tf.compat.v1.wrap_function(
        lambda: tf.compat.v1.import_graph_def(graph_def, name=""), []
    )
    for name in first:
        wrapped.prune([], wrapped.graph.get_operation_by_name(name))()
    feeds = [wrapped.graph.get_tensor_by_name(name) for name in inputs]
    function = wrapped.prune(
        feeds, {name: wrapped.graph.get_tensor_by_name(tensor) for name, tensor in outputs.items()}
    )
    if any(value is None for value in inputs.values()):
        return {}
    values = function(
        *[tf.constant(value, feed.dtype) for feed, value in zip(feeds, inputs.values())]
    )
    return {name: value.numpy() for name, value in values.items()}


def main(path: str, requests: str, values: str) -> None:
    """Writes the values that the file `requests` asks for into the file `values`."""
    found = []
    with open(requests, "rb") as file:
        for tags, signature, inputs, outputs in pickle.load(file):
            if signature is None:
                found.append(run_frozen_graph(path, tags, inputs, outputs))
            else:
                found.append(run_signature(path, tags, signature, inputs))
    with open(values, "wb") as file:
        pickle.dump(found, file)


if __name__ == "__main__":
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    main(*sys.argv[1:])

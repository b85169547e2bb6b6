"""Reads Keras HDF5 files, of models and of weights alone, without Keras."""

from __future__ import annotations

import importlib
import json
from typing import Any, Dict, Iterator, List, NamedTuple, Optional

from tf1grad.old_programs.models.checkpoint_files import Variable
from tf1grad.old_programs.models.graph_facts import Tensor
from tf1grad.old_programs.models.wire_format import Bytes, Damaged

MAGIC = b"\x89HDF\r\n\x1a\n"


class KerasFile(NamedTuple):
    """Describes a file.

    config: that of the model, or None for weights alone.
    lambdas: the names of its Lambda layers.
    """

    writer: Optional[str]
    config: Optional[Dict[str, Any]]
    layers: int
    inputs: List[Tensor]
    outputs: List[Tensor]
    variables: List[Variable]
    lambdas: List[str]


def is_hdf5(data: Bytes) -> bool:
    """Says whether the bytes begin as HDF5 does."""
    return bytes(data[:len(MAGIC)]) == MAGIC


def read(path: str) -> KerasFile:
    """Returns the facts of the file at `path`.

    Raises:
        Damaged: it is not one that Keras wrote, or h5py is missing.
    """
    try:
        h5py: Any = importlib.import_module("h5py")
    except ImportError as error:
        raise Damaged("it is HDF5, which needs h5py to be read (pip install h5py)") from error
    try:
        with h5py.File(path, "r") as file:
            attributes = {name: _text(value) for name, value in file.attrs.items()}
            weights = file["model_weights"] if "model_weights" in file else file
            found = sorted(_variables(weights, h5py.Dataset), key=lambda variable: variable.name)
            layers = len(weights.keys())
            version = attributes.get("keras_version") or _text(weights.attrs.get("keras_version"))
    except (OSError, KeyError, RuntimeError, ValueError, TypeError) as error:
        raise Damaged(f"it is cut off, or damaged ({error})") from error
    if version is None and "model_config" not in attributes and "layer_names" not in attributes:
        raise Damaged("it is HDF5, but Keras did not write it")
    config = _config(attributes.get("model_config"))
    nodes = _layers(config)
    return KerasFile(version and f"Keras {version}", config, len(nodes) or layers, _inputs(nodes),
                     _ends(config), found,
                     [str(layer["config"].get("name", "lambda")) for layer in all_layers(config)
                      if layer.get("class_name") == "Lambda"])


def _text(value: Any) -> Any:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def _variables(weights: Any, dataset: Any) -> List[Variable]:
    found: List[Variable] = []

    def visit(name: str, item: Any) -> None:
        if isinstance(item, dataset):
            found.append(Variable(name, str(item.dtype), [int(size) for size in item.shape]))
    weights.visititems(visit)
    return found


def _config(text: Any) -> Optional[Dict[str, Any]]:
    if text is None:
        return None
    try:
        config = json.loads(text)
    except (ValueError, TypeError, RecursionError) as error:
        raise Damaged("its model_config is not JSON") from error
    if not isinstance(config, dict):
        raise Damaged("its model_config is not a model")
    return config


def _layers(config: Optional[Dict[str, Any]]) -> List[Dict[str, Any]]:
    inner = (config or {}).get("config", {})
    found = inner.get("layers", []) if isinstance(inner, dict) else inner  # a list for Sequential before 2.2.3
    return [layer for layer in found if isinstance(layer, dict)] if isinstance(found, list) else []


def all_layers(config: Any) -> Iterator[Dict[str, Any]]:
    """Yields the configurations of a model's layers, with those of models and wrappers in it."""
    waiting = [config]
    while waiting:
        found = waiting.pop(0)
        if isinstance(found, dict) and "class_name" in found and isinstance(found.get("config"), (dict, list)):
            inner = found["config"]
            layers = inner if isinstance(inner, list) else inner.get("layers")
            if layers is None:
                yield found
                layers = [inner.get("layer")]
            waiting += layers if isinstance(layers, list) else []


def _inputs(layers: List[Dict[str, Any]]) -> List[Tensor]:
    """Returns the inputs of a model: its input layers, or the first layer's batch_input_shape."""
    found = []
    for layer in layers:
        config = layer.get("config", {})
        shape = config.get("batch_input_shape") if isinstance(config, dict) else None
        if isinstance(shape, list):
            found.append(Tensor(config.get("name", "input"), "", config.get("dtype", "float32"), shape))
    return found


def _ends(config: Optional[Dict[str, Any]]) -> List[Tensor]:
    inner = (config or {}).get("config", {})
    if not isinstance(inner, dict) or "output_layers" not in inner:
        layers = _layers(config)
        return [Tensor(layers[-1].get("config", {}).get("name", "output"), "", None, None)] if layers else []
    return [Tensor(end[0], "", None, None) for end in inner["output_layers"] if isinstance(end, list) and end]

"""Reads Keras HDF5 files, of models and of weights alone, without Keras."""

from __future__ import annotations

import importlib
import json
from typing import TYPE_CHECKING, Any, Dict, Iterator

from tf1grad.model.graph_facts import Damaged, GraphFacts, Tensor, Variable

if TYPE_CHECKING:
    from types import ModuleType

Config = Dict[str, Any]
MAGIC = b"\x89HDF\r\n\x1a\n"


def read(path: str) -> tuple[GraphFacts, str | None]:
    """Returns the facts of the file at `path`,
    without outputs if it holds weights alone, and what wrote it.

    Raises:
        Damaged: it is not one that Keras wrote, it takes data from other files, or h5py is missing.
    """
    try:
        h5py: ModuleType = importlib.import_module("h5py")
    except ImportError as error:
        raise Damaged("it is HDF5, which needs h5py to be read (pip install h5py)") from error
    found: list[Variable] = []

    def visit(name: str, item: object) -> None:
        if isinstance(item, h5py.Dataset):
            found.append(Variable(name, str(item.dtype), [int(size) for size in item.shape]))

    try:
        with h5py.File(path, "r") as file:
            _refuse_other_files(h5py, file)
            attributes = {name: _text(value) for name, value in file.attrs.items()}
            weights = file["model_weights"] if "model_weights" in file else file
            weights.visititems(visit)
            layers = len(weights.keys())
            version = attributes.get("keras_version") or _text(weights.attrs.get("keras_version"))
    except (OSError, KeyError, RuntimeError, ValueError, TypeError) as error:
        raise Damaged(f"it is cut off, or damaged ({error})") from error
    if version is None and "model_config" not in attributes and "layer_names" not in attributes:
        raise Damaged("it is HDF5, but Keras did not write it")
    try:
        config = json.loads(attributes.get("model_config", "null"))
        nodes = _layers(config)
        facts = GraphFacts(
            tags=[],
            tensorflow=None,
            producer=None,
            nodes=len(nodes) or layers,
            functions=0,
            signatures=[],
            inputs=_inputs(nodes),
            outputs=_outputs(config, nodes),
            missing=[],
            python=list(dict.fromkeys(_functions(config))),
            variables=sorted(found, key=lambda each: each.name),
        )
        return facts, version and f"Keras {version}"
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise Damaged("its model_config is not that of a model") from error


def model_config(path: str) -> Any:
    """Returns the configuration of the model in the file at `path`."""
    h5py: ModuleType = importlib.import_module("h5py")
    with h5py.File(path, "r") as file:
        return json.loads(_text(file.attrs["model_config"]))


def _refuse_other_files(h5py: Any, file: Any) -> None:
    """Raises `Damaged` for a file with links to other files, or with data that other files hold."""

    def visit(name: str, item: Any) -> None:
        if isinstance(item, h5py.Group):
            links = [item.get(key, getlink=True) for key in item]
            elsewhere = any(isinstance(link, h5py.ExternalLink) for link in links)
        else:
            elsewhere = isinstance(item, h5py.Dataset) and bool(item.external or item.is_virtual)
        if elsewhere:
            raise Damaged(f"its {name!r} takes data from another file, which is not read")

    visit("/", file)
    file.visititems(visit)


def _text(value: object) -> Any:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def _layers(config: Config | None) -> list[Config]:
    """Returns the configurations of the layers of a model, not those of models in it."""
    inner = config["config"] if config else []
    # A list before Keras 2.2.3.
    layers: list[Config] = inner if isinstance(inner, list) else inner["layers"]
    return layers


def objects(config: object) -> Iterator[Config]:
    """Yields every mapping of a configuration, wherever it is:
    each may be what Keras makes an object of.
    """
    waiting = [config]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            yield value
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value


def _functions(config: object) -> Iterator[str]:
    """Yields the names of layers that hold the code of a Python function,
    or ask for one of the program.
    """
    for each in objects(config):
        inner = each.get("config")
        holds_code = any(key.endswith("_type") and each[key] == "lambda" for key in each)
        if each.get("class_name") in ("Lambda", "__lambda__"):
            each = inner if isinstance(inner, dict) else {}
            holds_code = True
        if holds_code:
            yield str(each.get("name", "lambda"))


def _inputs(layers: list[Config]) -> list[Tensor]:
    """Returns the inputs of a model: its input layers, or the first layer's batch_input_shape."""
    found = []
    for config in [layer["config"] for layer in layers]:
        if "batch_input_shape" in config:
            dtype, shape = config.get("dtype", "float32"), config["batch_input_shape"]
            found.append(Tensor(config.get("name", "input"), "", dtype, shape))
    return found


def _outputs(config: Any, layers: list[Config]) -> list[Tensor]:
    """Returns the outputs of a model: those that it lists, or its last layer."""
    if not layers:
        return []
    inner = config["config"]
    if "output_layers" in inner:
        names = [end[0] for end in inner["output_layers"]]
    else:
        names = [layers[-1]["config"].get("name", "output")]
    return [Tensor(name, "", None, None) for name in names]

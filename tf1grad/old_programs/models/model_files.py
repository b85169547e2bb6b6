"""Recognizes the formats of model files, and reads the facts that `tf1grad model inspect` prints.

The content decides, not the name: a file may be called anything.
"""

from __future__ import annotations

import contextlib
import errno
import mmap
import os
import re
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence

from tf1grad.old_programs._errors import UsageError
from tf1grad.old_programs.gone_ops import advice
from tf1grad.old_programs.gone_ops.advice import MissingOp
from tf1grad.old_programs.models import (
    checkpoint_files,
    deprecated_ops,
    graph_facts,
    graph_messages,
    keras_files,
    text_form,
)
from tf1grad.old_programs.models.checkpoint_files import Variable
from tf1grad.old_programs.models.graph_facts import GraphFacts, Signature
from tf1grad.old_programs.models.graph_messages import Bytes, Damaged

FROZEN, META, SAVED, HUB, CHECKPOINT, KERAS = (
    "frozen_graph",
    "meta_graph",
    "saved_model",
    "hub_module",
    "checkpoint",
    "keras_hdf5",
)
TITLES = {
    FROZEN: "frozen graph",
    META: "meta graph",
    SAVED: "SavedModel",
    HUB: "TF-Hub module of version 1",
    CHECKPOINT: "checkpoint",
    KERAS: "Keras HDF5",
}
AGAIN = "Copy or export it again"
FORMATS = (
    "a frozen graph (.pb), a SavedModel's folder, a meta graph (.meta), a checkpoint's prefix or folder, "
    "a Keras HDF5 file, a TF-Hub module's folder"
)
PRODUCER = 134  # the version of graphs that TensorFlow 1.15 writes
# Files of other kinds: the place and the value of a mark, what it is and what reads it.
FOREIGN = (
    (
        4,
        b"TFL3",
        "it is a TensorFlow Lite model, which tf.lite.Interpreter(model_path=...) reads. To convert a "
        "model, name the file that the TensorFlow Lite model was made from.",
    ),
    (
        0,
        b'{"class_name"',
        "it is a Keras model without its weights. Build it with keras.models.model_from_json, "
        "call its load_weights, and save it with model.save.",
    ),
    (
        0,
        b"PK\x03\x04",
        "it is a zip archive, not a model file. Unpack an archive and name the model in it; "
        "numpy.load reads .npz, and keras.models.load_model reads .keras.",
    ),
    (0, b"\x1f\x8b", "it is compressed, not a model file. Unpack it and name the model in it."),
    (21, b"brain.Event:", "it is the log of a training, not a model. TensorBoard reads it."),
)
OP_TYPE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.>/-]*$")


class ModelError(UsageError):
    """Raised for a model that cannot be read or converted; the message names the file and the remedy."""

    code = 1


class ModelFile(NamedTuple):
    """Describes a model: its files, and everything that they tell.

    path: as the user wrote it.
    prefix: of the checkpoint that belongs to it, or None.
    writer: the program that wrote it, such as "TensorFlow 1.15.5", or None.
    """

    path: str
    kind: str
    graphs: List[GraphFacts]
    variables: List[Variable]
    assets: List[str]
    prefix: Optional[str]
    writer: Optional[str]


def read(path: str) -> ModelFile:
    """Returns what is at `path`.

    Raises:
        ModelError: nothing is there, it cannot be opened, it is damaged, or it is of another kind.
    """
    with _named_errors(path):
        if os.path.isdir(path):
            return _folder(path)
        if not os.path.exists(path) and os.path.isfile(path + ".index"):
            return _checkpoint(path, path)
        return _file(path)


@contextlib.contextmanager
def _named_errors(path: str) -> Iterator[None]:
    """Turns the errors of reading into a `ModelError` that names the file."""
    try:
        yield
    except Damaged as error:
        raise ModelError(f"{path}: {error}. {AGAIN}.") from error
    except (RecursionError, MemoryError) as error:
        raise ModelError(f"{path}: it is nested too deeply, or too large. {AGAIN}.") from error
    except OSError as error:
        remedy = {
            errno.ENOENT: "Check the name",
            errno.EACCES: "Ask its owner for the permission to read it",
        }
        raise ModelError(
            f"{error.filename or path}: {error.strerror or error}. "
            f"{remedy.get(error.errno or 0, AGAIN)}."
        ) from error


def _folder(path: str) -> ModelFile:
    names = sorted(os.listdir(path))
    if os.path.isfile(saved_model_file(path)):
        return _saved_model(path, HUB if "tfhub_module.pb" in names else SAVED)
    prefix = checkpoint_files.latest_prefix(path)
    if prefix is not None:
        return _checkpoint(path, prefix)
    inside = [name for name in names if os.path.isfile(saved_model_file(os.path.join(path, name)))]
    models = [name for name in names if name.endswith((".pb", ".meta", ".h5", ".hdf5"))] + inside
    if models:
        raise ModelError(
            f"{path}: this folder is not a model. Name one of those in it: {', '.join(models[:5])}."
        )
    raise ModelError(f"{path}: no model is in this folder. Name {FORMATS}.")


def saved_model_file(folder: str) -> str:
    """Returns the path of a SavedModel's graph, which may be a text."""
    text = os.path.join(folder, "saved_model.pbtxt")
    return text if os.path.isfile(text) else os.path.join(folder, "saved_model.pb")


def _content(path: str) -> Bytes:
    """Returns the bytes of a file, mapped into memory: constants may be large, and most are never read."""
    if not os.path.isfile(path):
        raise ModelError(f"{path}: it is neither a file nor a folder. Name {FORMATS}.")
    with open(path, "rb") as file:
        if not os.fstat(file.fileno()).st_size:
            raise Damaged("it is empty")
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


def _file(path: str) -> ModelFile:
    if not os.path.exists(path):
        raise OSError(errno.ENOENT, os.strerror(errno.ENOENT), path)
    data = _content(path)
    if data[: len(keras_files.MAGIC)] == keras_files.MAGIC:
        facts, writer = keras_files.read(path)
        return ModelFile(path, KERAS, [facts], facts.variables, [], None, writer)
    if checkpoint_files.is_table(data):
        return _checkpoint(path, re.sub(r"\.index$", "", path))
    for place, mark, says in FOREIGN:
        if data[place : place + len(mark)] == mark:
            raise ModelError(f"{path}: {says}")
    return _graph_file(path, text_form.in_binary_form(data))


def _graph_file(path: str, data: Bytes) -> ModelFile:
    """Returns the model in a file that must be a protocol buffer."""
    reason = "it is not a model file that tf1grad knows"
    for kind in ("MetaGraph", "SavedModel", "Graph"):
        try:
            found = graph_messages.read(data, kind)
        except Damaged as error:
            reason = str(error)
            continue
        if kind == "SavedModel" and found["graphs"] and _is_graph(found["graphs"][0]["graph"]):
            return _saved_model(os.path.dirname(path) or ".", SAVED)
        if kind == "MetaGraph" and _is_graph(found["graph"]):
            return _meta_graph(path, META, found["graph"], found)
        if kind == "Graph" and _is_graph(found):
            return _meta_graph(path, FROZEN, found, graph_messages.read(b"", "MetaGraph"))
    if path.endswith((".pb", ".meta", ".index")):
        raise Damaged(reason)
    raise ModelError(f"{path}: it is not a model file that tf1grad knows. Name {FORMATS}.")


def _is_graph(graph: Dict[str, Any]) -> bool:
    """Returns True for a message with nodes that have names and types: those of other kinds do not."""
    return bool(graph["nodes"]) and all(
        node["name"] and OP_TYPE.match(node["op"]) for node in graph["nodes"]
    )


def _meta_graph(path: str, kind: str, graph: Dict[str, Any], message: Dict[str, Any]) -> ModelFile:
    facts = _facts(graph, message)
    restores_tables = any(node["op"].startswith("LookupTableImport") for node in graph["nodes"])
    prefix = _checkpoint_beside(path) if facts.variables or restores_tables else None
    found = _variables(prefix) if prefix else facts.variables
    return ModelFile(path, kind, [facts], found, _assets(message), prefix, _writer(facts))


def _checkpoint_beside(path: str) -> Optional[str]:
    """Returns the prefix of the checkpoint with the file's name, else of the newest in its folder."""
    # The prefix of `saver.save(session, "folder/")` is "folder/".
    prefix = path[: -len(".meta")] if path.endswith(".meta") else os.path.splitext(path)[0]
    if os.path.isfile(prefix + ".index") or os.path.isfile(prefix) and prefix != path:
        return prefix
    return checkpoint_files.latest_prefix(os.path.dirname(path) or ".")


def _saved_model(path: str, kind: str) -> ModelFile:
    file = saved_model_file(path)
    with _named_errors(file):
        data = text_form.in_binary_form(_content(file))
        message = graph_messages.read(data, "SavedModel")
        if not message["graphs"]:
            raise Damaged("it holds no graph, so it is not a SavedModel")
        for each in message["graphs"]:
            if not each["graph"]["nodes"]:
                raise Damaged("a graph of it is empty")
        graphs = [_facts(each["graph"], each) for each in message["graphs"]]
        assets = sorted({name for each in message["graphs"] for name in _assets(each)})
    for name in assets:
        if not os.path.isfile(os.path.join(path, "assets", name)):
            raise ModelError(f"{path}: its asset {name!r} is missing. {AGAIN}.")
    prefix: Optional[str] = os.path.join(path, "variables", "variables")
    if not os.path.isfile(f"{prefix}.index"):
        if graphs[0].variables:
            raise ModelError(f"{path}: it has variables, and {prefix}.index is missing. {AGAIN}.")
        prefix = None
    return ModelFile(
        path, kind, graphs, _variables(prefix) if prefix else [], assets, prefix, _writer(graphs[0])
    )


def _checkpoint(path: str, prefix: str) -> ModelFile:
    return ModelFile(path, CHECKPOINT, [], _variables(prefix), [], prefix, None)


def _variables(prefix: str) -> List[Variable]:
    """Returns the variables of the checkpoint `prefix`.

    Raises:
        ModelError: its index is damaged, or its data are missing.
    """
    index = prefix + ".index" if os.path.isfile(prefix + ".index") else prefix
    with _named_errors(index):
        data = _content(index)
        if not checkpoint_files.is_table(data):
            raise Damaged("it is cut off, or not a checkpoint")
        found, shards = checkpoint_files.variables(data)
        for shard in range(min(shards or 0, 10000)):
            data_file = f"{prefix}.data-{shard:05d}-of-{shards:05d}"
            if not os.path.isfile(data_file):
                raise ModelError(
                    f"{data_file}: it belongs to the checkpoint {prefix}, and is missing. Copy it too."
                )
    return found


def _assets(message: Dict[str, Any]) -> List[str]:
    listed = message["collections"].get("saved_model_assets")  # TensorFlow 1's place
    assets = [
        graph_messages.read(each["value"], "Asset")
        for each in (listed["any"]["value"] if listed else ())
    ]
    names = [asset["filename"] for asset in [*message["assets"], *assets]]
    for name in names:
        if os.path.isabs(name) or ".." in name.split("/"):
            raise Damaged(f"its asset {name!r} leads out of the model's folder")
    return names


def _facts(graph: Dict[str, Any], message: Dict[str, Any]) -> GraphFacts:
    """Returns the facts of a graph; `message` is the meta graph around it, an empty one if it stands alone."""
    own = {function["signature"]["name"] for function in graph["library"]["functions"]}
    ops: Dict[str, List[str]] = {}
    for node in graph_facts.all_nodes(graph):
        if not node["name"] or not node["op"]:
            raise Damaged("a node of its graph lacks its name or its type")
        if node["op"] not in own:
            ops.setdefault(node["op"], []).append(node["name"])
    graph_facts.check_inputs(graph["nodes"])
    info = message["info"]
    # Such as a table's initialization, which gives no values.
    signatures = [
        Signature(
            name,
            found["method"],
            graph_facts.signature_tensors(found["inputs"]),
            graph_facts.signature_tensors(found["outputs"]),
        )
        for name, found in sorted(message["signatures"].items())
        if not name.startswith("__saved_model_")
    ]
    missing = [advice.describe(op, nodes) for op, nodes in sorted(ops.items()) if advice.origin(op)]
    if deprecated_ops.BATCH_NORM in ops:
        missing.append(deprecated_ops.describe(ops[deprecated_ops.BATCH_NORM]))
    named = graph_facts.Graph(graph["nodes"])
    outputs = named.outputs()
    python = [name for op in graph_facts.PYTHON for name in ops.get(op, ())]
    producer = graph["versions"].get("producer", graph.get("version"))
    return GraphFacts(
        info["tags"],
        info.get("tensorflow"),
        producer,
        len(graph["nodes"]),
        len(graph["library"]["functions"]),
        signatures,
        named.inputs(outputs),
        outputs,
        missing,
        python,
        named.variables(),
    )


def loads_as_it_is(model: ModelFile) -> bool:
    """Says whether `tf.saved_model.load` of TensorFlow 2 loads a SavedModel without a conversion."""
    return model.kind == SAVED and all(
        facts.signatures and not facts.missing and not facts.python for facts in model.graphs
    )


def loading_call(model: ModelFile) -> str:
    """Returns the call that loads a SavedModel with TensorFlow 2; it needs tags if there are several graphs."""
    serving = [facts.tags for facts in model.graphs if "serve" in facts.tags] or [
        model.graphs[0].tags
    ]
    tags = f", tags={serving[0]}" if len(model.graphs) > 1 else ""
    return f"tf.saved_model.load({model.path!r}{tags})"


def _writer(facts: GraphFacts) -> Optional[str]:
    if facts.tensorflow:
        return f"TensorFlow {facts.tensorflow}"
    return "TensorFlow 1.15" if facts.producer == PRODUCER else None


def all_missing(graphs: Sequence[GraphFacts]) -> List[MissingOp]:
    """Returns the missing ops of all graphs, each once."""
    found: Dict[str, MissingOp] = {}
    for facts in graphs:
        for each in facts.missing:
            before = found[each.op].nodes if each.op in found else []
            found[each.op] = each._replace(nodes=before + each.nodes)
    return [missing for _, missing in sorted(found.items())]

"""Recognizes the formats of model files, and reads the facts that `tf1grad model inspect` prints.

The content decides, not the name: a file may be called anything.
"""

from __future__ import annotations

import glob
import os
import pathlib
import re
import warnings
from typing import Any, NamedTuple

from google.protobuf import message as protobuf, text_format

from tf1grad._compat import tf
from tf1grad.model import deprecated_ops, graph_facts, keras_files
from tf1grad.model.graph_facts import Damaged, GraphFacts, Signature, Variable
from tf1grad.programs import _compat
from tf1grad.programs._errors import UsageError
from tf1grad.run.gone_ops import advice

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
# What TensorFlow and protobuf raise for single wrong bytes.
DAMAGES = (protobuf.DecodeError, ValueError, IndexError, KeyError, TypeError, OverflowError)
AGAIN = "Copy or export it again"
FORMATS = (
    "a frozen graph (.pb), a SavedModel's folder, a meta graph (.meta), a checkpoint's prefix or folder, "
    "a Keras HDF5 file, a TF-Hub module's folder"
)
PRODUCER = 134  # the version of graphs that TensorFlow 1.15 writes
# The end of a checkpoint of version 1, and of a newer one's index.
TABLE_END = bytes.fromhex("57fb808b247547db")
TFLITE = b"TFL3"  # the identifier of a FlatBuffers file
TEXT = re.compile(rb"\s*(#.*\n\s*)*[a-z_]+\s*(\{|:)")
OP_TYPE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.>/-]*$")
SavedModel: Any = _compat.resolve("tensorflow.core.protobuf.saved_model_pb2.SavedModel")
AssetFileDef: Any = _compat.resolve("tensorflow.core.protobuf.meta_graph_pb2.AssetFileDef")


class ModelError(UsageError):
    """Raised for a model that cannot be read or converted;
    the message names the file and the remedy.
    """

    code = 1


class ModelFile(NamedTuple):
    """Describes a model: its files, and everything that they tell.

    path: as the user wrote it.
    metas: a `MetaGraphDef` for each graph; that of a frozen graph has no collections.
    prefix: of the checkpoint that belongs to it, or None.
    writer: the program that wrote it, such as "TensorFlow 1.15.5", or None.
    """

    path: str
    kind: str
    metas: list[Any]
    graphs: list[GraphFacts]
    variables: list[Variable]
    assets: list[str]
    prefix: str | None
    writer: str | None


def read(path: str) -> ModelFile:
    """Returns what is at `path`.

    Raises:
        ModelError: it cannot be opened, it is damaged, or it is of another kind.
    """
    prefix = re.sub(r"\.data-\d+-of-\d+$", "", path)
    if prefix != path and os.path.isfile(prefix + ".index"):
        raise ModelError(
            f"{path}: it is one of the files of a checkpoint. Name its prefix: {prefix}."
        )
    if os.path.basename(path) == "checkpoint" and os.path.isfile(path):
        folder = os.path.dirname(path) or "."
        raise ModelError(
            f"{path}: it only names checkpoints. Name its folder, {folder}, or a prefix."
        )
    try:
        if os.path.isdir(path):
            return _folder(path)
        if os.path.isfile(path + ".index") and not os.path.exists(path):
            return _checkpoint(path, path)
        return _file(path)
    except Damaged as error:
        raise ModelError(f"{path}: {error}. {AGAIN}.") from error
    except OSError as error:
        raise ModelError(f"{path}: {error}. Check the file and its permissions.") from error
    except DAMAGES as error:
        raise ModelError(f"{path}: it is damaged ({error}). {AGAIN}.") from error


def _folder(path: str) -> ModelFile:
    file = os.path.join(path, "saved_model.pbtxt")
    if not os.path.isfile(file):
        file = os.path.join(path, "saved_model.pb")
    if os.path.isfile(file):
        return _saved_model(path, _message(pathlib.Path(file).read_bytes()))
    prefix = _latest_prefix(path)
    if prefix is None:
        raise ModelError(f"{path}: no model is in this folder. Name {FORMATS}.")
    return _checkpoint(path, prefix)


def _file(path: str) -> ModelFile:
    if not os.path.isfile(path):
        raise ModelError(f"{path}: it is neither a file nor a folder. Name {FORMATS}.")
    data = pathlib.Path(path).read_bytes()
    if data.startswith(keras_files.MAGIC):
        facts, writer = keras_files.read(path)
        return ModelFile(path, KERAS, [], [facts], facts.variables, [], None, writer)
    if data[4:8] == TFLITE:
        raise ModelError(
            f"{path}: it is a TensorFlow Lite model, which tf.lite.Interpreter(model_path=...) runs as it is. "
            "`tf1grad model` reads what it was converted from."
        )
    if data.endswith(TABLE_END):
        return _checkpoint(path, re.sub(r"\.index$", "", path))
    message = _message(data)
    if isinstance(message, SavedModel):
        return _saved_model(os.path.dirname(path) or ".", message)
    kind = META
    if isinstance(message, tf.GraphDef):
        kind, message = FROZEN, tf.MetaGraphDef(graph_def=message)
    facts = _facts(message)
    ops = {node.op for node in message.graph_def.node}
    needs_values = facts.variables or any(op.startswith("LookupTableImport") for op in ops)
    prefix = _checkpoint_beside(path) if needs_values else None
    variables = _variables(prefix) if prefix else facts.variables
    assets = sorted(asset_files(message).values())
    return ModelFile(path, kind, [message], [facts], variables, assets, prefix, _writer(facts))


def _message(data: bytes) -> Any:
    """Returns the `SavedModel`, `MetaGraphDef` or `GraphDef` that bytes hold,
    in binary or in text form.
    """
    is_text = TEXT.match(data[:200]) is not None
    for message in (tf.MetaGraphDef(), SavedModel(), tf.GraphDef()):
        try:
            if is_text:
                text_format.Parse(data.decode("utf-8", "replace"), message)
            else:
                with warnings.catch_warnings():  # the protobuf of 2019 warns of bytes that it skips
                    warnings.simplefilter("ignore")
                    message.ParseFromString(data)
        except (protobuf.DecodeError, text_format.ParseError):
            continue
        if _is_graph(message):
            return message
    raise Damaged(f"it is cut off, or not a model. Known are {FORMATS}")


def _is_graph(message: Any) -> bool:
    """Returns True for a message with nodes that have names and types:
    those of other kinds do not.
    """
    if isinstance(message, SavedModel):
        return bool(message.meta_graphs) and all(map(_is_graph, message.meta_graphs))
    nodes = message.node if isinstance(message, tf.GraphDef) else message.graph_def.node
    return bool(nodes) and all(node.name and OP_TYPE.match(node.op) for node in nodes)


def _latest_prefix(folder: str) -> str | None:
    """Returns the prefix of the checkpoint that a folder's file `checkpoint` names,
    else of the newest in it.
    """
    state = tf.train.get_checkpoint_state(folder)
    if state:
        named = os.path.join(folder, os.path.basename(state.model_checkpoint_path))
        if os.path.isfile(named + ".index") or os.path.isfile(named):
            return named
    inside = glob.glob(os.path.join(glob.escape(folder), "*.index"))
    return max(inside, key=os.path.getmtime)[: -len(".index")] if inside else None


def _checkpoint_beside(path: str) -> str | None:
    """Returns the prefix of the checkpoint with the file's name,
    else of the newest in its folder.
    """
    # The prefix of `saver.save(session, "folder/")` is "folder/".
    prefix = path[: -len(".meta")] if path.endswith(".meta") else os.path.splitext(path)[0]
    if os.path.isfile(prefix + ".index") or os.path.isfile(prefix) and prefix != path:
        return prefix
    return _latest_prefix(os.path.dirname(path) or ".")


def _saved_model(path: str, message: object) -> ModelFile:
    if not isinstance(message, SavedModel):
        raise Damaged("its graph is not that of a SavedModel")
    metas = list(message.meta_graphs)
    graphs = list(map(_facts, metas))
    prefix: str | None = os.path.join(path, "variables", "variables")
    if not os.path.isfile(f"{prefix}.index"):
        if graphs[0].variables:
            raise ModelError(f"{path}: it has variables, and {prefix}.index is missing. {AGAIN}.")
        prefix = None
    return ModelFile(
        path,
        HUB if os.path.isfile(os.path.join(path, "tfhub_module.pb")) else SAVED,
        metas,
        graphs,
        _variables(prefix) if prefix else [],
        sorted({name for meta in metas for name in asset_files(meta).values()}),
        prefix,
        _writer(graphs[0]),
    )


def asset_files(meta: tf.MetaGraphDef) -> dict[str, str]:
    """Returns the names of a SavedModel's assets by the constants that name them."""
    assets = list(meta.asset_file_def)
    if "saved_model_assets" in meta.collection_def:  # TensorFlow 1's place
        listed = meta.collection_def["saved_model_assets"].any_list.value
        assets += [AssetFileDef.FromString(each.value) for each in listed]
    return {graph_facts.node_name(asset.tensor_info.name): asset.filename for asset in assets}


def _checkpoint(path: str, prefix: str) -> ModelFile:
    return ModelFile(path, CHECKPOINT, [], [], _variables(prefix), [], prefix, None)


def _variables(prefix: str) -> list[Variable]:
    """Returns the variables of the checkpoint `prefix`.

    Raises:
        ModelError: its index is damaged, or its data are missing.
    """
    if os.path.isfile(prefix + ".index") and not glob.glob(glob.escape(prefix) + ".data-*"):
        raise ModelError(f"{prefix}: its files .data-* are missing. Copy them too.")
    try:
        reader = tf.train.NewCheckpointReader(prefix)
    except (tf.errors.OpError, ValueError) as error:
        raise ModelError(f"{prefix}: the checkpoint cannot be read: {error}. {AGAIN}.") from error
    dtypes = reader.get_variable_to_dtype_map()
    return [
        Variable(name, dtypes[name].name, shape)
        for name, shape in sorted(reader.get_variable_to_shape_map().items())
    ]


def _facts(meta: tf.MetaGraphDef) -> GraphFacts:
    """Returns the facts of a `MetaGraphDef`."""
    graph_def = meta.graph_def
    own = {function.signature.name for function in graph_def.library.function}
    ops: dict[str, list[str]] = {}
    for nodes in [graph_def.node, *(each.node_def for each in graph_def.library.function)]:
        for node in nodes:
            if node.op not in own:
                ops.setdefault(node.op, []).append(node.name)
    # Such as a table's initialization, which gives no values.
    signatures = [
        Signature(
            name,
            found.method_name,
            graph_facts.signature_tensors(found.inputs),
            graph_facts.signature_tensors(found.outputs),
        )
        for name, found in sorted(meta.signature_def.items())
        if not name.startswith("__saved_model_")
    ]
    missing = [
        advice.describe(op, nodes)
        for op, nodes in sorted(ops.items())
        if advice.origin(op) or _compat.op_definition(op) is None
    ]
    if deprecated_ops.BATCH_NORM in ops:
        missing.append(deprecated_ops.describe(ops[deprecated_ops.BATCH_NORM]))
    graph = graph_facts.Graph(graph_def.node)
    outputs = graph.outputs()
    return GraphFacts(
        list(meta.meta_info_def.tags),
        meta.meta_info_def.tensorflow_version or None,
        graph_def.versions.producer or graph_def.version,
        len(graph_def.node),
        len(own),
        signatures,
        graph.inputs(outputs),
        outputs,
        missing,
        [name for op in graph_facts.PYTHON for name in ops.get(op, ())],
        graph.variables(),
    )


def loads_as_it_is(model: ModelFile) -> bool:
    """Says whether `tf.saved_model.load` of TensorFlow 2 loads a
    SavedModel without a conversion.
    """
    return model.kind == SAVED and all(
        facts.signatures and not facts.missing and not facts.python for facts in model.graphs
    )


def loading_call(model: ModelFile) -> str:
    """Returns the call that loads a SavedModel with TensorFlow 2;
    it needs tags if there are several graphs.
    """
    serving = [facts.tags for facts in model.graphs if "serve" in facts.tags] or [
        model.graphs[0].tags
    ]
    tags = f", tags={serving[0]}" if len(model.graphs) > 1 else ""
    return f"tf.saved_model.load({model.path!r}{tags})"


def _writer(facts: GraphFacts) -> str | None:
    if facts.tensorflow:
        return f"TensorFlow {facts.tensorflow}"
    return "TensorFlow 1.15" if facts.producer == PRODUCER else None

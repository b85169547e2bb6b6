"""Loads a model's graph into a session: the part that its outputs need, with functions for ops that are gone."""

from __future__ import annotations

import hashlib
import os
import re
from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Set, Tuple

from tf1grad._compat import tf
from tf1grad.old_programs import _compat
from tf1grad.old_programs.gone_ops import graph_defs
from tf1grad.old_programs.models import deprecated_ops, graph_facts, graph_messages, wire_format
from tf1grad.old_programs.models.model_files import FROZEN, HUB, SAVED, ModelError, ModelFile

Names = Mapping[str, str]  # a tensor's name by the name that users give it
NOT_THE_CAUSE = re.compile(r"\s|Graph execution error:|Detected at node|Node: |Original stack trace|[^ ]*Error: Graph")
INITIALIZER = "__saved_model_init_op"  # the signature, and its only output
FILLS_TABLE = re.compile("InitializeTable|LookupTableImport|LookupTableInsert")
VARIABLES = ("variables", "trainable_variables", "model_variables", "moving_average_variables", "local_variables")


class Source(NamedTuple):
    """Holds a model's `MetaGraphDef`s, its checkpoint, and its inputs and outputs if its format names them."""

    metas: List[Any]
    prefix: Optional[str]
    inputs: Optional[Names]
    outputs: Optional[Names]


class Part(NamedTuple):
    """Describes the part of a graph that some tensors need.

    meta: the `MetaGraphDef` of the part.
    fills_tables: the ops that fill its lookup tables.
    assets: the constants that name files.
    prefix: the checkpoint of its variables, or None.
    """

    meta: Any
    fills_tables: List[str]
    assets: List[str]
    prefix: Optional[str]


def part_of(meta: Any, tensors: Iterable[str], prefix: Optional[str]) -> Part:
    """Returns the part of a meta graph that `tensors` need: without training, saving and summaries."""
    needed = _needed(meta.graph_def, {graph_facts.node_name(name) for name in tensors})
    filling = [node for node in meta.graph_def.node if FILLS_TABLE.match(node.op)
               and graph_facts.node_name(node.input[0]) in needed]
    fills_tables = [node.name for node in filling]
    if restores_itself(meta) and INITIALIZER in meta.signature_def:  # its tables are filled in functions
        fills_tables += [info.name for info in meta.signature_def[INITIALIZER].outputs.values()]
    needed = _needed(meta.graph_def, needed | set(fills_tables))
    kept = {name: [value for value in collection.bytes_list.value if _variable_node(value) in needed]
            for name, collection in meta.collection_def.items() if name in VARIABLES}
    kept["variables"] = kept.get("variables", []) + _undeclared(meta.graph_def, needed, kept)
    variables = [graph_messages.read(value, "Variable") for values in kept.values() for value in values]
    needed |= _needed(meta.graph_def, {graph_facts.node_name(variable[key]) for variable in variables
                                       for key in ("initializer", "snapshot") if variable.get(key)})
    if restores_itself(meta):
        needed |= _needed(meta.graph_def, {graph_facts.node_name(name) for name in (
            meta.saver_def.restore_op_name, meta.saver_def.filename_tensor_name)})
    part = tf.MetaGraphDef()
    if restores_itself(meta):
        part.saver_def.CopyFrom(meta.saver_def)
    part.meta_info_def.CopyFrom(meta.meta_info_def)
    part.graph_def.versions.CopyFrom(meta.graph_def.versions)
    part.graph_def.library.CopyFrom(meta.graph_def.library)
    part.graph_def.node.extend(node for node in meta.graph_def.node if node.name in needed)
    for node in part.graph_def.node:
        node.device = ""
        node.attr.pop("_class", None)  # a place beside another node, which may be left out
    for name, values in kept.items():
        if values:
            part.collection_def[name].bytes_list.value.extend(values)
    assets = [name for name in _asset_nodes(meta) if name in needed]
    return Part(part, fills_tables, assets, prefix)


def restores_itself(meta: Any) -> bool:
    """Says whether a meta graph is of a SavedModel of objects, as tf.keras writes it: no collection has its variables.
    """
    return bool(meta.object_graph_def.ByteSize()) and bool(meta.saver_def.restore_op_name)


def with_placeholders(meta: Any, tensors: Iterable[str]) -> Tuple[Any, Dict[str, str]]:
    """Returns a meta graph in which placeholders take the place of tensors, and their tensors by the old ones.

    Placeholders stay. So an input may be any tensor, such as the output of an iterator, and the ops before it are not
    needed.
    """
    nodes = {node.name: node for node in meta.graph_def.node}
    others = [tensor for tensor in tensors if nodes[graph_facts.node_name(tensor)].op not in graph_facts.PLACEHOLDERS]
    if not others:
        return meta, {}
    changed = tf.MetaGraphDef()
    changed.CopyFrom(meta)
    replaced = {}
    for tensor in others:
        name, index = graph_facts.split_tensor(tensor)
        node = changed.graph_def.node.add(name=f"inputs/{name}_{index}", op="Placeholder")
        node.attr["dtype"].type = _output_dtype(nodes[name], index)
        shapes = nodes[name].attr["_output_shapes"].list.shape
        if index < len(shapes):
            node.attr["shape"].shape.CopyFrom(shapes[index])
        else:
            node.attr["shape"].shape.unknown_rank = True
        replaced[tensor] = node.name + ":0"
    for node in changed.graph_def.node:
        for place, name in enumerate(node.input):
            full = graph_facts.full_name(name)
            if full in replaced:
                node.input[place] = replaced[full][:-len(":0")]
    return changed, replaced


def _output_dtype(node: Any, index: int) -> int:
    """Returns the number of the dtype of an output, as the op's definition and the node's attributes tell."""
    dtypes: List[int] = []
    for output in _compat.op_definition(node.op).output_arg:
        if output.type_list_attr:
            dtypes += node.attr[output.type_list_attr].list.type
        else:
            dtype = output.type or node.attr[output.type_attr].type
            dtypes += [dtype] * (node.attr[output.number_attr].i if output.number_attr else 1)
    return dtypes[index]


def _asset_nodes(meta: Any) -> List[str]:
    """Returns the constants of a meta graph that name files of a SavedModel, or files for one."""
    named = list(_asset_files(meta))
    named += meta.collection_def["asset_filepaths"].node_list.value if "asset_filepaths" in meta.collection_def else []
    return [graph_facts.node_name(name) for name in named]


def _asset_files(meta: Any) -> Dict[str, str]:
    """Returns the names of a SavedModel's assets by the constants that name them."""
    listed = [asset.SerializeToString() for asset in meta.asset_file_def]
    if "saved_model_assets" in meta.collection_def:
        listed += [each.value for each in meta.collection_def["saved_model_assets"].any_list.value]
    assets = [graph_messages.read(data, "Asset") for data in listed]
    return {graph_facts.node_name(asset["tensor"].get("name", "")): asset.get("filename", "") for asset in assets
            if "tensor" in asset}


def set_asset_paths(meta: Any, folder: str) -> None:
    """Sets the constants that name assets of a SavedModel to the files in `folder`, as TensorFlow's loader does."""
    files = _asset_files(meta)
    for node in meta.graph_def.node:
        if node.name in files:
            path = os.path.abspath(os.path.join(folder, files[node.name]))
            node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(path))


def _variable_node(variable: bytes) -> str:
    return graph_facts.node_name(graph_messages.read(variable, "Variable").get("name", ""))


def _undeclared(graph_def: Any, needed: Set[str], kept: Mapping[str, Sequence[bytes]]) -> List[bytes]:
    """Returns the serialized definitions of variables that no collection holds, as some programs write meta graphs."""
    declared = {_variable_node(value) for values in kept.values() for value in values}
    found = {node.name: node for node in graph_def.node if node.op in graph_facts.VARIABLES and node.name in needed
             and node.name not in declared}
    users: Dict[Tuple[str, str], str] = {}
    for node in graph_def.node if found else []:
        if node.input and graph_facts.node_name(node.input[0]) in found:
            users.setdefault((graph_facts.node_name(node.input[0]), node.op), node.name)
    written = []
    for name, node in found.items():
        is_resource = node.op == "VarHandleOp"
        initializer = users.get((name, "AssignVariableOp" if is_resource else "Assign"))
        snapshot = users.get((name, "ReadVariableOp" if is_resource else "Identity"))
        if initializer and snapshot:
            texts = [text.encode() for text in (f"{name}:0", initializer, f"{snapshot}:0")]
            fields = [bytes([8 * (place + 1) + wire_format.LENGTH]) + wire_format.varint_bytes(len(text)) + text
                      for place, text in enumerate(texts)]
            written.append(b"".join(fields) + (b"\x28\x01" if is_resource else b""))
    return written


def _needed(graph_def: Any, names: Set[str]) -> Set[str]:
    """Returns the nodes `names` and those that they depend on."""
    inputs = {node.name: node.input for node in graph_def.node}
    return graph_facts.closure(names & inputs.keys(), lambda name: map(graph_facts.node_name, inputs[name]))


def provided(graph_def: Any, path: str) -> Any:
    """Returns the graph with functions for its ops that are gone.

    Raises:
        ModelError: nothing provides an op, or an op rejects its node's attributes.
    """
    try:
        return graph_defs.provide_missing_ops(graph_def)
    except ValueError as error:
        raise ModelError(f"{path}: {error}") from error


class LoadedPart:
    """Holds a session in which a part of a model is loaded, its variables restored and its tables filled."""

    def __init__(self, part: Part, path: str) -> None:
        self.graph = tf.Graph()
        self.part = part
        with self.graph.as_default():
            meta = tf.MetaGraphDef()
            meta.CopyFrom(part.meta)
            meta.graph_def.CopyFrom(provided(meta.graph_def, path))
            try:
                saver = tf.train.import_meta_graph(meta, clear_devices=True)
                self.session = tf.Session()
                self._fill(saver, path)
            except (ValueError, KeyError, TypeError, tf.errors.OpError) as error:
                raise ModelError(f"{path}: TensorFlow cannot load it: {first_line(error)}") from error

    def _fill(self, saver: Any, path: str) -> None:
        local = tf.local_variables()
        stored = sum(node.op in graph_facts.VARIABLES for node in self.part.meta.graph_def.node) - len(local)
        if self.part.prefix is None and stored > 0:
            raise ModelError(f"{path}: it has variables ({stored}) and no checkpoint. Put the checkpoint's files "
                             "beside it.")
        if self.part.prefix is not None and (tf.global_variables() or self.part.meta.saver_def.restore_op_name):
            (saver or tf.train.Saver()).restore(self.session, self.part.prefix)
        self.session.run([variable.initializer for variable in local])
        self.session.run(self.part.fills_tables)

    def values(self, outputs: Names, feeds: Mapping[str, Any]) -> Dict[str, Any]:
        """Returns the value of each output, for values of the inputs by their tensors' names."""
        found: Dict[str, Any] = self.session.run(dict(outputs), dict(feeds))
        return found

    def tensor(self, name: str) -> tf.Tensor:
        """Returns a tensor by name."""
        return self.graph.get_tensor_by_name(name)

    def init_op(self) -> Optional[tf.Operation]:
        """Returns an op that fills the tables, or None."""
        with self.graph.as_default():
            operations = [self.graph.get_operation_by_name(name) for name in self.part.fills_tables]
            return tf.group(*operations, name="tf1grad_fill_tables") if operations else None

    def frozen(self, outputs: Sequence[str]) -> Any:
        """Returns the graph with its variables as constants."""
        names = sorted({graph_facts.node_name(name) for name in outputs} | set(self.part.fills_tables))
        graph_def = tf.graph_util.convert_variables_to_constants(self.session, self.graph.as_graph_def(), names)
        name_tables(graph_def)
        return graph_def

    def close(self) -> None:
        """Closes the session."""
        self.session.close()


def name_tables(graph_def: Any) -> None:
    """Gives tables without a name one that no other graph has.

    Where functions are called, each makes its own table under "": the one that is filled would not be the one read.
    """
    digest = hashlib.sha1(graph_def.SerializeToString(deterministic=True)).hexdigest()[:12]
    for node in graph_def.node:
        if node.op in ("HashTable", "HashTableV2") and not node.attr["shared_name"].s:
            node.attr["shared_name"].s = f"{node.name}_{digest}".encode()


def first_line(error: Exception) -> str:
    """Returns the first line of an error that tells its cause."""
    text = getattr(error, "message", None) or str(error)
    lines = [line for line in text.splitlines() if line.strip() and not NOT_THE_CAUSE.match(line)]
    line = lines[0].strip() if lines else type(error).__name__
    return line if line.endswith((".", "`")) else line + "."


def meta_graphs(model: ModelFile) -> List[Any]:
    """Returns the `MetaGraphDef`s of a file; a frozen graph becomes one without collections."""
    is_saved = model.kind in (SAVED, HUB)
    with open(os.path.join(model.path, "saved_model.pb") if is_saved else model.path, "rb") as stream:
        data = stream.read()
    if model.kind == FROZEN:
        meta = tf.MetaGraphDef()
        meta.graph_def.ParseFromString(data)
        if not model.graphs[0].variables:
            deprecated_ops.drop_references(meta.graph_def)
        return [meta]
    if is_saved:
        return [tf.MetaGraphDef.FromString(value) for number, _, value in wire_format.fields(data) if number == 2]
    return [tf.MetaGraphDef.FromString(data)]


def write_saved_model(metas: Sequence[Any], folder: str) -> None:
    """Writes the file `saved_model.pb`; the class of its message is private, and its form is simple."""
    with open(os.path.join(folder, "saved_model.pb"), "wb") as file:
        file.write(b"\x08\x01")
        for data in (meta.SerializeToString() for meta in metas):
            file.write(b"\x12" + wire_format.varint_bytes(len(data)) + data)

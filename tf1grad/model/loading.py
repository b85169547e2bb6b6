"""Loads a model's graph into a session: the part that its outputs need,
with functions for ops that are gone.
"""

from __future__ import annotations

import contextlib
import os
import re
from typing import Any, Iterable, Iterator, Mapping, NamedTuple

from tf1grad._compat import tf
from tf1grad.model import graph_facts, permitted_ops
from tf1grad.model.graph_facts import full_name, node_name, split_tensor
from tf1grad.model.model_files import ModelError, asset_files
from tf1grad.programs import _compat
from tf1grad.recipes.sessions.reached import reached
from tf1grad.run.gone_ops import graph_defs

VariableDef: Any = _compat.resolve("tensorflow.core.framework.variable_pb2.VariableDef")
Names = Mapping[str, str]  # a tensor's name by the name that users give it
NOT_THE_CAUSE = re.compile(
    r"\s|Restoring from checkpoint failed|Graph execution error:|Detected at node|Node: |Original stack trace|[^ ]*Error: Graph"
)
UNKNOWN_OP = re.compile(r"Op type not registered '(\w+)'")
TABLE_IMPORT = re.compile("LookupTableImport")
FILLS_TABLE = re.compile("InitializeTable|LookupTableImport|LookupTableInsert")
INITIALIZATIONS = ("saved_model_main_op", "legacy_init_op", "table_initializer")
LOCAL_VARIABLES = "local_variables"
VARIABLES = (
    "variables",
    "trainable_variables",
    "model_variables",
    "moving_average_variables",
    LOCAL_VARIABLES,
)


class GraphPart(NamedTuple):
    """Describes the part of a graph that some tensors need.

    meta: the `MetaGraphDef` of the part.
    state: what is run to give it its variables: nodes and tensors.
    fills_tables: the ops that fill its lookup tables.
    assets: the constants that name files.
    prefix: the checkpoint of its variables, or None.
    """

    meta: tf.MetaGraphDef
    state: list[str]
    fills_tables: list[str]
    assets: list[str]
    prefix: str | None


def part_of(meta: tf.MetaGraphDef, tensors: Iterable[str], prefix: str | None) -> GraphPart:
    """Returns the part of a meta graph that `tensors` need:
    without training, saving and summaries.
    """
    meta = _with_table_contents(meta, prefix)
    inputs = {node.name: node.input for node in meta.graph_def.node}

    def with_inputs(names: Iterable[str]) -> set[str]:
        return reached(
            {node_name(name) for name in names} & inputs.keys(),
            lambda name: map(node_name, inputs[name]),
        )

    needed = with_inputs(tensors)
    fills_tables = [
        node.name
        for node in meta.graph_def.node
        if FILLS_TABLE.match(node.op) and node_name(node.input[0]) in needed
    ]
    needed |= with_inputs(fills_tables)
    part = tf.MetaGraphDef()
    state = []
    for collection, variable in _variables(meta, needed):
        needed |= with_inputs([variable.initializer_name, variable.snapshot_name])
        state += _state(collection, variable)
        values = part.collection_def[collection].bytes_list.value
        values.append(variable.SerializeToString())
    part.meta_info_def.CopyFrom(meta.meta_info_def)
    part.graph_def.versions.CopyFrom(meta.graph_def.versions)
    part.graph_def.node.extend(node for node in meta.graph_def.node if node.name in needed)
    functions = permitted_ops.functions_of(part.graph_def.node, meta.graph_def.library)
    part.graph_def.library.function.extend(functions)
    part.graph_def.library.gradient.extend(
        each
        for each in meta.graph_def.library.gradient
        if each.function_name in {function.signature.name for function in functions}
    )
    for node in part.graph_def.node:
        node.device = ""
        node.attr.pop("_class", None)  # a place beside another node, which may be left out
    assets = [name for name in _asset_nodes(meta) if name in needed]
    return GraphPart(part, state, fills_tables, assets, prefix)


def _variables(meta: tf.MetaGraphDef, names: set[str]) -> list[tuple[str, Any]]:
    """Returns the variables of these names, each with a collection that holds it."""
    found = []
    declared = set()
    for collection in VARIABLES:
        if collection in meta.collection_def:
            for definition in meta.collection_def[collection].bytes_list.value:
                variable = VariableDef.FromString(definition)
                name = node_name(variable.variable_name)
                if name in names:
                    found.append((collection, variable))
                    declared.add(name)
    found += [("variables", each) for each in _undeclared(meta.graph_def, names - declared)]
    return found


def _undeclared(graph_def: tf.GraphDef, names: set[str]) -> Iterator[Any]:
    """Yields the definitions of variables that no collection holds,
    as some programs write meta graphs.
    """
    found = {
        node.name: node
        for node in graph_def.node
        if node.op in graph_facts.VARIABLES and node.name in names
    }
    users: dict[tuple[str, str], str] = {}
    for node in graph_def.node if found else []:
        if node.input and node_name(node.input[0]) in found:
            users.setdefault((node_name(node.input[0]), node.op), node.name)
    for name, node in found.items():
        is_resource = node.op == "VarHandleOp"
        initializer = users.get((name, "AssignVariableOp" if is_resource else "Assign"))
        snapshot = users.get((name, "ReadVariableOp" if is_resource else "Identity"))
        if initializer and snapshot:
            yield VariableDef(
                variable_name=f"{name}:0",
                initializer_name=initializer,
                snapshot_name=f"{snapshot}:0",
                is_resource=is_resource,
            )


def replace_by_placeholders(
    meta: tf.MetaGraphDef, tensors: Iterable[str]
) -> tuple[Any, dict[str, str]]:
    """Returns a meta graph in which placeholders take the place of tensors,
    and their tensors by the old ones.

    Placeholders stay. So an input may be any tensor, such as the output of an iterator, and the ops
    before it are not needed.
    """
    nodes = {node.name: node for node in meta.graph_def.node}
    others = [
        tensor for tensor in tensors if nodes[node_name(tensor)].op not in graph_facts.PLACEHOLDERS
    ]
    if not others:
        return meta, {}
    changed = tf.MetaGraphDef()
    changed.CopyFrom(meta)
    replaced = {}
    for tensor in others:
        name, index = split_tensor(tensor)
        if nodes[name].op == graph_facts.SPARSE_SOURCE:  # as tf.sparse_placeholder names its parts
            part = f"inputs/{name}/{graph_facts.SPARSE_PARTS[index]}"
        else:
            part = f"inputs/{name}_{index}"
        node = changed.graph_def.node.add(name=part, op="Placeholder")
        node.attr["dtype"].type = _output_dtype(nodes[name], index)
        shapes = nodes[name].attr["_output_shapes"].list.shape
        if index < len(shapes):
            node.attr["shape"].shape.CopyFrom(shapes[index])
        else:
            node.attr["shape"].shape.unknown_rank = True
        replaced[tensor] = node.name + ":0"
    for node in changed.graph_def.node:
        for place, name in enumerate(node.input):
            full = full_name(name)
            if full in replaced:
                node.input[place] = replaced[full][: -len(":0")]
    return changed, replaced


def _output_dtype(node: tf.NodeDef, index: int) -> int:
    """Returns the number of the dtype of an output,
    as the op's definition and the node's attributes tell.
    """
    dtypes: list[int] = []
    for output in _compat.op_definition(node.op).output_arg:
        if output.type_list_attr:
            dtypes += node.attr[output.type_list_attr].list.type
        else:
            dtype = output.type or node.attr[output.type_attr].type
            dtypes += [dtype] * (node.attr[output.number_attr].i if output.number_attr else 1)
    return dtypes[index]


def _asset_nodes(meta: tf.MetaGraphDef) -> list[str]:
    """Returns the constants of a meta graph that name files of a SavedModel, or files for one."""
    named = {*asset_files(meta)} or set(map(node_name, _node_list(meta, "asset_filepaths")))
    return [node.name for node in meta.graph_def.node if node.name in named and node.op == "Const"]


def _node_list(meta: tf.MetaGraphDef, collection: str) -> list[str]:
    found = meta.collection_def[collection] if collection in meta.collection_def else None
    return list(found.node_list.value) if found is not None else []


def first_refused_of_whole(meta: tf.MetaGraphDef) -> Any:
    """Returns a node of a SavedModel's graph that must not run,
    and runs with it or with its signatures; or None.
    """
    ends = [meta.saver_def.restore_op_name] if meta.saver_def.restore_op_name else []
    for signature in meta.signature_def.values():  # that of the initialization, too
        for output in signature.outputs.values():
            sparse = output.coo_sparse
            parts = (sparse.indices_tensor_name, sparse.dense_shape_tensor_name)
            ends += filter(None, [output.name or sparse.values_tensor_name, *parts])
    for collection in INITIALIZATIONS:
        ends += _node_list(meta, collection)
    for collection, variable in _variables(meta, {node.name for node in meta.graph_def.node}):
        ends += _state(collection, variable)
    files = [*_asset_nodes(meta), node_name(meta.saver_def.filename_tensor_name)]
    return permitted_ops.first_refused(meta.graph_def, ends, files)


def _state(collection: str, variable: tf.Variable) -> list[str]:
    """Returns what is run to give a variable its value, and to read it."""
    is_local = collection == LOCAL_VARIABLES  # no checkpoint has those
    initializers = [variable.initializer_name] if is_local else []
    return [variable.variable_name, variable.snapshot_name, *initializers]


def files_of(part: GraphPart, meta: tf.MetaGraphDef) -> list[str]:
    """Returns the files that the constants of a part name,
    where its meta graph is not that of a SavedModel.
    """
    if asset_files(meta):
        return []
    return [
        node.attr["value"].tensor.string_val[0].decode("utf-8", "replace")
        for node in part.meta.graph_def.node
        if node.name in part.assets and node.attr["value"].tensor.string_val
    ]


def set_asset_paths(metas: Iterable[Any], folder: str) -> None:
    """Sets the constants that name assets of a SavedModel in `folder` to their files, as
    TensorFlow's loader does.

    Raises:
        ModelError: an asset is outside of the folder.
    """
    for meta in metas:
        files = asset_files(meta)
        for node in meta.graph_def.node:
            if node.name in files:
                assets = os.path.abspath(os.path.join(folder, "assets"))
                path = os.path.normpath(os.path.join(assets, files[node.name]))
                if not path.startswith(assets + os.sep):
                    raise ModelError(
                        f"{folder}: its asset {files[node.name]!r} is not a file of its folder assets."
                    )
                node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(path))


def provided(graph_def: tf.GraphDef, path: str) -> tf.GraphDef:
    """Returns the graph with functions for its ops that are gone.

    Raises:
        ModelError: nothing provides an op.
    """
    try:
        return graph_defs.provide_missing_ops(graph_def)
    except graph_defs.OpsGone as error:
        raise ModelError(f"{path}: {error}") from error


def _with_table_contents(meta: tf.MetaGraphDef, prefix: str | None) -> tf.MetaGraphDef:
    """Returns a meta graph with constants for the contents of tables that a checkpoint holds.

    The op that reads them has the name of a checkpoint as it was when the graph was built.
    """
    nodes = {node.name: node for node in meta.graph_def.node}
    if prefix is None or not any(TABLE_IMPORT.match(node.op) for node in nodes.values()):
        return meta
    changed = tf.MetaGraphDef()
    changed.CopyFrom(meta)
    reader = tf.train.load_checkpoint(prefix)
    for node in [node for node in changed.graph_def.node if TABLE_IMPORT.match(node.op)]:
        for place in (1, 2):  # the keys and the values
            name, index = split_tensor(full_name(node.input[place]))
            if nodes[name].op == "RestoreV2":
                names = nodes[node_name(nodes[name].input[1])].attr["value"].tensor
                value = reader.get_tensor(tf.make_ndarray(names)[index].decode())
                node.input[place] = _add_constant(changed.graph_def, f"{node.name}/{place}", value)
    return changed


def _add_constant(graph_def: tf.GraphDef, name: str, value: object) -> str:
    proto = tf.make_tensor_proto(value)
    node = graph_def.node.add(name=name, op="Const")
    node.attr["value"].tensor.CopyFrom(proto)
    node.attr["dtype"].type = proto.dtype
    return name


@contextlib.contextmanager
def loaded(part: GraphPart, path: str) -> Iterator[tf.Session]:
    """Yields a session in which a part of a model is loaded, and its variables restored.

    Raises:
        ModelError: TensorFlow cannot load it, or would run an op that must not run.
    """
    meta = tf.MetaGraphDef()
    meta.CopyFrom(part.meta)
    meta.graph_def.CopyFrom(provided(meta.graph_def, path))
    refused = permitted_ops.first_refused(meta.graph_def, part.state, part.assets)
    if refused is not None:
        raise ModelError(
            f"{path}: to load it, TensorFlow would run {permitted_ops.describe_refused(refused)} "
            "Name outputs that do not need it: --outputs TENSOR."
        )
    with tf.Graph().as_default(), tf.Session() as session:
        try:
            saver = tf.train.import_meta_graph(meta, clear_devices=True)
            local = tf.local_variables()
            stored = sum(
                node.op in graph_facts.VARIABLES for node in part.meta.graph_def.node
            ) - len(local)
            if part.prefix is None and stored > 0:
                raise ModelError(
                    f"{path}: it has variables ({stored}) and no checkpoint. Put the checkpoint's files "
                    "beside it."
                )
            if part.prefix is not None and tf.global_variables():
                saver.restore(session, part.prefix)
            session.run([variable.initializer for variable in local])
        except (ValueError, KeyError, TypeError, tf.errors.OpError) as error:
            unknown = UNKNOWN_OP.search(str(error))
            if unknown:
                raise ModelError(
                    f"{path}: no TensorFlow has its op {unknown.group(1)!r}: a library that the program loads, or "
                    "another version, has it. Name outputs that do not need it: --outputs TENSOR."
                ) from error
            raise ModelError(f"{path}: TensorFlow cannot load it: {first_line(error)}") from error
        yield session


def first_line(error: Exception) -> str:
    """Returns the first line of an error that tells its cause."""
    text = getattr(error, "message", None) or str(error)
    lines = [line for line in text.splitlines() if line.strip() and not NOT_THE_CAUSE.match(line)]
    line = lines[0].strip() if lines else type(error).__name__
    return line if line.endswith((".", "`")) else line + "."

"""Converts a model of TensorFlow 1 into a SavedModel or a frozen graph that
plain TensorFlow 2 loads.
"""

from __future__ import annotations

import hashlib
import os
import pathlib
import shutil
import tempfile
from typing import Any, NamedTuple, Optional, Sequence, Tuple

from tf1grad._compat import tf
from tf1grad.model import (
    checking,
    deprecated_ops,
    graph_facts,
    keras_loading,
    loading,
    model_files,
    permitted_ops,
)
from tf1grad.model.checking import Run
from tf1grad.model.graph_facts import Tensor
from tf1grad.model.loading import GraphPart, Names
from tf1grad.model.model_files import ModelError, ModelFile

SERVING = "serving_default"
PREDICT = "tensorflow/serving/predict"
TRAIN_OP = "__saved_model_train_op"  # a signature that TensorFlow 2 cannot load, since it does not list its inputs
# (the name for users, the tensor), as given on the command line.
Named = Optional[Sequence[Tuple[Optional[str], str]]]


class Request(NamedTuple):
    """Describes what to convert: None for inputs and outputs that are to be found,
    as (name, tensor) if given.
    """

    path: str
    out: str
    inputs: Named
    outputs: Named
    is_frozen: bool
    is_checked: bool


class Outcome(NamedTuple):
    """Describes what was written.

    runs: the signatures, or for a frozen graph its inputs and outputs.
    differences: the largest relative difference of each output to the original; None where nothing
        was compared.
    notes: sentences for the user.
    """

    runs: list[Run]
    differences: dict[str, float] | None
    notes: list[str]


def convert(request: Request) -> Outcome:
    """Converts the model, checks it, and moves it to its place.

    Raises:
        ModelError: it cannot be converted, or the check found another value.
    """
    model = model_files.read(request.path)
    if model.kind == model_files.CHECKPOINT:
        raise ModelError(
            f"{request.path}: a checkpoint holds variables, but no graph. Name its meta graph (.meta), or "
            "the exported SavedModel."
        )
    if any(meta.object_graph_def.ByteSize() for meta in model.metas):
        raise ModelError(
            f"{request.path}: it is a SavedModel of objects, as tf.keras writes it, and those are not "
            f"converted. TensorFlow 2 loads them: {model_files.loading_call(model)}"
        )
    parent = os.path.dirname(os.path.abspath(request.out))
    workshop = tempfile.mkdtemp(prefix=f".{os.path.basename(request.out)}.", dir=parent)
    try:
        if model.kind == model_files.KERAS:
            model = keras_loading.load(model, os.path.join(workshop, "keras"))
        elif model.kind == model_files.FROZEN and not model.graphs[0].variables:
            deprecated_ops.drop_references(model.metas[0].graph_def)
        made = os.path.join(workshop, "made")
        notes: list[str] = []
        has_signatures = any(each.signatures for each in model.graphs)
        is_whole = has_signatures and model.kind != model_files.KERAS
        if is_whole and not (request.is_frozen or request.inputs or request.outputs):
            pairs = _write_whole(model, made, notes)
            refused = list(map(loading.first_refused_of_whole, model.metas))
        else:
            pairs = _write_part(request, model, made, notes)
            refused = [_first_refused(part, run, model.path) for part, run in pairs]
        node = next(filter(None, refused), None)
        differences: dict[str, float] | None = None
        if node is not None:
            differences = {}
            notes.append(
                "What was written was neither loaded nor compared with the original, because of "
                f"{permitted_ops.describe_refused(node)}"
            )
        elif request.is_checked:
            differences = checking.check(pairs, made, model.path, notes)
        else:
            checking.require_loading([run for _, run in pairs], made)
        if os.path.lexists(request.out):
            raise ModelError(f"{request.out}: it exists by now. Nothing was written.")
        os.rename(made, request.out)
        return Outcome([run for _, run in pairs], differences, notes)
    except (tf.errors.OpError, OSError, *model_files.DAMAGES) as error:
        raise ModelError(
            f"{request.path}: {loading.first_line(error)} Nothing was written."
        ) from error
    finally:
        shutil.rmtree(workshop, ignore_errors=True)


def _first_refused(part: GraphPart, run: Run, path: str) -> Any:
    """Returns a node of a part that must not run, and runs with it; or None."""
    ends = [*part.state, *part.fills_tables, *run.outputs.values()]
    graph_def = loading.provided(part.meta.graph_def, path)
    return permitted_ops.first_refused(graph_def, ends, part.assets)


# A SavedModel keeps everything: its graphs, signatures, variables and assets ----------------------


def _write_whole(model: ModelFile, made: str, notes: list[str]) -> list[tuple[GraphPart, Run]]:
    """Copies a SavedModel, with functions for its gone ops, and without train ops."""
    for facts in model.graphs:
        _refuse_python(model.path, facts.python)
    os.mkdir(made)
    for name in ("variables", "assets", "assets.extra", "tfhub_module.pb"):
        path, copied = os.path.join(model.path, name), os.path.join(made, name)
        if os.path.isdir(path):
            shutil.copytree(path, copied)
        elif os.path.isfile(path):
            shutil.copy(path, copied)
    for meta in model.metas:
        if TRAIN_OP in meta.signature_def:
            del meta.signature_def[TRAIN_OP]
            notes.append(f"Left out is the train op of [{', '.join(meta.meta_info_def.tags)}].")
        meta.graph_def.CopyFrom(loading.provided(meta.graph_def, model.path))
    saved = model_files.SavedModel(
        saved_model_schema_version=1,
        meta_graphs=[deprecated_ops.modernize(meta) for meta in model.metas],
    )
    pathlib.Path(made, "saved_model.pb").write_bytes(saved.SerializeToString())
    loading.set_asset_paths(model.metas, model.path)
    pairs = []
    for meta, facts in zip(model.metas, model.graphs):
        runs = [
            Run(
                facts.tags,
                signature.name,
                _tensors(signature.inputs),
                _tensors(signature.outputs),
            )
            for signature in facts.signatures
        ]
        part = loading.part_of(
            meta,
            [tensor for run in runs for tensor in [*run.inputs.values(), *run.outputs.values()]],
            model.prefix,
        )
        pairs += [(part, run) for run in runs]
    return pairs


# Others become the part of a graph that computes the outputs --------------------------------------


def _write_part(
    request: Request, model: ModelFile, made: str, notes: list[str]
) -> list[tuple[GraphPart, Run]]:
    """Writes the part of a graph that the outputs need, as a SavedModel or as a frozen graph."""
    loading.set_asset_paths(model.metas, model.path)
    meta = model.metas[0]
    inputs, outputs = _ends(request, model)
    # Keras feeds placeholders to set weights.
    read = {
        graph_facts.node_name(name)
        for node in meta.graph_def.node
        if not graph_facts.UPDATES.match(node.op)
        for name in node.input
    }
    unneeded = [
        node.name
        for node in meta.graph_def.node
        if node.op in graph_facts.REQUIRED
        and node.name in read
        and node.name + ":0" not in inputs.values()
    ]
    if unneeded and not request.outputs:
        notes.append(
            f"The outputs need no {', '.join(unneeded)}. --outputs names others, such as a loss."
        )
    meta, placeholders = loading.replace_by_placeholders(meta, inputs.values())
    inputs = {name: placeholders.get(tensor, tensor) for name, tensor in inputs.items()}
    part = loading.part_of(meta, [*inputs.values(), *outputs.values()], model.prefix)
    _refuse_python(
        model.path,
        [node.name for node in part.meta.graph_def.node if node.op in graph_facts.PYTHON],
    )
    copied = loading.files_of(part, model.metas[0])
    if copied:
        notes.append(f"Copied into it are the files of its lookup tables: {', '.join(copied)}.")
    if model.graphs[0].python and not request.outputs:
        notes.append(
            f"Left out is what needs {model.graphs[0].python[0]!r}, which calls a Python function."
        )
    left_out = [
        node.name
        for node in part.meta.graph_def.node
        if node.op == "PlaceholderWithDefault"
        and node.name not in map(graph_facts.node_name, inputs.values())
    ]
    if left_out:
        notes.append(
            f"These keep their default values: {', '.join(left_out)}. --inputs makes them inputs."
        )
    with loading.loaded(
        part._replace(meta=deprecated_ops.modernize(part.meta)), model.path
    ) as session:
        if not request.is_frozen:
            return [(part, _write_signature(part, session, inputs, outputs, made))]
        if part.assets:
            raise ModelError(
                f"{model.path}: a frozen graph cannot hold the files of its lookup tables. Convert it to "
                "a SavedModel: leave --frozen out."
            )
        if part.fills_tables:
            notes.append(f"Run these ops once after loading it: {', '.join(part.fills_tables)}.")
        return [(part, _write_frozen(part, session, inputs, outputs, made))]


def _ends(request: Request, model: ModelFile) -> tuple[Names, Names]:
    """Returns the inputs and outputs: those given,
    else those of the signature, else those found.
    """
    facts = model.graphs[0]
    nodes = {node.name: node for node in model.metas[0].graph_def.node}
    signature = next(
        (each for each in facts.signatures if each.name == SERVING),
        next(iter(facts.signatures), None),
    )
    inputs: Names | None = None
    if request.outputs:
        outputs = _given("--outputs", request.outputs, nodes, model.path)
    elif signature is not None:
        inputs, outputs = _tensors(signature.inputs), _tensors(signature.outputs)
    else:
        outputs = _names([each.tensor for each in facts.outputs])
    if not outputs:
        raise ModelError(
            f"{model.path}: its graph has no output that depends on a placeholder, queue or iterator. "
            "Name one: --outputs TENSOR."
        )
    if request.inputs:
        inputs = _given("--inputs", request.inputs, nodes, model.path)
    graph = graph_facts.Graph(nodes.values())
    if inputs is None:
        return _names(graph.needed_inputs(outputs.values())), outputs
    lacking = graph.needed_inputs(outputs.values(), inputs.values()) if request.inputs else []
    # In a frozen graph they stay placeholders, which the caller feeds.
    if lacking and not request.is_frozen:
        raise ModelError(
            f"{model.path}: --inputs leaves out {', '.join(lacking)}, which the outputs {', '.join(outputs.values())} "
            "need. Name them too, or other --outputs."
        )
    return inputs, outputs


def _given(
    option: str, given: Sequence[tuple[str | None, str]], nodes: dict[str, Any], path: str
) -> Names:
    for _, tensor in given:
        if graph_facts.node_name(tensor) not in nodes:
            raise ModelError(
                f"{path}: {option} names {tensor!r}, and its graph lacks that node. `tf1grad model "
                "inspect` lists inputs and outputs."
            )
    names = [name for name, _ in given if name is not None]
    if len(set(names)) < len(names):
        raise ModelError(
            f"{path}: {option} gives one name to several tensors: {', '.join(names)}. Give each its own."
        )
    full = [graph_facts.full_name(tensor) for _, tensor in given]
    found = {name: tensor for (name, _), tensor in zip(given, full) if name is not None}
    return {**found, **_names([tensor for (name, _), tensor in zip(given, full) if name is None])}


def _tensors(ends: Sequence[Tensor]) -> Names:
    return {each.name: each.tensor for each in ends}


def _names(tensors: Sequence[str]) -> Names:
    """Returns a name for each tensor: its node's, and its number if that is not 0."""
    found: dict[str, str] = {}
    for tensor in tensors:
        node, index = graph_facts.split_tensor(tensor)
        name = node.replace("/", "_") + (f"_{index}" if index else "")
        while name in found:  # "a:1" after the node "a_1"
            name += "_"
        found[name] = tensor
    return found


def _refuse_python(path: str, nodes: Sequence[str]) -> None:
    if nodes:
        raise ModelError(
            f"{path}: its node {nodes[0]!r} calls a Python function of the program that wrote it, which "
            "no file holds. Name outputs that do not need it: --outputs TENSOR."
        )


def _write_signature(
    part: GraphPart, session: tf.Session, inputs: Names, outputs: Names, made: str
) -> Run:
    tensor, serving = session.graph.get_tensor_by_name, tf.saved_model.tag_constants.SERVING
    fills_tables = [session.graph.get_operation_by_name(name) for name in part.fills_tables]
    described = [
        {name: tf.saved_model.build_tensor_info(tensor(each)) for name, each in names.items()}
        for names in (inputs, outputs)
    ]
    signature = tf.saved_model.build_signature_def(described[0], described[1], PREDICT)
    builder = tf.saved_model.Builder(made)
    builder.add_meta_graph_and_variables(
        session,
        [serving],
        {SERVING: signature},
        clear_devices=True,
        main_op=tf.group(*fills_tables, name="tf1grad_fill_tables") if fills_tables else None,
        assets_collection=[tensor(f"{name}:0") for name in part.assets],
    )
    builder.save()
    return Run([serving], SERVING, inputs, outputs)


def _write_frozen(
    part: GraphPart, session: tf.Session, inputs: Names, outputs: Names, made: str
) -> Run:
    needed = {graph_facts.node_name(name) for name in [*outputs.values(), *part.fills_tables]}
    graph_def = tf.graph_util.convert_variables_to_constants(
        session, session.graph.as_graph_def(), sorted(needed)
    )
    _name_tables(graph_def)
    pathlib.Path(made).write_bytes(graph_def.SerializeToString())
    return Run(part.fills_tables, None, inputs, outputs)


def _name_tables(graph_def: tf.GraphDef) -> None:
    """Gives tables without a name one that no other graph has.

    Where functions are called, each makes its own table under "": the one that is filled would not
    be the one read.
    """
    digest = hashlib.sha1(graph_def.SerializeToString(deterministic=True)).hexdigest()[:12]
    for node in graph_def.node:
        if node.op in ("HashTable", "HashTableV2") and not node.attr["shared_name"].s:
            node.attr["shared_name"].s = f"{node.name}_{digest}".encode()

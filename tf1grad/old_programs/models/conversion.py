"""Converts a model of TensorFlow 1 into a SavedModel or a frozen graph that plain TensorFlow 2 loads."""

from __future__ import annotations

import os
import shutil
import tempfile
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from tf1grad._compat import tf
from tf1grad.old_programs.models import checking, deprecated_ops, graph_facts, keras_loading, loading, model_files
from tf1grad.old_programs.models.checking import Run
from tf1grad.old_programs.models.loading import LoadedPart, Names, Source
from tf1grad.old_programs.models.model_files import ModelError, ModelFile

SERVING = "serving_default"
PREDICT = "tensorflow/serving/predict"
TRAIN_OP = "__saved_model_train_op"  # a signature that TensorFlow 2 cannot load, since it does not list its inputs
PRODUCER = tf.version.GRAPH_DEF_VERSION
Named = Optional[Sequence[Tuple[Optional[str], str]]]  # (the name for users, the tensor), as given on the command line


class Request(NamedTuple):
    """Describes what to convert: None for inputs and outputs that are to be found, as (name, tensor) if given."""

    path: str
    out: str
    inputs: Named
    outputs: Named
    is_frozen: bool
    is_checked: bool


class Outcome(NamedTuple):
    """Describes what was written.

    runs: the signatures, or for a frozen graph its inputs and outputs.
    differences: the largest relative difference of each output to the original; None where nothing was compared.
    notes: sentences for the user.
    """

    runs: List[Run]
    differences: Optional[Dict[str, float]]
    notes: List[str]


def convert(request: Request) -> Outcome:
    """Converts the model, checks it, and moves it to its place.

    Raises:
        ModelError: it cannot be converted, or the check found another value.
    """
    model = model_files.read(request.path)
    if model.kind == model_files.CHECKPOINT:
        raise ModelError(f"{request.path}: a checkpoint holds variables, but no graph. Name its meta graph (.meta), or "
                         "the exported SavedModel.")
    parent = os.path.dirname(os.path.abspath(request.out))
    workshop = tempfile.mkdtemp(prefix=f".{os.path.basename(request.out)}.", dir=parent)
    try:
        source = _source(model, workshop)
        whole = not request.is_frozen and not request.inputs and not request.outputs and any(
            facts.signatures for facts in model.graphs)
        made = os.path.join(workshop, "made")
        outcome = (_convert_whole if whole else _convert_part)(request, model, source, made)
        if os.path.lexists(request.out):
            raise ModelError(f"{request.out}: it exists by now. Nothing was written.")
        os.rename(made, request.out)
        return outcome
    except (tf.errors.OpError, OSError) as error:
        raise ModelError(f"{request.path}: {loading.first_line(error)} Nothing was written.") from error
    finally:
        shutil.rmtree(workshop, ignore_errors=True)


def _source(model: ModelFile, workshop: str) -> Source:
    if model.kind == model_files.KERAS:
        return keras_loading.load(model.path, os.path.join(workshop, "keras"))
    return Source(loading.meta_graphs(model), model.prefix, None, None)


def _set_asset_paths(model: ModelFile, source: Source) -> None:
    for meta in source.metas:
        loading.set_asset_paths(meta, os.path.join(model.path, "assets"))


# A SavedModel keeps everything: its graphs, signatures, variables and assets -----------------------------------------

def _convert_whole(request: Request, model: ModelFile, source: Source, made: str) -> Outcome:
    """Copies a SavedModel, with functions for its gone ops, and without train ops."""
    for facts in model.graphs:
        _refuse_python(model.path, facts.python)
    os.mkdir(made)
    for name in ("variables", "assets", "assets.extra"):
        if os.path.isdir(os.path.join(model.path, name)):
            shutil.copytree(os.path.join(model.path, name), os.path.join(made, name))
    if os.path.isfile(os.path.join(model.path, "tfhub_module.pb")):
        shutil.copy(os.path.join(model.path, "tfhub_module.pb"), made)
    notes = []
    if model_files.loads_as_it_is(model):
        notes.append(f"TensorFlow 2 loads {model.path} as it is, too: {model_files.loading_call(model)} needs no "
                     "conversion.")
    for meta in source.metas:
        if TRAIN_OP in meta.signature_def:
            del meta.signature_def[TRAIN_OP]
            notes.append(f"Left out is the train op of [{', '.join(meta.meta_info_def.tags)}].")
        meta.graph_def.CopyFrom(loading.provided(meta.graph_def, model.path))
    loading.write_saved_model([deprecated_ops.of_today(meta, PRODUCER) for meta in source.metas], made)
    runs = [Run(facts.tags, signature.name, {each.name: each.tensor for each in signature.inputs},
                {each.name: each.tensor for each in signature.outputs})
            for facts in model.graphs for signature in facts.signatures]
    if not request.is_checked:
        checking.require_loading(runs, made)
        return Outcome(runs, None, notes)
    _set_asset_paths(model, source)
    pairs = []
    for meta, facts in zip(source.metas, model.graphs):
        own = [run for run in runs if run.tags == facts.tags]
        tensors = [tensor for run in own for tensor in [*run.inputs.values(), *run.outputs.values()]]
        part = loading.part_of(meta, tensors, source.prefix)
        pairs += [(part, run) for run in own]
    differences, more = checking.check(pairs, made, model.path)
    return Outcome(runs, differences, notes + more)


# Others become the part of a graph that computes the outputs ---------------------------------------------------------

def _convert_part(request: Request, model: ModelFile, source: Source, made: str) -> Outcome:
    """Writes the part of a graph that the outputs need, as a SavedModel or as a frozen graph."""
    _set_asset_paths(model, source)
    meta, notes = source.metas[0], []
    if loading.restores_itself(meta):
        raise ModelError(f"{model.path}: its variables belong to objects, as in every SavedModel of tf.keras, so only "
                         "the whole can be converted. Leave --frozen, --inputs and --outputs out.")
    inputs, outputs = _ends(request, model, source)
    unneeded = [node.name for node in meta.graph_def.node if node.op in graph_facts.REQUIRED
                and node.name + ":0" not in inputs.values()]
    if unneeded and not request.outputs:
        notes.append(f"The outputs need no {', '.join(unneeded)}. --outputs names others, such as a loss.")
    meta, placeholders = loading.with_placeholders(meta, inputs.values())
    inputs = {name: placeholders.get(tensor, tensor) for name, tensor in inputs.items()}
    part = loading.part_of(meta, [*inputs.values(), *outputs.values()], source.prefix)
    _refuse_python(model.path, [node.name for node in part.meta.graph_def.node if node.op in graph_facts.PYTHON])
    if model.graphs[0].python and not request.outputs:
        notes.append(f"Left out is what needs {model.graphs[0].python[0]!r}, which calls a Python function.")
    left_out = [node.name for node in part.meta.graph_def.node if node.op == "PlaceholderWithDefault"
                and node.name not in map(graph_facts.node_name, inputs.values())]
    if left_out:
        notes.append(f"These keep their default values: {', '.join(left_out)}. --inputs makes them inputs.")
    loaded = LoadedPart(part._replace(meta=deprecated_ops.of_today(part.meta, PRODUCER)), model.path)
    try:
        if request.is_frozen:
            run = _write_frozen(loaded, inputs, outputs, made, model.path, notes)
        else:
            run = _write_signature(loaded, inputs, outputs, made)
    finally:
        loaded.close()
    if not request.is_checked:
        checking.require_loading([run], made)
        return Outcome([run], None, notes)
    differences, more = checking.check([(part, run)], made, model.path)
    return Outcome([run], differences, notes + more)


def _ends(request: Request, model: ModelFile, source: Source) -> Tuple[Names, Names]:
    """Returns the inputs and outputs: those given, else those of the signature, else those found."""
    facts = model.graphs[0]
    nodes = {node.name: node for node in source.metas[0].graph_def.node}
    signature = next((each for each in facts.signatures if each.name == SERVING), next(iter(facts.signatures), None))
    if request.outputs:
        outputs = _given("--outputs", request.outputs, nodes, model.path)
    elif source.outputs is not None:
        outputs = source.outputs
    elif signature is not None:
        outputs = {each.name: each.tensor for each in signature.outputs}
    else:
        outputs = _names([each.tensor for each in facts.outputs])
    if not outputs:
        raise ModelError(f"{model.path}: its graph has no output that depends on a placeholder, queue or iterator. "
                         "Name one: --outputs TENSOR.")
    if request.inputs:
        return _given("--inputs", request.inputs, nodes, model.path), outputs
    if source.inputs is not None and not request.outputs:
        return source.inputs, outputs
    if signature is not None and not request.outputs:
        return {each.name: each.tensor for each in signature.inputs}, outputs
    graph = {"nodes": [{"name": node.name, "op": node.op, "inputs": list(node.input)} for node in nodes.values()]}
    return _names(graph_facts.needed_inputs(graph, outputs.values())), outputs


def _given(option: str, given: Sequence[Tuple[Optional[str], str]], nodes: Dict[str, Any], path: str) -> Names:
    for _, tensor in given:
        if graph_facts.node_name(tensor) not in nodes:
            raise ModelError(f"{path}: {option} names {tensor!r}, and its graph lacks that node. `tf1grad model "
                             "inspect` lists inputs and outputs.")
    names = [name for name, _ in given if name is not None]
    if len(set(names)) < len(names):
        raise ModelError(f"{path}: {option} gives one name to several tensors: {', '.join(names)}. Give each its own.")
    full = [graph_facts.full_name(tensor) for _, tensor in given]
    found = {name: tensor for (name, _), tensor in zip(given, full) if name is not None}
    return {**found, **_names([tensor for (name, _), tensor in zip(given, full) if name is None])}


def _names(tensors: Sequence[str]) -> Names:
    """Returns names for tensors: the last part of each, or all parts where that is not unique."""
    nodes = [graph_facts.split_tensor(tensor) for tensor in tensors]
    full = [node.replace("/", "_") + (f"_{index}" if index else "") for node, index in nodes]
    return dict(zip(full, tensors))


def _refuse_python(path: str, nodes: Sequence[str]) -> None:
    if nodes:
        raise ModelError(f"{path}: its node {nodes[0]!r} calls a Python function of the program that wrote it, which "
                         "no file holds. Name outputs that do not need it: --outputs TENSOR.")


def _write_signature(loaded: LoadedPart, inputs: Names, outputs: Names, made: str) -> Run:
    init_op = loaded.init_op()
    with loaded.graph.as_default():
        described = [{name: tf.saved_model.build_tensor_info(loaded.tensor(tensor)) for name, tensor in names.items()}
                     for names in (inputs, outputs)]
        signature = tf.saved_model.build_signature_def(described[0], described[1], PREDICT)
        builder = tf.saved_model.Builder(made)
        builder.add_meta_graph_and_variables(loaded.session, [tf.saved_model.tag_constants.SERVING],
                                             {SERVING: signature}, main_op=init_op, clear_devices=True,
                                             assets_collection=[loaded.tensor(f"{name}:0")
                                                                for name in loaded.part.assets])
        builder.save()
    return Run([tf.saved_model.tag_constants.SERVING], SERVING, inputs, outputs)


def _write_frozen(loaded: LoadedPart, inputs: Names, outputs: Names, made: str, path: str, notes: List[str]) -> Run:
    if loaded.part.assets:
        raise ModelError(f"{path}: a frozen graph cannot hold the files of its lookup tables. Convert it to a "
                         "SavedModel: leave --frozen out.")
    graph_def = loaded.frozen(list(outputs.values()))
    if loaded.part.fills_tables:
        notes.append(f"Run these ops once after loading it: {', '.join(loaded.part.fills_tables)}.")
    with open(made, "wb") as file:
        file.write(graph_def.SerializeToString())
    return Run(loaded.part.fills_tables, None, inputs, outputs)

"""A model needs ops that TensorFlow 2 lacks.

A model file (a frozen graph, a SavedModel, a meta graph) has nodes with ops of tf.contrib, such as GatherTree, or with
Python functions that no file holds; or a program makes such a node by the op's name. `check` reads a model file that is
named, and every `.pb` and `.meta` file in a folder that is named. It does not load them.
"""

import contextlib
import os
from typing import Dict, Iterable, Iterator, List, Optional, Tuple

from tf1grad.old_programs.gone_ops import advice
from tf1grad.old_programs.models import model_files
from tf1grad.old_programs.rules import Finding, Findings, file_finding
from tf1grad.old_programs.source import files
from tf1grad.old_programs.source.program import Call, Program
from tf1grad.old_programs.source.scopes import constant

ID = "TFG004"
SEVERITY = "error"
OF_TENSORFLOW_2 = True
REMEDY = (
    "`tf1grad model convert` provides most of these ops; for the others it says what to take today."
)
EXAMPLE = """
  graph_def = tf.GraphDef()
- graph_def.node.add(name="beams", op="GatherTree")
+ graph_def.node.add(name="beams", op="GatherV2")
"""
SUFFIXES = (".pb", ".meta")
PYTHON = "A node calls a Python function of the program that wrote the model: {}."
BEFORE = "No file holds the function: name outputs that do not need it in `tf1grad model convert --outputs`."


def findings(program: Program) -> Findings:
    for call in program.calls:
        op = _op_type(call)
        if op and advice.origin(op):
            yield (call.node, *_described(advice.describe(op, [])))


def _op_type(call: Call) -> Optional[str]:
    """Returns the op that a call makes by name: `create_op("T", ...)`, `node.add(op="T")`, `NodeDef(op="T")`."""
    values = [keyword.value for keyword in call.node.keywords if keyword.arg in ("op", "op_type")]
    if call.method == "create_op":
        values += call.node.args[:1]
    return next((name for name in map(constant, values) if isinstance(name, str)), None)


def _described(missing: advice.MissingOp) -> Tuple[str, str]:
    """Returns the message and the remedy for nodes of an op."""
    count = f" ({len(missing.nodes)} nodes)" if len(missing.nodes) > 1 else ""
    return f"The op {missing.op}{count} is not in TensorFlow 2.", missing.advice


def findings_in_files(paths: Iterable[str]) -> Tuple[Dict[str, List[Finding]], List[str]]:
    """Returns the findings of each model that `paths` name or contain, and those of the paths that name no model.

    Files in a folder that cannot be read are left out: other programs write .pb files too.
    """
    found: Dict[str, List[Finding]] = {}
    others = [path for path in paths if not _is_model(path)]
    for path in paths:
        if path not in others:
            try:
                found[path] = _of_model(path, model_files.read(path))
            except model_files.ModelError as error:
                found[path] = [
                    file_finding(
                        ID,
                        path,
                        f"The model cannot be read: {error}",
                        "Correct the file, or leave it out.",
                    )
                ]
    for folder in others:
        for path in _paths_below(folder):
            with contextlib.suppress(model_files.ModelError):
                model = model_files.read(path)
                if model.graphs:
                    found[path] = _of_model(path, model)
    return found, others


def _is_model(path: str) -> bool:
    """Says whether a path names a model: a SavedModel's folder, a checkpoint's prefix, or a file that is not Python."""
    if os.path.isdir(path):
        return os.path.isfile(os.path.join(path, "saved_model.pb"))
    is_file = os.path.isfile(path) and not path.endswith(files.SUFFIXES)
    return (
        path.endswith((*SUFFIXES, ".h5", ".hdf5", ".index"))
        and is_file
        or os.path.isfile(path + ".index")
    )


def _paths_below(folder: str) -> Iterator[str]:
    for path, folders, names in os.walk(folder):
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".") and name not in files.SKIPPED_FOLDERS
        )
        yield from (
            [path]
            if "saved_model.pb" in names
            else [os.path.join(path, name) for name in sorted(names) if name.endswith(SUFFIXES)]
        )


def _of_model(path: str, model: model_files.ModelFile) -> List[Finding]:
    described = list(map(_described, model_files.all_missing(model.graphs)))
    described += [(PYTHON.format(name), BEFORE) for facts in model.graphs for name in facts.python]
    return [file_finding(ID, path, message, remedy) for message, remedy in described]

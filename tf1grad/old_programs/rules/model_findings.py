"""Finds in model files what TensorFlow 2 lacks: the part of `check` that reads files other than programs."""

import contextlib
import os
from typing import Dict, Iterable, Iterator, List, Tuple

from tf1grad.old_programs import rules
from tf1grad.old_programs.models import model_files
from tf1grad.old_programs.rules import Finding
from tf1grad.old_programs.rules.files import model_ops
from tf1grad.old_programs.source import files

SUFFIXES = (".pb", ".meta")
PYTHON = "A node calls a Python function of the program that wrote the model: {}."
BEFORE = "No file holds the function: name outputs that do not need it in `tf1grad model convert --outputs`."


def model_paths(paths: Iterable[str]) -> Tuple[List[str], List[str]]:
    """Returns the paths that name model files, and the others."""
    models = [path for path in paths if is_model(path)]
    return models, [path for path in paths if path not in models]


def is_model(path: str) -> bool:
    """Says whether a path names a model: a SavedModel's folder, a checkpoint's prefix, or a file that is not Python."""
    if os.path.isdir(path):
        return os.path.isfile(os.path.join(path, "saved_model.pb"))
    is_file = os.path.isfile(path) and not path.endswith(files.SUFFIXES)
    return path.endswith((*SUFFIXES, ".h5", ".hdf5", ".index")) and is_file or os.path.isfile(path + ".index")


def findings_below(folder: str) -> Dict[str, List[Finding]]:
    """Returns the findings of each graph in a folder, by path: `.pb` and `.meta` files, and folders of SavedModels.

    Files that cannot be read are left out: other programs write .pb files too.
    """
    found = {}
    for path in _paths_below(folder):
        with contextlib.suppress(model_files.ModelError):
            model = model_files.read(path)
            if model.graphs:
                found[path] = list(_of_model(path, model))
    return found


def _paths_below(folder: str) -> Iterator[str]:
    for path, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in files.SKIPPED_FOLDERS)
        yield from [path] if "saved_model.pb" in names else [
            os.path.join(path, name) for name in sorted(names) if name.endswith(SUFFIXES)]


def findings(path: str) -> Iterator[Finding]:
    """Yields the ops that a model needs and TensorFlow 2 lacks, and the file's damage."""
    try:
        model = model_files.read(path)
    except model_files.ModelError as error:
        yield _finding(path, f"The model cannot be read: {error}", "Correct the file, or leave it out.")
    else:
        yield from _of_model(path, model)


def _of_model(path: str, model: model_files.ModelFile) -> Iterator[Finding]:
    for missing in model_files.all_missing(model.graphs):
        yield _finding(path, *model_ops.described(missing))
    for facts in model.graphs:
        for name in facts.python:
            yield _finding(path, PYTHON.format(name), BEFORE)


def _finding(path: str, message: str, remedy: str) -> Finding:
    rule = rules.find_rule(model_ops.ID)
    assert rule is not None
    return Finding(rule, path, 1, 1, message, remedy, None)

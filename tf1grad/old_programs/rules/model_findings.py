"""Finds in model files what TensorFlow 2 lacks: the part of `check` that reads files other than programs."""

import os
from typing import Iterable, Iterator, List, Tuple

from tf1grad.old_programs import rules
from tf1grad.old_programs.models import model_files
from tf1grad.old_programs.rules import Finding, Rule
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


def models_below(folder: str) -> List[str]:
    """Returns the graphs in a folder that can be read: `.pb` and `.meta` files, and SavedModels by their folder."""
    found = []
    for path, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in files.SKIPPED_FOLDERS)
        found += [path] if "saved_model.pb" in names else [
            os.path.join(path, name) for name in sorted(names) if name.endswith(SUFFIXES)]
    return [path for path in found if _is_readable(path)]


def _is_readable(path: str) -> bool:
    try:
        return bool(model_files.read(path).graphs)
    except model_files.ModelError:
        return False  # other programs write .pb files too


def findings(path: str) -> Iterator[Finding]:
    """Yields the ops that a model needs and TensorFlow 2 lacks, and the file's damage."""
    rule = rules.find_rule(model_ops.ID)
    assert rule is not None
    try:
        model = model_files.read(path)
    except model_files.ModelError as error:
        yield _finding(rule, path, f"The model cannot be read: {error}", "Correct the file, or leave it out.")
        return
    for gone, count in model_files.all_gone(model.graphs):
        yield _finding(rule, path, *model_ops.described(gone, count))
    for facts in model.graphs:
        for name in facts.python:
            yield _finding(rule, path, PYTHON.format(name), BEFORE)


def _finding(rule: Rule, path: str, message: str, remedy: str) -> Finding:
    return Finding(rule, path, 1, 1, message, remedy, None)

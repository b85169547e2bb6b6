"""What is changed in a process is in one register, with its undoing, and is changed in one room only."""

import ast
import io
import os
import sys
import types

import pytest

from paths import ROOT
from tf1grad.old_programs.process import patches

PROCESS = os.path.join(ROOT, "tf1grad", "old_programs", "process")
# What only the room `process` may touch. The hook of optimizer classes is `__init_subclass__`.
ALONE = {"sys.meta_path", "sys.path_hooks", "sys._getframe"}
# What others may read, and replace through `patches.patch`.
REPLACED = {
    "builtins.__import__",
    "importlib.import_module",
    "importlib.util.find_spec",
    "sys.excepthook",
    "SourceFileLoader.get_code",
    "runpy.compile",
    "numpy.linalg.svd",
    "session_base.run",
}


def _dotted(node):
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else "?"


def _targets(tree):
    """The dotted names that a source assigns to, deletes, or defines as an attribute."""
    return [
        _dotted(node)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load)
    ]


def _sources():
    for folder, _, names in os.walk(os.path.join(ROOT, "tf1grad")):
        if folder != PROCESS:
            for name in names:
                if name.endswith(".py"):
                    with open(os.path.join(folder, name), encoding="utf-8") as file:
                        yield os.path.join(folder, name), ast.parse(file.read())


def test_only_one_room_changes_the_process():
    found = []
    for path, tree in _sources():
        read = {_dotted(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        found += [(path, name) for name in sorted(read & ALONE)]
        found += [
            (path, name)
            for name in _targets(tree)
            if name in REPLACED or name.endswith("__init_subclass__")
        ]
        found += [
            (path, node.name)
            for node in ast.walk(tree)
            if isinstance(node, ast.ClassDef)
            and any("MetaPathFinder" in _dotted(base) for base in node.bases)
        ]
    assert found == []


@pytest.fixture
def holder():
    """A module with two attributes; all that a test changes is undone."""
    module = types.ModuleType("some_module")
    module.first, module.second = 1, 2
    before = len(patches.changes())
    yield module
    patches.undo(before)
    assert (module.first, module.second) == (1, 2) and not hasattr(module, "third")


def test_explained_changes_have_their_phase_and_their_sentence(holder, monkeypatch):
    monkeypatch.setattr(patches, "_explains", False)
    monkeypatch.setattr(patches, "_changes", [])
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with patches.phase("numbers", "Makes numbers greater."):
        patches.patch(holder, "first", 3, reason="it is small")
        patches.explain()
        patches.note("nothing", "")
        patches.note("all of it", "later")
    patches.note("more", "last")
    assert sys.stderr.getvalue().splitlines() == [
        "tf1grad: [numbers] Makes numbers greater.",
        "tf1grad: [numbers] some_module.first: it is small",
        "tf1grad: [numbers] all of it: later",
        "tf1grad: [while the program runs] more: last",
    ]
    patches.undo()

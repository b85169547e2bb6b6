"""What is changed in a process is in one register, with its undoing,
and is changed in one room only.
"""

import io
import os
import re
import sys
import types

import pytest

from paths import ROOT
from tf1grad.programs.process import patches

PROCESS = os.path.join(ROOT, "tf1grad", "programs", "process")
# What only the room `process` may touch. The hook of optimizer classes is `__init_subclass__`.
ALONE = r"sys\.(?:meta_path|path_hooks|_getframe)\b|MetaPathFinder|\.__init_subclass__ = "
# What others may read, and replace through `patches.patch`.
REPLACED = (
    r"(?:builtins\.__import__|importlib\.import_module|sys\.excepthook|SourceFileLoader\.get_code|"
    r"runpy\.compile|numpy\.linalg\.svd|session_base\.run) = "
)


def test_only_one_room_changes_the_process():
    found = []
    for folder, _, names in os.walk(os.path.join(ROOT, "tf1grad")):
        for name in names if folder != PROCESS else []:
            if name.endswith(".py"):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    changes = re.findall(f"{ALONE}|{REPLACED}", file.read())
                found += [(name, change) for change in changes]
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


def test_a_path_hook_comes_first_until_it_is_undone(holder):
    def hook(path):
        raise ImportError

    before, known = list(sys.path_hooks), len(patches.changes())
    patches.add_path_hook(hook, "it reads other files")
    assert sys.path_hooks == [hook, *before]
    patches.undo(known)
    assert sys.path_hooks == before


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

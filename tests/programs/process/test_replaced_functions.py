"""Replaced functions are replaced wherever TensorFlow holds them,
now and where their module is executed later.
"""

import importlib
import sys
import types

import pytest

from tf1grad.programs.process import patches
from tf1grad.programs.process.replaced_functions import replace_functions

NAMES = ("double", "Counter.next")


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """A module on the path, which is not imported yet,
    and a module of TensorFlow that holds its function.
    """
    (tmp_path / "toy_library.py").write_text(
        "def double(x): return 2 * x\nclass Counter:\n    def next(self): return 1\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setitem(sys.modules, "tensorflow.toy_holder", types.ModuleType("toy_holder"))
    before = len(patches.changes())
    yield sys.modules["tensorflow.toy_holder"]
    patches.undo(before)
    sys.modules.pop("toy_library", None)


def _plus_one(function):
    return lambda *arguments: function(*arguments) + 1


def _replace(*names):
    replacements = {f"toy_library:{name}": _plus_one for name in names}
    replace_functions(replacements, "a test")


def test_a_module_that_is_imported_later_is_changed_then(toy):
    _replace(*NAMES, "is_not_there")
    assert patches.changes()[-1].line().endswith("toy_library:double and 2 more: a test")
    library = importlib.import_module("toy_library")
    assert (library.double(3), library.Counter().next()) == (7, 2)


def test_a_module_that_is_executed_anew_is_changed_again(toy):
    library = importlib.import_module("toy_library")
    _replace(*NAMES)
    assert (library.double(3), library.Counter().next()) == (7, 2)
    del sys.modules["toy_library"]
    assert importlib.import_module("toy_library").double(3) == 7


def test_who_holds_the_function_gets_the_replacement(toy):
    toy.twice = importlib.import_module("toy_library").double
    _replace("double")
    _replace("double")  # on top of the first
    assert toy.twice(3) == 8

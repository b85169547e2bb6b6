"""The one finder: what it serves and changes, beside the finders of others, in threads,
and when nothing is entered.
"""

import functools
import importlib
import importlib.abc
import importlib.util
import sys
import types

import pytest

from tf1grad.programs.process import finder, ownership, patches
from threads import together


@pytest.fixture(autouse=True)
def as_before():
    """Undoes what a test enters, and forgets what it imports."""
    before, modules = len(patches.changes()), set(sys.modules)
    yield
    patches.undo(before)
    for name in set(sys.modules) - modules:
        del sys.modules[name]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of modules, on the path."""
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def _serve(name, value, **options):
    loader = finder.Loader(lambda module: vars(module).update(value=value))
    finder.serve([name], loader, reason="a test", **options)
    return loader


def test_nothing_is_installed_before_something_is_entered(run_program):
    assert run_program("""
        import sys
        before = list(sys.meta_path)
        import tf1grad
        from tf1grad.programs.process import finder
        print(sys.meta_path == before)
        finder.serve(["a_module"], finder.Loader(print), reason="a test")
        print([type(each).__name__ for each in sys.meta_path].index("Finder"), sys.meta_path[1:] == before)
    """).split("\n")[:2] == ["True", "0 True"]


@pytest.mark.parametrize("first, value", [(True, "served"), (False, "there")])
def test_served_first_or_only_where_it_is_missing(folder, first, value):
    (folder / "some_module.py").write_text("value = 'there'")
    _serve("some_module", "served", first=first)
    _serve("missing_module", "served", first=first)
    assert importlib.import_module("some_module").value == value
    assert importlib.import_module("missing_module").value == "served"


def test_served_where_it_applies():
    _serve("missing_package.", 1, is_package=True, applies=lambda name: name.endswith("below"))
    _serve("missing_package", 0, is_package=True)
    assert importlib.import_module("missing_package.below").value == 1
    with pytest.raises(ModuleNotFoundError, match="No module named 'missing_package.other'"):
        importlib.import_module("missing_package.other")


def test_called_at_once_if_imported_already_and_after_each_import(folder):
    (folder / "some_module.py").write_text("")
    first, calls = importlib.import_module("some_module"), []
    finder.call_now_and_after("some_module", lambda module: calls.append(module), reason="a test")
    assert calls == [first]
    del sys.modules["some_module"]
    assert calls == [first, importlib.import_module("some_module")]


@pytest.mark.slow
def test_entering_again_changes_nothing(folder):
    (folder / "some_module.py").write_text("")
    calls, before = [], len(patches.changes())
    loader = _serve("missing_module", 1)

    def note(given):
        calls.append(given)

    for _ in range(2):
        finder.serve(["missing_module"], loader, reason="a test")
        finder.call_after(["some_module"], note, reason="a test")
        finder.call_before(["some_module"], note, reason="a test")
    importlib.import_module("some_module")
    assert calls == ["some_module", sys.modules["some_module"]]
    assert sys.meta_path.count(finder._finder) == 1
    assert len(patches.changes()) in (before + 3, before + 4)  # the finder itself may be new


@pytest.mark.slow
def test_a_changed_module_keeps_its_own_loader(folder):
    (folder / "some_module.py").write_text("loader = __loader__, __spec__.loader")
    finder.call_after(
        ["some_module"], lambda module: vars(module).update(changed=True), reason="a test"
    )
    spec = importlib.util.find_spec("some_module")
    assert spec.loader.get_source("some_module").startswith("loader =")
    module = importlib.import_module("some_module")
    assert module.changed and {type(each).__name__ for each in module.loader} == {
        "SourceFileLoader"
    }
    del module.changed
    assert importlib.reload(module).changed


class _Other(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """A finder of the user's, which asks all others as well."""

    def __init__(self, name):
        self.name, self.asked = name, 0

    def find_spec(self, name, path=None, target=None):
        if name != self.name:
            return None
        self.asked += 1
        specs = [each.find_spec(name, path, target) for each in sys.meta_path if each is not self]
        return next(filter(None, specs), None) or importlib.util.spec_from_loader(name, self)

    def exec_module(self, module):
        module.value = "other"


@pytest.mark.parametrize("position", [0, 1, None])
def test_finders_of_others_keep_working(monkeypatch, position):
    _serve("missing_module", "served")
    finder.call_after(
        ["missing_module"], lambda module: vars(module).update(changed=True), reason="a test"
    )
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    other = _Other("missing_module")
    sys.meta_path.insert(len(sys.meta_path) if position is None else position, other)
    module = importlib.import_module("missing_module")
    assert (module.value, module.changed) == ("served" if position == 0 else "other", True)
    assert other.asked == 1


@pytest.mark.slow
def test_threads_import_and_enter_at_the_same_time(folder):
    """All threads begin at once; each module is changed before any thread has it, and each
    function is called once.
    """
    names, changed, wrong = [f"module_{number}" for number in range(20)], [], []
    for name in names:
        (folder / (name + ".py")).write_text("import time\ntime.sleep(0.001)\n")
        finder.call_after(
            [name],
            lambda module: (changed.append(module.__name__), setattr(module, "ready", 1)),
            reason="a test",
        )

    def work(number):
        for name in names[number:] + names[:number]:
            _serve(f"served_{number}_{name}", number)
            if not (importlib.util.find_spec(name) and importlib.import_module(name).ready == 1):
                wrong.append(name)
            if importlib.import_module(f"served_{number}_{name}").value != number:
                wrong.append(number)

    together(*[functools.partial(work, number) for number in range(8)])
    assert wrong == [] and sorted(changed) == sorted(names)
    assert all(isinstance(sys.modules[name], types.ModuleType) for name in names)


def test_what_tf1grad_imports_for_itself_is_not_the_programs(folder):
    (folder / "some_module.py").write_text("")
    calls = []
    finder.call_before(["some_module"], lambda name: calls.append(name), reason="a test")
    own = f"{ownership.TF1GRAD}/programs/period/layer.py"
    exec(compile("import some_module", own, "exec"), {})
    del sys.modules["some_module"]
    assert calls == []
    exec(compile("import some_module", str(folder / "train.py"), "exec"), {})
    assert calls == ["some_module"]

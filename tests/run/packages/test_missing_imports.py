"""Tests for which imports `run` brings a missing package."""

import importlib.machinery
import linecache
import sys

import pytest

from tf1grad.programs.process import finder, ownership, patches
from tf1grad.run.packages import imported, missing_imports

TEXT = """import PIL
try:
    import PIL
    read("a.png")
    importlib.import_module("PIL")
except ImportError:
    import PIL
"""


@pytest.mark.parametrize("is_cell", [False, True])
def test_a_call_in_a_try_needs_a_package_and_an_import_in_one_does_not(
    tmp_path, monkeypatch, is_cell
):
    file = str(tmp_path / "train.py")
    if is_cell:
        file += ":cell 1"
        lines = TEXT.splitlines(True)
        monkeypatch.setitem(linecache.cache, file, (len(TEXT), None, lines, file))
    else:
        (tmp_path / "train.py").write_text(TEXT)
    monkeypatch.setattr(ownership, "is_installed_file", lambda path: False)
    needed = []
    for line in range(1, 8):
        monkeypatch.setattr(ownership, "place_of_asker", lambda: (file, line))
        if missing_imports._is_needed("PIL"):
            needed.append(line)
    assert needed == [1, 2, 4, 6]


def test_code_without_a_file_brings_nothing(monkeypatch):
    monkeypatch.setattr(ownership, "is_installed_file", lambda path: False)
    monkeypatch.setattr(ownership, "place_of_asker", lambda: ("<nowhere>", 1))
    assert not missing_imports._is_needed("PIL")


def test_a_run_that_may_not_fetch_names_what_forbids_it(monkeypatch):
    """The register has the reason of the import hook with a word before it."""
    monkeypatch.setattr(missing_imports.ownership, "is_users_file", lambda path: True)
    monkeypatch.setattr(missing_imports.known_modules, "package_of_module", lambda module: "odd")
    before = len(patches.changes())
    finder.call_before(["stranger"], lambda name: None, reason=missing_imports.BRINGS)
    try:
        with pytest.raises(ModuleNotFoundError) as raised:
            exec(compile("import stranger", "train.py", "exec"))
        told = missing_imports.advise(raised.value)
    finally:
        patches.undo(before)
    assert told.startswith(
        "stranger is not installed. `tf1grad run` brings odd unless TF1GRAD_OFFLINE or"
    )


def test_the_program_itself_is_not_missing(tmp_path):
    train = tmp_path / "train.py"
    train.write_text("import __main__\nimport stranger\n")
    assert [each.module for each in imported.find_missing(str(train), set())] == ["stranger"]


def test_what_the_period_layer_brings_is_not_missing(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", [])
    train = tmp_path / "train.py"
    train.write_text("import astor, keras, keras_applications, keras_preprocessing, stranger\n")
    assert [each.module for each in imported.find_missing(str(train), set())] == ["stranger"]


def test_a_module_that_a_finder_of_an_editable_install_finds_is_not_missing(tmp_path, monkeypatch):
    class Finder:
        @staticmethod
        def find_spec(name, path=None, target=None):
            return importlib.machinery.ModuleSpec(name, None) if name == "editable" else None

    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder])
    train = tmp_path / "train.py"
    train.write_text("import editable, stranger\n")
    assert [each.module for each in imported.find_missing(str(train), set())] == ["stranger"]


def test_what_run_serves_is_not_missing(tmp_path, monkeypatch):
    (tmp_path / "setuptools" / "_distutils").mkdir(parents=True)
    (tmp_path / "setuptools" / "_distutils" / "__init__.py").write_text("")
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    train = tmp_path / "program" / "train.py"
    train.parent.mkdir()
    train.write_text("import cPickle, imp, distutils.version, stranger\n")
    assert [each.module for each in imported.find_missing(str(train), set())] == ["stranger"]
    monkeypatch.setattr(sys, "path", [])
    found = [each.module for each in imported.find_missing(str(train), set())]
    is_dropped = sys.version_info >= (3, 12)
    assert found == ["distutils"] * is_dropped + ["stranger"]


@pytest.mark.skipif(sys.version_info < (3, 13), reason="this Python has the modules")
def test_modules_that_python_dropped_are_no_strangers(monkeypatch):
    monkeypatch.setattr(missing_imports.ownership, "is_users_file", lambda path: True)
    sentences = {}
    for module in ("formatter", "imghdr", "stranger"):
        try:
            exec(compile(f"import {module}", "train.py", "exec"))
        except ModuleNotFoundError as error:
            sentences[module] = missing_imports.advise(error)
    assert "3.10.html says what to use" in sentences["formatter"]
    assert "standard-imghdr" in sentences["imghdr"]
    assert "such as `stranger`" in sentences["stranger"]


def test_doctor_and_run_say_the_same_of_a_module_that_python_dropped():
    remedy = "and Python dropped it. docs.python.org/3/whatsnew/3.13.html says what to use."
    assert missing_imports.advise_on_dropped("telnetlib") == f"telnetlib is imported, {remedy}"
    placed = missing_imports.advise_on_dropped("telnetlib", "train.py, line 3")
    assert placed == f"telnetlib is imported (train.py, line 3), {remedy}"
    assert missing_imports.advise_on_dropped("numpy") is None

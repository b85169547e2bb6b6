"""Tests which package is named where one needs a newer NumPy than the period layer's."""

import importlib
import sys

import numpy
import pytest

from tf1grad.programs.period import layer, numpy_version_errors
from tf1grad.programs.process import messages, ownership


@pytest.fixture
def told(tmp_path, monkeypatch, capsys):
    """Returns a function that gives what is said of the error of `train.py`, which imports the
    package `outer`, which imports `inner`.
    """
    packages = tmp_path / "site-packages"
    monkeypatch.syspath_prepend(str(packages))
    monkeypatch.syspath_prepend(str(tmp_path / "here"))
    monkeypatch.setattr(layer, "is_in_front", lambda module: module is numpy)
    monkeypatch.setattr(messages, "said", set())
    monkeypatch.setattr(
        ownership, "_files", ownership.Files([], str(tmp_path / "here"), [str(tmp_path / "served")])
    )

    def told(**texts):
        names = {"train": "here/train.py", "outer": "site-packages/outer/__init__.py"}
        for name, text in texts.items():
            path = tmp_path / names.get(name, f"site-packages/{name}/__init__.py")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        with pytest.raises((ArithmeticError, *numpy_version_errors.ERRORS)) as found:
            importlib.import_module("train")
        numpy_version_errors.warn_of(found.value)
        numpy_version_errors.warn_of(found.value)
        return capsys.readouterr().err

    yield told
    for name in ("train", "outer", "inner"):
        sys.modules.pop(name, None)


NEWER = "import numpy; numpy.of_a_later_release"
WORDS = f"tf1grad: {{}} needs another NumPy than {numpy.__version__}, which the program has."


def test_the_package_whose_code_refuses_the_name_is_named_once(told):
    said = told(train="import outer", outer="import inner", inner=NEWER)
    assert said.startswith(WORDS.format("inner")) and said.count("tf1grad: ") == 1


def test_the_package_is_found_behind_an_error_of_the_program(told):
    program = (
        "try:\n    import outer\nexcept AttributeError as e:\n    raise ImportError('no') from e"
    )
    assert told(train=program, outer=NEWER).startswith(WORDS.format("outer"))


@pytest.mark.parametrize(
    "texts",
    [
        {"train": NEWER},
        {"train": "import outer", "outer": "import math; math.of_a_later_release"},
        {"train": "import outer", "outer": "raise ZeroDivisionError('numpy>=2')"},
    ],
    ids=["the program itself", "another library", "another error"],
)
def test_nothing_is_said_of(told, texts):
    assert told(**texts) == ""


def test_nothing_is_said_of_the_installed_numpy(told, monkeypatch):
    monkeypatch.setattr(layer, "is_in_front", lambda module: False)
    assert told(train="import outer", outer=NEWER) == ""

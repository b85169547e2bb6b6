"""Tests that a library of custom ops that cannot be loaded is told how to be built,
once, with its error.
"""

import sys
import types

import pytest

from tf1grad.programs.process import messages, patches
from tf1grad.run.view import custom_ops


def _load(file):
    raise OSError(f"{file}: cannot open libcudart.so.9.0")


@pytest.fixture
def loader(monkeypatch):
    """A module in the place of TensorFlow's, whose function loads nothing."""
    module = types.ModuleType("toy_loader")
    module.load_op_library = _load
    monkeypatch.setitem(sys.modules, "toy_loader", module)
    monkeypatch.setattr(custom_ops, "_FUNCTION", "toy_loader:load_op_library")
    monkeypatch.setattr(messages, "said", set())
    before = len(patches.changes())
    custom_ops.install()
    yield module
    patches.undo(before)


def test_the_error_stays_and_comes_with_advice(loader, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        with pytest.raises(OSError, match="own.so: cannot open libcudart"):
            loader.load_op_library("own.so")
    said = capsys.readouterr().err
    assert said.count("own.so is a library of custom ops, and is not there.") == 1
    assert "It needs libcudart.so.9.0, and its CUDA sources nvcc." in said


def test_cuda_is_not_told_where_it_is_not_missing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "CUDA" not in custom_ops.advise("own.so", "undefined symbol: _ZN10tensorflow")


@pytest.mark.parametrize(
    "linked, expected",
    [
        (b"libtensorflow_framework.so.1", "was built against TensorFlow 1."),
        (b"libtensorflow_framework.so.2", "this TensorFlow cannot load it."),
        (b"libtensorflow_framework.so", "this TensorFlow cannot load it."),
    ],
)
def test_a_library_is_of_version_1_if_it_is_linked_with_it(tmp_path, monkeypatch, linked, expected):
    """A library names those that it is linked with in its text, between zeros."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.so").write_bytes(b"\x7fELF\0libc.so.6\0" + linked + b"\0")
    said = custom_ops.advise("own.so", "undefined symbol: _ZN10tensorflow")
    assert said.startswith("own.so is a library of custom ops") and expected in said

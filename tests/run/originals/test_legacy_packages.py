"""Tests which modules of Keras 2 stand where packages of its time import them."""

import importlib
import sys

import pytest

from tf1grad.programs import _compat
from tf1grad.programs.process import patches
from tf1grad.run.originals import legacy_packages

IS_THERE = _compat.is_installed("tf_keras") or (2, 13) <= (
    _compat.installed_release("keras") or (0,)
) < (3,)
pytestmark = pytest.mark.skipif(
    not IS_THERE, reason="needs tf_keras, or Keras 2.13 or newer before 3"
)


@pytest.fixture
def prepared(monkeypatch):
    monkeypatch.setenv("TF_USE_LEGACY_KERAS", "1")
    before, kept = len(patches.changes()), set(sys.modules)
    legacy_packages.prepare()
    yield
    patches.undo(before)
    for name in set(sys.modules) - kept:
        if sys.modules[name].__name__ != name and name.startswith("tf_keras"):  # it was served
            del sys.modules[name]


def test_layers_are_those_that_keras_2_has_among_its_sources(prepared):
    package = "tf_keras" if _compat.is_installed("tf_keras") else "keras"
    keras = importlib.import_module(package)
    assert keras.__version__.startswith("2.")
    for name in ("", ".core", ".normalization"):
        found = importlib.import_module(f"tf_keras.legacy_tf_layers{name}")
        assert found is importlib.import_module(f"{package}.src.legacy_tf_layers{name}")
    assert issubclass(found.BatchNormalization, keras.layers.Layer)
    assert importlib.import_module("tf_keras") is keras

"""Tests what another thread gets that imports TensorFlow while it is prepared."""

import builtins
import sys
import threading
import types

import pytest

from tf1grad.programs.process import patches
from tf1grad.run.start import tensorflow_imports


@pytest.fixture
def as_before():
    """Undoes what a test changes."""
    before = len(patches.changes())
    yield
    patches.undo(before)


def _start(name, found):
    """Imports a module in another thread, which adds it to a list."""
    thread = threading.Thread(target=lambda: found.append(builtins.__import__(name)), daemon=True)
    thread.start()
    return thread


def test_another_thread_waits_and_gets_what_was_prepared(as_before, monkeypatch):
    prepared, found, others = types.ModuleType("tensorflow"), [], []
    with tensorflow_imports.while_others_wait():
        thread = _start("tensorflow", found)
        _start("json", others).join(20)
        assert others == [sys.modules["json"]]
        builtins.__import__("tensorflow")  # the thread that prepares it does not wait
        thread.join(0.1)
        assert thread.is_alive() and not found
        monkeypatch.setitem(sys.modules, "tensorflow", prepared)
    thread.join(20)
    assert found == [prepared]

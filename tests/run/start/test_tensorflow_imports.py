"""Tests what another thread gets that imports TensorFlow while it is prepared,
and what garbage collections see of it.
"""

import builtins
import gc
import sys
import threading
import types
import weakref

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


class _Cycle:
    """Makes an object that only a garbage collection frees."""

    def __init__(self):
        self.itself = self


def test_garbage_of_the_program_is_collected_before_the_rest_stays_for_good(monkeypatch):
    calls = []
    monkeypatch.setattr(gc, "freeze", lambda: calls.append(gc.isenabled()))
    gc.disable()
    try:
        garbage = weakref.ref(_Cycle())
        assert garbage() is not None
    finally:
        gc.enable()
    with tensorflow_imports._without_collections():
        assert garbage() is None and not gc.isenabled()
    assert calls == [False] and gc.isenabled()

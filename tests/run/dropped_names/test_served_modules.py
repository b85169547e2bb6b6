"""Tests what the register of changes says of a module that is changed."""

import types

import pytest

from tf1grad.programs.process import patches
from tf1grad.run.dropped_names import served_modules


@pytest.fixture
def toy():
    """Returns a module with a function; takes the changes of the test back."""
    before = len(patches.changes())
    module = types.ModuleType("toy")
    module.double = lambda x: 2 * x
    yield module
    patches.undo(before)


def _explained(before):
    """Returns what `--explain` says of the changes since then."""
    return [change.what for change in patches.changes()[before:] if change.reason]


def _doubled(double, x=None, old=None):
    return double(old if x is None else x)


@pytest.mark.parametrize("kind", ["calls", "patch", "neither"])
def test_changed_calls_of_a_module_are_one_entry_in_the_register(toy, monkeypatch, kind):
    def patch(module):
        patches.wrap(module, "double", _doubled, reason="")

    if kind == "calls":
        calls = (("toy", "double", _doubled), ("another", "double", _doubled))
        monkeypatch.setattr(served_modules, "CALLS", calls)
    elif kind == "patch":
        monkeypatch.setitem(served_modules.PATCHES, "toy", patch)
    before = len(patches.changes())
    served_modules._change(toy)
    if kind == "neither":
        assert _explained(before) == [] and toy.double(4) == 8
    else:
        assert _explained(before) == ["calls of toy"] and toy.double(old=4) == 8

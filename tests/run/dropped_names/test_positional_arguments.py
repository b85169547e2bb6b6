"""Tests that keyword-only arguments are taken by position, in the order of the definition."""

import functools
import inspect
import sys
import types

import pytest

from tf1grad.programs.process import patches
from tf1grad.run.dropped_names import positional_arguments

pytestmark = pytest.mark.skipif(sys.version_info < (3, 8), reason="Python 3.7 cannot change it")


def _wrapped(function):
    @functools.wraps(function)
    def call(*arguments, **options):
        return function(*arguments, **options)

    return call


@pytest.fixture
def module(monkeypatch):
    """Returns a module with functions and a class, which is changed;
    at the end the change is undone.
    """

    def split(n, shuffle=False, *, seed=None, size=1):
        return n, shuffle, seed, size

    def many(*values, seed=None):
        return values, seed

    def required(n, *, seed):
        return n, seed

    class Model:
        def __init__(self, penalty="l2", *, scale=1.0):
            self.given = penalty, scale

    found = types.ModuleType("found")
    vars(found).update(split=split, many=many, required=required, Model=Model)
    found.checked = _wrapped(lambda n, *, seed=0: (n, seed))
    before = len(patches.changes())
    positional_arguments.patch(found)
    yield found
    patches.undo(before)
    with pytest.raises(TypeError):
        split(1, True, 2)


def test_keyword_only_arguments_are_taken_by_position(module):
    assert module.split(5) == (5, False, None, 1)
    assert module.split(5, True, 3, 0.2) == (5, True, 3, 0.2)
    assert module.split(5, size=0.2, seed=3) == (5, False, 3, 0.2)
    assert module.Model("l1", 2.0).given == ("l1", 2.0)
    assert module.checked(1, 2) == (1, 2)
    assert list(inspect.signature(module.split).parameters) == ["n", "shuffle", "seed", "size"]


def test_other_functions_stay(module):
    assert module.many(1, 2, seed=3) == ((1, 2), 3)
    with pytest.raises(TypeError):
        module.required(1, 2)

"""Tests that the annotations of the public names are types, on every Python; tests/typing has what they forbid."""

import ast
import inspect
import os
import typing

import pytest

import tf1grad
from paths import ROOT


def _functions(name):
    value = getattr(tf1grad, name)
    if not inspect.isclass(value):
        return [value]
    return [function for name, function in vars(value).items() if inspect.isfunction(function)
            and (name in ("__init__", "__call__") or not name.startswith("_"))
            and value.__module__ == function.__module__]


# What sessions and optimizers of TensorFlow define, which say of it no more than TensorFlow does.
OF_TENSORFLOW = {"begin", "after_create_session", "before_run", "after_run", "end", "get_slot", "get_slot_names",
                 "variables", "compute_gradients", "get_name"}


@pytest.mark.parametrize("name", tf1grad.__all__)
def test_annotations_are_types(name):
    for function in _functions(name):
        if function.__name__ in OF_TENSORFLOW:
            continue
        types = typing.get_type_hints(function)
        arguments = [argument for argument in inspect.signature(function).parameters if argument != "self"]
        assert set(types) == set(arguments) | {"return"}, function


@pytest.mark.parametrize("file", ["calls.py", "mistakes.py"])
def test_every_name_is_shown_to_the_checker(file):
    with open(os.path.join(ROOT, "tests", "typing", file), encoding="utf-8") as text:
        tree = ast.parse(text.read())
    used = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name) and node.value.id == "tf1grad"}
    assert set(tf1grad.__all__) <= used

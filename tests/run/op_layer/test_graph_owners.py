"""Tests how the user's graphs are told from those of libraries, in this process."""

import os
import types

import pytest
import tensorflow.compat.v1 as tf

from tf1grad._compat import VERSION
from tf1grad.programs.process import ownership, patches

pytestmark = pytest.mark.skipif(VERSION < (2,), reason="TensorFlow 1 has one op layer")


def test_no_graph_is_the_users_under_eager_execution(monkeypatch, graph):
    from tensorflow.python.eager import context

    from tf1grad.run.op_layer import graph_owners

    other = tf.Graph()
    monkeypatch.setattr(ownership, "_library_graphs", {other})
    assert graph_owners.is_users() is graph_owners.is_users(graph) is True
    assert graph_owners.is_users(other) is False
    with other.as_default():
        assert graph_owners.is_users() is False and graph_owners.is_users(graph) is True
    with context.eager_mode():
        assert graph_owners.is_users() is False and graph_owners.is_users(graph) is True


def test_a_function_is_chosen_by_the_graph_or_by_the_arguments(monkeypatch, graph):
    from tf1grad.run.op_layer import graph_owners

    other = tf.Graph()
    monkeypatch.setattr(ownership, "_library_graphs", {other})
    by_graph = graph_owners.either(lambda x: ("1.15", x))
    asked = graph_owners.either(lambda x: ("1.15", x), lambda x: x > 1)
    installed = lambda x: ("installed", x)  # noqa: E731
    assert by_graph(installed, 1) == ("1.15", 1)
    assert [asked(installed, 1), asked(installed, x=2)] == [("installed", 1), ("1.15", 2)]
    with other.as_default():
        assert by_graph(installed, 1) == ("installed", 1)
        assert asked(installed, 2) == ("1.15", 2)


def test_a_graph_belongs_to_the_code_that_makes_it(monkeypatch, tmp_path):
    from tf1grad.run.op_layer import graph_owners

    monkeypatch.setattr(ownership, "_files", ownership.Files(script_folder=str(tmp_path)))
    before = len(patches.changes())
    graph_owners.install()
    try:
        made = {}
        library = os.path.dirname(os.path.dirname(pytest.__file__))
        for folder in (str(tmp_path), library):
            module = types.ModuleType("toy")
            module.__file__ = os.path.join(folder, "toy.py")
            module.tf = tf
            code = "def make():\n    return tf.Graph()\n"
            exec(compile(code, module.__file__, "exec"), vars(module))
            made[folder] = module.make()
            assert made[folder].get_operations() == []
    finally:
        patches.undo(before)
    assert [graph_owners.is_users(each) for each in made.values()] == [True, False]

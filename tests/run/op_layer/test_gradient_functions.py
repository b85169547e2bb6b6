"""Tests which gradient function an op gets, in this process, over a registry of its own."""

import types

import pytest
import tensorflow.compat.v1 as tf

from tf1grad._compat import VERSION
from tf1grad.programs import _compat
from tf1grad.programs.process import ownership

pytestmark = pytest.mark.skipif(VERSION < (2,), reason="TensorFlow 1 has its own functions")


@pytest.fixture
def registry(monkeypatch):
    """Returns the registry of the functions below: an op type that has one, and one without."""
    functions = {"Known": lambda op, gradient: ["installed"], "Constant": None}
    monkeypatch.setattr(_compat, "registered_gradients", lambda: set(functions))
    monkeypatch.setattr(_compat, "register_gradient", functions.__setitem__)
    monkeypatch.setattr(
        _compat,
        "replace_gradients",
        lambda rows: functions.update({key: row(functions[key]) for key, row in rows.items()}),
    )
    return functions


def _activate(monkeypatch, is_active):
    from tf1grad.run import op_layer

    monkeypatch.setattr(op_layer, "_active", is_active)


def _double(op, gradient):
    return ["1.15"]


def test_an_op_without_a_function_gets_that_of_1_15(registry, monkeypatch):
    from tf1grad.run.op_layer import gradient_functions

    _activate(monkeypatch, False)
    assert gradient_functions.RegisterGradient("New")(_double) is _double
    gradient_functions.not_differentiable("NewConstant")
    before = dict(registry)
    assert before["New"] is _double and before["NewConstant"] is None
    gradient_functions.RegisterGradient("Known")(_double)
    assert registry == before


def test_with_the_op_layer_the_graph_of_the_op_decides(registry, monkeypatch):
    from tf1grad.run.op_layer import gradient_functions

    _activate(monkeypatch, True)
    users, librarys = tf.Graph(), tf.Graph()
    monkeypatch.setattr(ownership, "_library_graphs", {librarys})
    gradient_functions.RegisterGradient("Known")(_double)
    gradient_functions.RegisterGradient("Constant")(_double)
    gradient_functions.register("Constant 2", _double)
    of_users, of_library = (
        types.SimpleNamespace(graph=graph, inputs=[1, 2]) for graph in (users, librarys)
    )
    with librarys.as_default():
        assert registry["Known"](of_users, 1.0) == ["1.15"]
        assert registry["Known"](of_library, 1.0) == ["installed"]
        assert registry["Known"](types.SimpleNamespace(inputs=[1, 2]), 1.0) == ["installed"]
        assert registry["Constant"](of_users, 1.0) == ["1.15"]
        assert registry["Constant"](of_library, 1.0) == [None, None]


def test_an_op_that_neither_can_differentiate_stays_so(registry, monkeypatch):
    from tf1grad.run.op_layer import gradient_functions

    _activate(monkeypatch, True)
    gradient_functions.not_differentiable("Constant")
    assert registry["Constant"] is None
    gradient_functions.not_differentiable("Known")
    operation = types.SimpleNamespace(graph=tf.Graph(), inputs=[1, 2, 3])
    assert registry["Known"](operation, 1.0) == [None, None, None]

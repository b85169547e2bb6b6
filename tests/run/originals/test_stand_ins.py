"""Tests single stand-ins for names of TensorFlow 1.15's modules, in this process."""

import functools
import inspect
import types
import unittest

import pytest
import tensorflow.compat.v1 as tf

pytestmark = [
    pytest.mark.period,
    pytest.mark.skipif(tf.__version__.startswith("1."), reason="TensorFlow 1 has the names itself"),
]


def test_the_rank_of_a_tensor_is_its_static_one(graph):
    from tf1grad.run.originals import shims

    assert shims.rank(tf.zeros([2, 3])) == 2
    assert shims.rank(tf.placeholder(tf.float32)) is None and shims.rank([1]) is None


@pytest.mark.parametrize("of_scope", [True, False])
@pytest.mark.parametrize("given", [None, True, False])
def test_the_scope_says_which_kind_a_variable_is_unless_the_call_does(graph, of_scope, given):
    from tf1grad.run.originals import shims

    with tf.variable_scope("scope", use_resource=of_scope):
        found = [shims.variable(1.0, use_resource=given)]
        found += [shims.variable(1.0)] * (given is None)
    is_resource = of_scope if given is None else given
    expected = "VarHandleOp" if is_resource else "VariableV2"
    assert {variable.op.type for variable in found} == {expected}


def test_annotations_are_removed_from_a_function_and_from_what_wraps_it():
    from tf1grad.run.originals import former_signatures

    def inner(x: int, y: str = "a") -> int:
        return x

    @functools.wraps(inner)
    def outer(*arguments):
        return inner(*arguments)

    outer.__signature__ = inspect.signature(inner)
    former_signatures.remove_annotations(outer)
    assert str(inspect.signature(outer)) == str(inspect.signature(inner)) == "(x, y='a')"


@pytest.mark.parametrize(
    "module, expected",
    [("tensorflow.toy", "(x)"), ("tf1grad.toy", "(x)"), ("toy", "(x: int) -> int")],
)
def test_functions_of_tensorflow_alone_lose_their_annotations(module, expected):
    from tf1grad.run.originals import former_signatures

    def function(x: int) -> int:
        return x

    function.__module__ = module
    assert former_signatures.of(function) is function
    assert str(inspect.signature(function)) == expected
    assert former_signatures.of(tf.Graph) is tf.Graph and former_signatures.of(1) == 1


@pytest.mark.parametrize("has_arguments", [False, True])
def test_a_test_in_both_modes_runs_in_a_graph_and_eagerly(has_arguments):
    from tf1grad.run.originals import shims

    found = []

    def method(self):
        found.append(tf.executing_eagerly())

    decorate = shims.run_in_graph_and_eager_modes
    decorated = decorate(reset_test=False)(method) if has_arguments else decorate(method)

    class Toy(tf.test.TestCase):
        test_it = decorated

    result = unittest.TestResult()
    Toy("test_it").run(result)
    assert result.wasSuccessful(), result.errors + result.failures
    assert sorted(found) == [False, True]


def test_a_class_is_pickled_by_its_name_if_it_is_the_one_of_1_15(monkeypatch):
    from tf1grad.run.originals import loader, pickling

    module = "tensorflow.python.toy"
    of_1_15, installed, gone = (
        type(name, (), {"__module__": module}) for name in ("State", "State", "Gone")
    )
    monkeypatch.setattr(loader, "is_original", lambda name: name == module)
    monkeypatch.setattr(loader, "module", lambda path: types.SimpleNamespace(State=of_1_15))
    reduce = pickling._reducer()
    assert reduce(None, of_1_15) == (pickling.load_class, (module, "State"))
    assert {reduce(None, each) for each in (installed, gone, tf.Graph, 1)} == {NotImplemented}
    assert pickling._reducer(lambda pickler, value: value)(None, gone) is gone

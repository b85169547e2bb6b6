"""Tests single stand-ins of the op layer, in this process, and 1.15's modules that use them."""

import types

import pytest
import tensorflow.compat.v1 as tf

from script_folder import output_of
from tf1grad._compat import VERSION

of_tensorflow_2 = pytest.mark.skipif(VERSION < (2,), reason="TensorFlow 1 has the names itself")


@pytest.fixture
def shims():
    from tf1grad.run.op_layer import shims

    return shims


@of_tensorflow_2
def test_a_common_shape_is_compatible_with_both(shims):
    assert shims.common_shape(None, None) is None
    assert shims.common_shape([2, 3], [2, 4]).as_list() == [2, None]
    for pair in ([None, [2]], [[2], None]):
        with pytest.raises(RuntimeError, match="only one of the two is known"):
            shims.common_shape(*pair)


@of_tensorflow_2
def test_resources_are_anonymous_under_eager_execution_alone(shims):
    from tensorflow.python.eager import context

    assert (shims.shared_name(), shims.shared_name("a")) == ("", "a")
    with context.eager_mode():
        assert shims.shared_name("a") == "a"
        assert shims.shared_name() == context.anonymous_name()


@of_tensorflow_2
def test_devices_are_those_of_a_session(shims, session):
    assert [each[-5:] for each in shims.list_devices()] == [
        each.name[-5:] for each in session.list_devices()
    ]


@of_tensorflow_2
def test_variables_have_no_type_of_their_parts(shims, graph):
    assert shims.type_spec_from_value(None) is None
    assert shims.type_spec_from_value(tf.Variable(1.0, use_resource=False)) is None
    spec = shims.type_spec_from_value(tf.SparseTensor([[0]], [1.0], [3]))
    assert spec == tf.SparseTensorSpec([3], tf.float32)


@of_tensorflow_2
def test_the_name_of_a_symbol_is_its_own(shims):
    assert shims.canonical_name(tf.add_n, api_name="keras") == "add_n"
    assert shims.IS_ROCM_BUILD == tf.test.is_built_with_rocm()


@of_tensorflow_2
def test_conversions_are_registered_for_classes_of_1_15_alone(shims, monkeypatch, session):
    from tf1grad.run.originals import loader

    class Original:
        pass

    class Installed:
        pass

    class Also:
        pass

    Original.__module__ = Also.__module__ = "tensorflow.python.toy"
    monkeypatch.setattr(loader, "is_original", lambda name: name == "tensorflow.python.toy")

    def convert(value, dtype=None, name=None, as_ref=False):
        return tf.constant(7.0)

    shims.register_tensor_conversion_function((Original, Installed, None), convert)
    shims.register_tensor_conversion_function(Also, convert)
    shims.register_tensor_conversion_function(Installed, convert)
    for cls in (Original, Also):
        assert session.run(tf.convert_to_tensor(cls())) == 7.0
    with pytest.raises((TypeError, ValueError)):
        tf.convert_to_tensor(Installed())


@of_tensorflow_2
def test_the_registrations_of_linear_operators_are_loaded_at_the_first_lookup(shims, monkeypatch):
    from tf1grad.run.originals import loader

    loaded = []
    monkeypatch.setattr(loader, "module", loaded.append)
    algebra = types.SimpleNamespace(_registered_function=lambda *types: types)
    shims.register_linear_operators(algebra)
    assert loaded == []
    assert algebra._registered_function(int, str) == (int, str)
    assert loaded == ["python.ops.linalg.linalg"]


@of_tensorflow_2
def test_distributed_variables_have_the_graph_element_of_the_variable(shims):
    original = types.SimpleNamespace(AutoCastDistributedVariable=type("Distributed", (), {}))
    shims.complete_distributed_variables(original)
    made = original.AutoCastDistributedVariable()
    made._variable = types.SimpleNamespace(_as_graph_element=lambda: "element")
    assert made._as_graph_element() == "element"


@of_tensorflow_2
def test_a_registered_function_is_in_the_graph_and_not_called(shims, graph):
    function = tf.function(lambda x: x * x)
    concrete = shims.register_function(function, tf.TensorSpec([], tf.float32))
    assert [each.name for each in concrete.inputs] == ["x:0"]
    names = {each.signature.name for each in graph.as_graph_def().library.function}
    assert any(name.startswith("__inference_") for name in names)
    assert any("__forward_" in name for name in names)
    assert any("__backward_" in name for name in names)
    assert not any("Call" in op.type for op in graph.get_operations())


@pytest.mark.period(on_1_15=True)
def test_linear_operators_find_the_functions_of_their_pairs(tmp_path):
    """1.15.5 prints the same."""
    script = """
    first, second = tf.linalg.LinearOperatorDiag([1.0, 2.0]), tf.linalg.LinearOperatorIdentity(2)
    print(type(first.matmul(second)).__name__, type(first.inverse()).__name__)
    with tf.Session() as session:
        print(session.run(first.matmul(second).to_dense()).tolist())
    """
    assert output_of(script, tmp_path).splitlines() == [
        "LinearOperatorDiag LinearOperatorDiag",
        "[[1.0, 0.0], [0.0, 2.0]]",
    ]

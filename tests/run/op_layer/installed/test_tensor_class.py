"""Tests that `tf.Tensor` is the class of the tensors of graphs, and of all others."""

import pytest

from script_folder import output_of

pytestmark = pytest.mark.period(on_1_15=True)


def test_tensors_of_graphs_are_of_the_class_tensor(tmp_path):
    """1.15.5 prints the same."""
    script = """
    x = tf.constant([1.0])
    print(type(x) is tf.Tensor, isinstance(x, tf.Tensor), isinstance(1, tf.Tensor))
    print(issubclass(type(x), tf.Tensor), issubclass(int, tf.Tensor), tf.Tensor.__name__)
    print(isinstance(tf.get_variable("v", [2]), tf.Tensor), isinstance(tf.SparseTensor([[0]], [1.0], [1]), tf.Tensor))

    class Named(tf.Tensor):
        pass

    print(isinstance(x, Named), issubclass(Named, tf.Tensor), issubclass(tf.Tensor, Named))
    tf.Tensor.added = lambda tensor: tensor.name
    Named.own = 1
    print(x.added(), tf.identity(x).added(), hasattr(x, "own"))
    del tf.Tensor.added
    print(hasattr(x, "added"))
    again = tf.Tensor(x.op, 0, tf.float32)
    print(again.name, again.shape, type(again) is tf.Tensor)
    data = tf.data.Dataset.range(2)
    print(data.output_classes is tf.Tensor)
    """
    assert output_of(script, tmp_path).splitlines() == [
        "True True False",
        "True False Tensor",
        "False False",
        "False True False",
        "Const:0 Identity:0 False",
        "False",
        "Const:0 (1,) True",
        "True",
    ]


def test_an_operation_is_made_from_a_description(tmp_path):
    """1.15.5 prints the same."""
    script = """
    graph = tf.get_default_graph()
    x = tf.constant(2.0)
    description = x.op.node_def
    description = type(description)()
    description.CopyFrom(tf.identity(x, name="first").op.node_def)
    description.name = "made"
    operation = tf.Operation(description, graph, [x], [tf.float32])
    print(operation.type, operation.name, [type(each) is tf.Tensor for each in operation.outputs])
    with tf.Session() as session:
        print(session.run(operation.outputs[0]))
    """
    assert output_of(script, tmp_path).splitlines() == ["Identity made [True]", "2.0"]


@pytest.mark.period
def test_eager_tensors_are_instances(tmp_path):
    script = """
    tf.enable_eager_execution()
    x = tf.constant([1.0])
    print(isinstance(x, tf.Tensor), issubclass(type(x), tf.Tensor), type(x) is tf.Tensor)
    """
    assert output_of(script, tmp_path) == "True True False\n"

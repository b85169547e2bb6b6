"""Tests the parts of `tf.contrib` that copy ops; the expected names and values are TensorFlow 1.15.5's."""


import pytest

from script_folder import values_of

pytestmark = pytest.mark.period

SCRIPT = """
from tensorflow.contrib import copy_graph, graph_editor

def names(graph, before=0):
    return [each.name for each in graph.get_operations()[before:]]

weight = tf.get_variable("weight", initializer=3.0)
first, second = tf.constant(2.0, name="first"), tf.constant(5.0, name="second")
loss = tf.square(first * weight, name="loss")
graph = tf.get_default_graph()
before = len(graph.get_operations())
replaced = graph_editor.graph_replace(loss, {first: second})  # as unrolled steps of a GAN do
gradient, = tf.gradients(replaced, weight)
scoped, _ = graph_editor.copy_with_input_replacements([loss.op], {loss.op.inputs[0]: second}, dst_scope="copied")
copied = names(graph, before)
other = tf.Graph()
elsewhere = copy_graph.copy_op_to_graph(loss, other, [copy_graph.copy_variable_to_graph(weight, other)])
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    values = session.run([loss, replaced, gradient.op._outputs[0], scoped.outputs[0]])  # libraries read the list
with tf.Session(graph=other) as session:
    session.run(other.get_collection("variables")[0].initializer)
    values.append(session.run(elsewhere))
print(json.dumps([copied, names(other), [float(value) for value in values]]))
"""


def test_copies_of_ops(tmp_path):
    """Tests `graph_replace` with a gradient through the copy, a copy in a scope, and one in another graph."""
    copied, elsewhere, values = values_of(SCRIPT, tmp_path)
    assert copied == [
        "mul_1", "loss_1", "gradients/Shape", "gradients/grad_ys_0", "gradients/Fill", "gradients/loss_1_grad/Const",
        "gradients/loss_1_grad/Mul", "gradients/loss_1_grad/Mul_1", "gradients/mul_1_grad/Mul",
        "gradients/mul_1_grad/Mul_1", "copied/loss"]
    assert elsewhere == ["weight/initial_value", "weight", "weight/Assign", "weight/read", "first", "mul", "loss"]
    assert values == [36.0, 225.0, 150.0, 25.0, 36.0]

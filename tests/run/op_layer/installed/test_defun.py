"""Tests `defun` in this process: functions that may make variables in each trace."""

import pytest
import tensorflow.compat.v1 as tf

from tf1grad._compat import VERSION

pytestmark = pytest.mark.skipif(VERSION < (2,), reason="TensorFlow 1 has its own functions")


@pytest.fixture
def defun():
    from tf1grad.run.op_layer.installed import defun

    return defun


def test_a_function_is_traced_once_for_each_kind_of_arguments(defun, session):
    traced = []

    @defun.defun
    def square(x):
        traced.append(x.dtype)
        return x * x

    found = [square(tf.constant(each)) for each in (2.0, 3.0, 4)]
    assert session.run(found) == [4.0, 9.0, 16]
    assert traced == [tf.float32, tf.float32, tf.int32] or traced == [tf.float32, tf.int32]
    assert len({op.type for op in session.graph.get_operations() if "Call" in op.type}) == 1


def test_each_trace_may_make_variables(defun, session):
    made = []

    def scaled(x):
        made.append(tf.Variable(lambda: tf.ones([], x.dtype), use_resource=True))
        return x * made[-1]

    function = defun.defun(scaled)
    results = [function(tf.constant(2.0)), function(tf.constant(3.0, tf.float64))]
    assert len(made) == 2
    assert [each.dtype for each in results] == [tf.float32, tf.float64]


def test_decorators_take_a_signature_and_attributes(defun, session):
    @defun.defun_with_attributes(
        input_signature=[tf.TensorSpec([None], tf.float32)],
        attributes={"func_name": "summed", "api_implements": "sum"},
    )
    def total(x):
        return tf.reduce_sum(x)

    assert session.run([total(tf.ones([2])), total(tf.ones([3]))]) == [2.0, 3.0]
    with pytest.raises((TypeError, ValueError)):
        total(tf.ones([2, 2]))
    functions = session.graph.as_graph_def().library.function
    assert len([each for each in functions if "summed" in each.signature.name]) == 1
    assert {each.attr["api_implements"].s for each in functions} == {b"sum"}
    assert defun.defun(input_signature=[tf.TensorSpec([], tf.float32)])(tf.square)(2.0) is not None


def test_a_concrete_function_belongs_to_its_graph(defun):
    with tf.Graph().as_default():
        function = defun.Function(lambda x: x + 1.0, "added")
        concrete = function._get_concrete_function_garbage_collected(tf.TensorSpec([2], tf.float32))
        assert [each.shape.as_list() for each in concrete.outputs] == [[2]]
        assert function._tracing_options() is function._tracing_options()

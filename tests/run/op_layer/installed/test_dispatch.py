"""Tests that ops try the functions that 1.15's modules register for their own classes."""

import pytest
import tensorflow.compat.v1 as tf

from tf1grad._compat import VERSION

pytestmark = pytest.mark.skipif(VERSION < (2,), reason="TensorFlow 1.15 has its own dispatch")


class Celsius:
    """A class that no op can convert to a tensor."""

    def __init__(self, degrees):
        self.degrees = degrees


def _double(x, name=None):
    return tf.multiply(tf.convert_to_tensor(x), 2.0, name=name)


def _double_degrees(x, name=None):
    return 2 * x.degrees


def test_an_op_that_dispatches_takes_a_registered_class(session):
    from tf1grad.run.op_layer.installed import dispatch

    op = dispatch.add_dispatch_support(_double)
    with pytest.raises((TypeError, ValueError)):
        op(Celsius(3.0))
    assert dispatch.dispatch_for_types(op, Celsius)(_double_degrees) is _double_degrees
    assert op(Celsius(3.0)) == 6.0
    assert session.run(op(4.0)) == 8.0


def test_an_op_without_dispatch_stays_as_it_is():
    from tf1grad.run.op_layer.installed import dispatch

    assert dispatch.dispatch_for_types(_double, Celsius)(_double_degrees) is _double_degrees
    with pytest.raises((TypeError, ValueError)):
        _double(Celsius(3.0))

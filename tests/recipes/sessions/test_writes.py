"""Tests the analysis of what an op writes, through the functions that it calls."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from tf1grad.recipes.sessions.writes import ancestors, writes


def nested(inner):
    """Builds a conditional in a loop; its inmost branch calls `inner`."""

    def body(i):
        return (
            tf.cond(
                i > 0, lambda: tf.cond(i > 1, inner, lambda: tf.constant(1)), lambda: tf.constant(1)
            )
            + i
        )

    return tf.while_loop(lambda i: i < 4, body, [tf.constant(0)])


@pytest.mark.parametrize("variable_kind, control_flow", [("resource", "v2")], indirect=True)
def test_a_branch_of_a_branch_of_a_loop(variable_kind, control_flow, session):
    moved, read = [tf.get_variable(name, initializer=np.int32(3)) for name in ("moved", "read")]

    def inner():
        with tf.control_dependencies([moved.assign_add(read)]):
            return tf.constant(1)

    result = nested(inner)
    assert {write.variable.name for write in writes(ancestors([result.op]))} == {"moved"}
    session.run(tf.global_variables_initializer())
    session.run(result)
    assert session.run([moved, read]) == [9, 3]

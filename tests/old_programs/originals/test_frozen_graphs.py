"""Tests that frozen graphs are TensorFlow 1.15's under `run`, node for node."""


import pytest

from script_folder import values_of

pytestmark = pytest.mark.period
SCRIPT = """
import hashlib
from tensorflow.python.framework import graph_util

def digest(graph):
    return hashlib.md5(json.dumps([[node.name, node.op, list(node.input)] for node in graph.node]).encode()).hexdigest()


found = {}
for use_resource in (False, True):
    tf.reset_default_graph()
    with tf.variable_scope("net", use_resource=use_resource):
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        y = tf.layers.batch_normalization(tf.layers.dense(x, 2, name="d"), training=False)
        y = tf.identity(y + tf.nn.embedding_lookup(tf.get_variable("t", [5, 2]), [1]), name="out")
        y = tf.cond(tf.reduce_sum(y) > 0, lambda: y * 2, lambda: y + tf.get_variable("w", [2]), name="c")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        frozen = graph_util.convert_variables_to_constants(session, tf.get_default_graph().as_graph_def(), [y.op.name])
    found[str(use_resource)] = digest(frozen), digest(tf.graph_util.remove_training_nodes(frozen))
print(json.dumps(found))
"""
# What the script prints on TensorFlow 1.15.5.
RECORDED = {
    "False": ["c14a0f1468d50271ba763c0ae3529013", "06bec84b34ed6445b756e59880bdeb65"],
    "True": ["7247811d44a6803646cface0c888b37d", "1ba0fc8e5923003b43f79aa3bb2ddd68"],
}


def test_frozen_graphs_are_those_of_1_15(tmp_path):
    """Tests ref and resource variables, in a `tf.cond` and in a lookup, and the removal of training nodes."""
    assert values_of(SCRIPT, tmp_path) == RECORDED

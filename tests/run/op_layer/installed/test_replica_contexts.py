"""Tests that replicas of a strategy have their ids as constants, which op seeds count."""

import pytest

from script_folder import output_of

pytestmark = pytest.mark.period(on_1_15=True)

SCRIPT = """
strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
graph = tf.get_default_graph()

def number():
    return tf.distribute.get_replica_context().replica_id_in_sync_group

def made(strategy, function=number):
    before = len(graph.get_operations())
    result = strategy.experimental_run_v2(function)
    print([op.type for op in graph.get_operations()[before:]])
    return result
"""


def test_a_replica_has_one_constant(tmp_path):
    script = """
made(strategy, lambda: 0)
found = [made(strategy, lambda: [number(), number()]), made(tf.distribute.get_strategy())]
with tf.Session() as session:
    print(session.run(found))
"""
    assert output_of(SCRIPT + script, tmp_path).splitlines() == [
        "['Const']",
        "['Const']",
        "['Const']",
        "[[0, 0], 0]",
    ]


@pytest.mark.period
def test_another_graph_gets_an_id_of_its_own(tmp_path):
    """1.15 knew no strategy in the other graph."""
    script = """
def in_another_graph():
    context = tf.distribute.get_replica_context()
    with tf.Graph().as_default() as other:
        return context.replica_id_in_sync_group.graph is other
print(made(strategy, in_another_graph))
"""
    assert output_of(SCRIPT + script, tmp_path).splitlines() == ["['Const']", "True"]

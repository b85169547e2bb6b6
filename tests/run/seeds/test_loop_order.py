"""Tests that loops with random ops run in order, under `run` and where random ops are counted."""

import pytest

LOOPS = """
    import tensorflow.compat.v1 as tf

    {rule}
    tf.disable_v2_behavior()
    tf.disable_control_flow_v2()
    tf.set_random_seed(1)
    x = tf.ones([4, 3])

    def rows(name, function):
        return tf.map_fn(function, x, parallel_iterations=7, name=name)

    random = rows("random", lambda row: tf.nn.dropout(row * row, 0.5))
    fixed = rows("fixed", lambda row: row * row)
    tf.gradients([random, fixed], x)
    found = {{}}
    for op in tf.get_default_graph().get_operations():
        if op.type == "Enter":
            scope = op.get_attr("frame_name").decode().rpartition("/")[0]
            found.setdefault(scope, set()).add(op.get_attr("parallel_iterations"))
    print(sorted(found.items()))
"""
COUNT = "from tf1grad.run import seeds; seeds.install('count')"
# The gradient has as many ops as on 1.15, which adds some for parallel iterations.
ORDERED = (
    "[('fixed/while', {7}), ('gradients/fixed/while', {7}), ('gradients/random/while', {7}), "
    "('random/while', {1})]"
)


@pytest.mark.slow
@pytest.mark.each_release
def test_counted_random_loops_run_in_order(run_forked):
    assert run_forked(LOOPS.format(rule=COUNT)).split("\n")[-2] == ORDERED


@pytest.mark.slow
@pytest.mark.period
def test_random_loops_run_in_order_under_run(folder):
    code, output, errors = folder.run(folder.write("loops.py", LOOPS.format(rule="")))
    assert code == 0, errors[-3000:]
    assert output.split("\n")[-2] == ORDERED

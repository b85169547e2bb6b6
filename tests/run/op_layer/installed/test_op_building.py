"""Tests how the installed TensorFlow builds ops in the user's graphs: 1.15.5 prints the same."""

import pytest

from made_ops import lines_of
from tf1grad._compat import VERSION

pytestmark = pytest.mark.period(on_1_15=True)


def test_rows_of_a_variable_are_followed_by_an_identity(tmp_path):
    script = """
v = tf.get_variable("v", [4, 2], use_resource=True)
made(lambda: v.sparse_read([1, 2]))
x = tf.placeholder(tf.float32, [2])
made(lambda: tf.nn.embedding_lookup(v, [1]))
made(lambda: [2 * x, tf.add(x, 1), tf.concat([x, [1.0]], 0), tf.pow(x, 2)])
"""
    assert lines_of(script, tmp_path) == [
        "Const ResourceGather Identity",
        "Const ResourceGather Identity Identity",
        "Const Mul Const Add Const Const ConcatV2 Const Pow",
    ]


def test_the_shape_of_a_sparse_tensor_can_be_fed(tmp_path):
    script = """
shape = tf.constant([2, 3], tf.int64)
sparse = tf.SparseTensor([[0, 0]], [1.0], shape)
dense = tf.sparse.to_dense(sparse)
with tf.Session() as session:
    print(session.run(dense, {shape: [1, 2]}).tolist())
"""
    assert lines_of(script, tmp_path) == ["[[1.0, 0.0]]"]


def test_ops_that_others_wait_for_have_no_mark(tmp_path):
    script = """
first = tf.constant(1.0)
with tf.control_dependencies([first]):
    second = tf.constant(2.0)
print(sorted(first.op.node_def.attr), [op.name for op in second.op.control_inputs])
"""
    assert lines_of(script, tmp_path) == ["['dtype', 'value'] ['Const']"]


def test_a_function_without_outputs_returns_its_call(tmp_path):
    script = """
v = tf.get_variable("v", initializer=1.0, use_resource=True)
@tf.contrib.eager.defun
def add(x):
    v.assign_add(x)
call = add(tf.constant(2.0))
print(type(call).__name__, call.type.endswith("PartitionedCall"))
with tf.Session() as session:
    session.run(v.initializer)
    session.run(call)
    print(session.run(v))
"""
    assert lines_of(script, tmp_path) == ["Operation True", "3.0"]


def test_loops_of_datasets_have_the_ops_of_1_15(tmp_path):
    script = """
def body(x):
    return tf.while_loop(lambda i: i < 3, lambda i: i + 1, [x], back_prop=False)

def random(x):
    draw = lambda i, drawn: (i + 1, drawn + tf.random_uniform([], seed=1))
    return tf.while_loop(lambda i, drawn: i < 3, draw, [x, 0.0])

numbers = tf.data.Dataset.range(1)
elements = [numbers.map(each).make_one_shot_iterator().get_next() for each in (body, random)]
library = tf.get_default_graph().as_graph_def().library.function
for function in library:
    types = [node.op for node in function.node_def if node.op != "NoOp"]
    iterations = [node.attr["parallel_iterations"].i for node in function.node_def if node.op == "While"]
    if iterations:
        print(*iterations, *types)
with tf.Session() as session:
    print(session.run(elements[0]))
"""
    lines = lines_of(script, tmp_path)
    # `run` computes the loop with random ops in order.
    in_order = 10 if VERSION < (2,) else 1
    assert lines == [
        f"{in_order} Const Const Const While" + 6 * " Identity",
        "10 Const Const While" + 4 * " Identity",
        "3",
    ]

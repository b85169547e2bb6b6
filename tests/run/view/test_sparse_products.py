"""Tests that products of sparse matrices in blocks of columns are those of
TensorFlow's own kernel.
"""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from tf1grad._compat import VERSION
from tf1grad.programs.process import patches
from tf1grad.run.view import sparse_products

pytestmark = pytest.mark.skipif(VERSION < (2,), reason="TensorFlow 1.15's kernel is fast")

ROWS, INNER, COLUMNS = 7, 5, 75


@pytest.fixture(autouse=True)
def undo_patches():
    before = len(patches.changes())
    yield
    patches.undo(before)


def in_blocks(product):
    """Lets the next run compute a product in blocks."""
    sparse_products.compute_in_blocks(product.op)
    return product


def block_types(graph):
    return [op.type for op in graph.get_operations() if op.name.startswith("tf1grad_checks/")]


def numbers(random, shape, dtype):
    made = random.normal(size=shape) * 8
    if np.issubdtype(dtype, np.complexfloating):
        made = made + 1j * random.normal(size=shape)
    return made.astype(dtype)


def operands(dtype=np.float32, adjoint_a=False, adjoint_b=False, entries=20, columns=COLUMNS):
    """Returns a sparse and a dense matrix of random numbers;
    places of the sparse one repeat, in no order.
    """
    random = np.random.RandomState(entries)
    shape = [INNER, ROWS] if adjoint_a else [ROWS, INNER]
    indices = np.stack([random.randint(0, size, entries) for size in shape], axis=1)
    sparse = tf.SparseTensor(indices, tf.constant(numbers(random, [entries], dtype)), shape)
    dense_shape = [columns, INNER] if adjoint_b else [INNER, columns]
    return sparse, tf.constant(numbers(random, dense_shape, dtype))


def multiplied(sparse, dense, **adjoints):
    return tf.sparse_tensor_dense_matmul(sparse, dense, **adjoints)


@pytest.mark.parametrize("adjoint_a", [False, True])
@pytest.mark.parametrize("adjoint_b", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.int32])
def test_product_and_gradients_have_the_same_bits(session, dtype, adjoint_a, adjoint_b):
    adjoints = {"adjoint_a": adjoint_a, "adjoint_b": adjoint_b}
    sparse, dense = operands(dtype, **adjoints)
    differentiable = [sparse.values, dense] if np.issubdtype(dtype, np.inexact) else []
    found = []
    for change in (lambda product: product, in_blocks):
        product = change(multiplied(sparse, dense, **adjoints))
        squares = tf.abs(tf.reduce_sum(product * product, axis=0))
        gradients = tf.gradients(squares, differentiable) if differentiable else []
        found.append([squares, *gradients])
    expected, values = session.run(found)
    assert block_types(session.graph).count("SparseTensorDenseMatMul") == 3
    for value, other in zip(values, expected):
        np.testing.assert_array_equal(value, other)


@pytest.mark.parametrize("entries, columns", [(0, COLUMNS), (20, 32), (20, 48)])
def test_edges_of_blocks(session, entries, columns):
    sparse, dense = operands(entries=entries, columns=columns)
    expected, product = multiplied(sparse, dense) + 0, in_blocks(multiplied(sparse, dense)) + 0
    np.testing.assert_array_equal(*session.run([product, expected]))
    assert "ConcatV2" in block_types(session.graph)


def test_few_or_unknown_columns_stay(session):
    few = in_blocks(multiplied(*operands(columns=31))) + 0
    dense = tf.placeholder(tf.float32, [INNER, None])
    unknown = in_blocks(multiplied(operands()[0], dense)) + 0
    session.run([few, unknown], {dense: np.ones([INNER, COLUMNS])})
    assert block_types(session.graph) == []


def test_graph_stays_as_built_until_a_session_runs(session):
    product = in_blocks(multiplied(*operands()))
    used = tf.identity(product)
    built = session.graph.as_graph_def()
    assert used.op.inputs[0] is product and block_types(session.graph) == []
    session.graph.finalize()
    session.run(used)
    kept = session.graph.as_graph_def().node[: len(built.node)]
    assert {node.name for node in kept if node not in built.node} == {used.op.name}


def test_no_run_computes_the_product_itself(session):
    """The op that waits for the product is among its users:
    gradients with `GATE_OP` wait like this.
    """
    product = in_blocks(multiplied(*operands()))
    with tf.control_dependencies([product]):
        waiting = tf.constant(1.0) + 0
    ran = tf.RunMetadata()
    options = tf.RunOptions(output_partition_graphs=True)
    session.run([product, product + 0, waiting], options=options, run_metadata=ran)
    names = {node.name for graph in ran.partition_graphs for node in graph.node}
    assert any(name.startswith("tf1grad_checks/") for name in names)
    assert product.op.name not in names


def test_product_can_be_fed_and_fetched(session):
    product = in_blocks(multiplied(*operands()))
    used, fed = product + 1, np.ones([ROWS, COLUMNS], np.float32)
    for call in (session.run, session.run):  # the second time after the product was replaced
        assert (call(used, {product: fed}) == 2).all()
    assert (session.make_callable(used, [product])(fed) == 2).all()
    np.testing.assert_array_equal(session.run(product) + 1, session.run(used))
    np.testing.assert_array_equal(session.make_callable(product)() + 1, session.run(used))


def test_product_can_be_fed_in_a_partial_run(session):
    x = tf.placeholder(tf.float32, [])
    product = in_blocks(multiplied(*operands()))
    used, fed = product * x, np.ones([ROWS, COLUMNS], np.float32)
    handle = session.partial_run_setup([used, product], [product, x])
    assert (session.partial_run(handle, used, {product: fed, x: 3}) == 3).all()
    handle = session.partial_run_setup([product, used], [x])
    value = session.partial_run(handle, product)
    np.testing.assert_array_equal(session.partial_run(handle, used, {x: 2}), 2 * value)


def test_gradient_that_is_built_after_a_run_has_the_same_bits(session):
    sparse, dense = operands()
    found = []
    for change in (lambda product: product, in_blocks):
        loss = tf.reduce_sum(change(multiplied(sparse, dense)) ** 2)
        session.run(loss)
        found.append(session.run(tf.gradients(loss, [sparse.values, dense])))
    for value, other in zip(*found):
        np.testing.assert_array_equal(value, other)


def test_blocks_wait_for_what_the_op_waits_for(session):
    counter = tf.Variable(0)
    session.run(counter.initializer)
    with tf.control_dependencies([tf.assign_add(counter, 1)]):
        product = in_blocks(multiplied(*operands()))
    session.run(product + 0)
    assert session.run(counter) == 1


@pytest.mark.parametrize("in_loop", [True, False])
def test_product_in_control_flow(session, in_loop):
    sparse, dense = operands()
    weights = tf.Variable(tf.ones([COLUMNS, COLUMNS]) / COLUMNS)

    def step(given):
        return tf.matmul(in_blocks(multiplied(sparse, given[:INNER])), weights)

    start = tf.pad(dense, [[0, ROWS - INNER], [0, 0]])
    if in_loop:
        result = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, step(y)), [0, start])[1]
    else:
        result = tf.cond(tf.reduce_sum(weights) > 0, lambda: step(start), lambda: start)
    gradient = tf.gradients(result, weights)[0]
    session.run(tf.global_variables_initializer())
    found = session.run([result, gradient])
    sparse_matrix = np.zeros([ROWS, INNER], np.float32)
    indices, values, y = session.run([sparse.indices, sparse.values, start])
    np.add.at(sparse_matrix, tuple(indices.T), values)
    assert "ConcatV2" in block_types(session.graph)
    for _ in range(3 if in_loop else 1):
        y = sparse_matrix @ y[:INNER] @ np.full([COLUMNS, COLUMNS], 1 / COLUMNS)
    np.testing.assert_allclose(found[0], y, rtol=1e-5)
    assert found[1].shape == (COLUMNS, COLUMNS)

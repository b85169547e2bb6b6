"""Tests that singular and indefinite matrices end a run, as on 1.15.5."""

import ast

import pytest

from script_folder import output_of

pytestmark = pytest.mark.period(on_1_15=True)

OUTCOME = """
def outcome(compute):
    try:
        return np.round(compute(), 3).tolist()
    except tf.errors.InvalidArgumentError as error:
        texts = "Cholesky decomposition was not successful", "Input matrix is not invertible"
        return [text for text in texts if text in error.message]

good, bad, nan = [[4.0, 0.0], [0.0, 9.0]], [[1.0, 2.0], [2.0, 1.0]], [[np.nan, 0.0], [0.0, 1.0]]
singular = [[1.0, 0.0], [1.0, 0.0]]
"""
INDEFINITE, SINGULAR = (
    [["Cholesky decomposition was not successful"]],
    [["Input matrix is not invertible"]],
)


def _values(script, folder):
    lines = output_of(OUTCOME + script, folder).splitlines()
    return [ast.literal_eval(line.replace("nan", "'nan'")) for line in lines]


def test_a_run_fails_on_a_matrix_that_is_not_positive_definite(tmp_path):
    script = """
matrix = tf.placeholder(tf.float32, [2, 2])
factor = tf.linalg.cholesky(matrix)
twice = 2 * factor
complex_factor = tf.linalg.cholesky(tf.cast(matrix, tf.complex64))
print([op.type for op in tf.get_default_graph().get_operations()])
with tf.Session() as session:
    for fetch in (factor, twice):
        for value in (good, bad, nan):
            print(outcome(lambda: session.run(fetch, {matrix: value})))
    print(outcome(lambda: session.run(tf.real(complex_factor), {matrix: good})))
"""
    ops, *values = _values(script, tmp_path)
    assert ops == ["Placeholder", "Cholesky", "Const", "Mul", "Cast", "Cholesky"]
    assert values[:2] == [[[2.0, 0.0], [0.0, 3.0]], *INDEFINITE]
    assert values[3:5] == [[[4.0, 0.0], [0.0, 6.0]], *INDEFINITE]
    assert values[2][0][0] == values[5][0][0] == "nan"
    assert values[6] == [[2.0, 0.0], [0.0, 3.0]]


def test_a_run_fails_where_a_zero_is_on_the_diagonal(tmp_path):
    script = """
matrix = tf.placeholder(tf.float32, [2, 2])
rhs = tf.placeholder(tf.float32, [2, None])
solution = tf.linalg.triangular_solve(matrix, rhs)
with tf.Session() as session:
    for value, right in ((good, [[4.0], [9.0]]), (singular, [[4.0], [9.0]]), (singular, np.zeros([2, 0]))):
        print(outcome(lambda: session.run(solution, {matrix: value, rhs: right})))
"""
    assert _values(script, tmp_path) == [[[1.0], [1.0]], *SINGULAR, [[], []]]


def test_functions_of_datasets_fail_too(tmp_path):
    script = """
factors = tf.data.Dataset.from_tensor_slices([good, bad]).map(tf.linalg.cholesky)
element = factors.make_one_shot_iterator().get_next()
with tf.Session() as session:
    for _ in range(2):
        print(outcome(lambda: session.run(element)))
"""
    assert _values(script, tmp_path) == [[[2.0, 0.0], [0.0, 3.0]], *INDEFINITE]


def test_eager_execution_fails_at_once(tmp_path):
    script = """
tf.enable_eager_execution()
print(outcome(lambda: tf.linalg.cholesky(good)), outcome(lambda: tf.linalg.cholesky(bad)), sep="\\n")
print(outcome(lambda: tf.linalg.triangular_solve([[2.0]], [[4.0]])))
print(outcome(lambda: tf.linalg.triangular_solve([[0.0]], [[4.0]])))
"""
    assert _values(script, tmp_path) == [
        [[2.0, 0.0], [0.0, 3.0]],
        *INDEFINITE,
        [[2.0]],
        *SINGULAR,
    ]


@pytest.mark.period
def test_linear_operators_are_not_checked(tmp_path):
    """1.15's `tf.linalg.cholesky` took none; its kernels' stand-in dispatches."""
    script = """
operator = tf.linalg.LinearOperatorDiag([4.0, 9.0], is_self_adjoint=True, is_positive_definite=True)
factor = tf.linalg.cholesky(operator)
print(type(factor).__name__.startswith("LinearOperator"))
with tf.Session() as session:
    print(outcome(lambda: session.run(factor.to_dense())))
"""
    assert _values(script, tmp_path) == [True, [[2.0, 0.0], [0.0, 3.0]]]

"""Makes runs fail on singular or indefinite matrices, as in TensorFlow 1.15.

TensorFlow 2 silently returns NaN for them: a program that catches the error, to try again with a larger diagonal, never
sees it. The consumers of such an op wait for a check of its output, so that no step is half applied. The ops of a check
are made when a session first runs, and do not count for random seeds; in functions they are made at once.
"""

from typing import Any, Callable, List, Optional, TypeVar

from tf1grad._compat import tf
from tf1grad.old_programs import _compat
from tf1grad.old_programs.op_layer.installed.dispatch import dispatching_op
from tf1grad.old_programs.process import checks_before_runs
from tf1grad.old_programs.seeds import op_counts

_INDEFINITE = "Cholesky decomposition was not successful. The input might not be valid."
_SINGULAR = "Input matrix is not invertible."
_TRIDIAGONAL = "The matrix is not invertible."
_UNPIVOTED = "The matrix is either not invertible, or requires pivoting. Try setting partial_pivoting = True."

_Function = TypeVar("_Function", bound=Callable[..., Any])
# Without it, AutoGraph would convert these together with the functions of loops and datasets.
_not_converted: Callable[[_Function], _Function] = tf.autograph.experimental.do_not_convert


@dispatching_op
@_not_converted
def cholesky(input: Any, name: Optional[str] = None) -> tf.Tensor:
    """Computes `tf.cholesky`; a matrix that is not positive definite ends the run with an InvalidArgumentError."""

    def suspect(factor: tf.Tensor, matrix: tf.Tensor) -> tf.Tensor:
        # The kernel fills the output with NaN where it fails; elsewhere the first element is NaN only for a NaN input.
        given_nan = (
            tf.math.is_nan(matrix[..., :1, :1])
            if not matrix.dtype.is_complex
            else ~_is_finite(matrix)
        )
        made = _of_real(factor, matrix)[..., :1, :1]
        return _nan_where(tf.math.is_nan(made) & ~given_nan, made)

    return _checked(_installed("cholesky")(input, name=name), [input], suspect, _INDEFINITE)


@dispatching_op
@_not_converted
def matrix_triangular_solve(
    matrix: Any, rhs: Any, lower: bool = True, adjoint: bool = False, name: Optional[str] = None
) -> tf.Tensor:
    """Computes `tf.matrix_triangular_solve`; a zero on the diagonal ends the run with an InvalidArgumentError.

    So does a NaN as its first element, as in TensorFlow 1.15. Any other NaN goes into the solution.
    """

    def suspect(unused_solution: tf.Tensor, matrix: tf.Tensor, rhs: tf.Tensor) -> tf.Tensor:
        diagonal = _size(tf.linalg.diag_part(matrix))
        begins_with_nan = tf.math.is_nan(diagonal[..., :1])
        return _nan_where((tf.equal(diagonal, 0) | begins_with_nan) & (tf.size(rhs) > 0), diagonal)

    solution = _installed("matrix_triangular_solve")(
        matrix, rhs, lower=lower, adjoint=adjoint, name=name
    )
    return _checked(solution, [matrix, rhs], suspect, _SINGULAR)


@dispatching_op
@_not_converted
def tridiagonal_solve(
    diagonals: Any, rhs: Any, partial_pivoting: bool = True, name: Optional[str] = None
) -> tf.Tensor:
    """Makes the op of `tf.linalg.tridiagonal_solve`; a zero pivot ends the run with an InvalidArgumentError."""

    def suspect(solution: tf.Tensor, diagonals: tf.Tensor, rhs: tf.Tensor) -> tf.Tensor:
        # The kernel fills the output with NaN where it fails; with a NaN input the cause cannot be told.
        solution = _size(solution)
        failed = tf.reduce_all(tf.math.is_nan(solution), axis=[-2, -1], keepdims=True)
        return _nan_where(failed & _is_finite(diagonals) & _is_finite(rhs), solution)

    solution = _installed("tridiagonal_solve")(
        diagonals, rhs, partial_pivoting=partial_pivoting, name=name
    )
    return _checked(
        solution, [diagonals, rhs], suspect, _TRIDIAGONAL if partial_pivoting else _UNPIVOTED
    )


def _installed(name: str) -> Callable[..., tf.Tensor]:
    function: Callable[..., tf.Tensor] = _compat.resolve(
        "tensorflow.python.ops.gen_linalg_ops." + name
    )
    return function


def _checked(result: Any, given: List[Any], suspect: Callable[..., tf.Tensor], message: str) -> Any:
    """Returns `result`, and makes its consumers fail with `message` where `suspect(result, *inputs)` has a NaN.

    A result that is not a tensor, such as a `LinearOperator`, is not checked.
    """
    if not isinstance(result, tf.Tensor):
        return result
    if tf.executing_eagerly():
        tf.debugging.check_numerics(suspect(result, *map(tf.convert_to_tensor, given)), message)
        return result
    op = result.op

    def check() -> tf.Operation:
        with op_counts.uncounted():
            return tf.debugging.check_numerics(suspect(result, *op.inputs), message).op

    if op.graph.building_function:
        with op.graph.as_default(), tf.name_scope(op.name + "/"), tf.control_dependencies(
            [check()]
        ):
            with op_counts.uncounted():
                return tf.identity(result)
    checks_before_runs.check(op, check)
    return result


def _nan_where(condition: tf.Tensor, like: tf.Tensor) -> tf.Tensor:
    return tf.where_v2(condition, tf.constant(float("nan"), like.dtype), tf.zeros_like(like))


def _is_finite(matrix: tf.Tensor) -> tf.Tensor:
    return tf.math.is_finite(_size(tf.reduce_sum(matrix, axis=[-2, -1], keepdims=True)))


def _of_real(factor: tf.Tensor, matrix: tf.Tensor) -> tf.Tensor:
    """Returns `factor`, or for a complex `matrix` the factor of its real equivalent of twice the size.

    The real equivalent is positive definite if and only if `matrix` is.
    """
    if not matrix.dtype.is_complex:
        return factor
    strict = tf.linalg.set_diag(
        tf.linalg.band_part(matrix, -1, 0), tf.zeros_like(tf.linalg.diag_part(matrix))
    )
    diagonal = tf.linalg.diag(tf.math.real(tf.linalg.diag_part(matrix)))
    real = tf.math.real(strict) + tf.linalg.matrix_transpose(tf.math.real(strict)) + diagonal
    imaginary = tf.math.imag(strict) - tf.linalg.matrix_transpose(tf.math.imag(strict))
    return _installed("cholesky")(
        tf.concat([tf.concat([real, -imaginary], -1), tf.concat([imaginary, real], -1)], -2)
    )


def _size(values: tf.Tensor) -> tf.Tensor:
    """Returns the absolute values of complex numbers, and real numbers unchanged."""
    return tf.abs(values) if values.dtype.is_complex else values

"""Matrices without a factor or a solution end the run in an error, as in TensorFlow 1.15.

TensorFlow 2 gives NaN for them without a word, and for the Cholesky factor of a complex matrix what was in the memory
before: a program that catches the error, to try again with more on the diagonal, never sees it.

What is built on such an op waits for a check of what it gave. So it keeps its name and its inputs, and nothing that
depends on it runs, no step is half applied. The ops of a check are not counted for random seeds.
"""

from typing import Any, Callable, List, Optional, TypeVar

from tf1grad._compat import tf
from tf1grad.old_programs import _compat
from tf1grad.old_programs.seeds import op_counts

NAMES = "cholesky matrix_triangular_solve tridiagonal_solve"

_INDEFINITE = "Cholesky decomposition was not successful. The input might not be valid."
_SINGULAR = "Input matrix is not invertible."
_TRIDIAGONAL = "The matrix is not invertible."
_UNPIVOTED = "The matrix is either not invertible, or requires pivoting. Try setting partial_pivoting = True."

_Function = TypeVar("_Function", bound=Callable[..., Any])
# Or the functions of loops and datasets would rewrite these as well.
_as_it_is: Callable[[_Function], _Function] = tf.autograph.experimental.do_not_convert


def watched(path: str, name: str, value: Any) -> Any:
    """`value`, or the function of this module that has its public name.

    Args:
        path: the public module, "linalg"; "" for `tf` itself.
        name: what `value` is called there.
        value: what is asked for.
    """
    return _PUBLIC.get((path, name), value)


@_as_it_is
def cholesky(input: Any, name: Optional[str] = None) -> tf.Tensor:
    """`tf.cholesky`; a matrix that is not positive definite is an InvalidArgumentError of the run.

    Args:
        input: [..., n, n], floating point or complex.
        name: a name for the op.

    Source: the kernel of `tf.cholesky` in TensorFlow 1.15.
    """
    def suspect(factor: tf.Tensor, matrix: tf.Tensor) -> tf.Tensor:
        # The kernel fills what it cannot factor with NaN; else the first of it is NaN only where NaN was given.
        given_nan = tf.math.is_nan(matrix[..., :1, :1]) if not matrix.dtype.is_complex else ~_is_finite(matrix)
        made = _of_real(factor, matrix)[..., :1, :1]
        return _nan_where(tf.math.is_nan(made) & ~given_nan, made)
    return _checked(_installed("cholesky")(input, name=name), [input], suspect, _INDEFINITE)


@_as_it_is
def matrix_triangular_solve(matrix: Any, rhs: Any, lower: bool = True, adjoint: bool = False,
                            name: Optional[str] = None) -> tf.Tensor:
    """`tf.matrix_triangular_solve`; a zero on the diagonal is an InvalidArgumentError of the run.

    So is NaN at its beginning, as in TensorFlow 1.15; where NaN is elsewhere, it is in the solution.

    Args:
        matrix: [..., n, n], floating point or complex.
        rhs: [..., n, k] of the same dtype.
        lower, adjoint: as TensorFlow has them.
        name: a name for the op.

    Source: the kernel of `tf.matrix_triangular_solve` in TensorFlow 1.15.
    """
    def suspect(unused_solution: tf.Tensor, matrix: tf.Tensor, rhs: tf.Tensor) -> tf.Tensor:
        diagonal = _size(tf.linalg.diag_part(matrix))
        begins_with_nan = tf.math.is_nan(diagonal[..., :1])
        return _nan_where((tf.equal(diagonal, 0) | begins_with_nan) & (tf.size(rhs) > 0), diagonal)
    solution = _installed("matrix_triangular_solve")(matrix, rhs, lower=lower, adjoint=adjoint, name=name)
    return _checked(solution, [matrix, rhs], suspect, _SINGULAR)


@_as_it_is
def tridiagonal_solve(diagonals: Any, rhs: Any, partial_pivoting: bool = True, name: Optional[str] = None) -> tf.Tensor:
    """The op of `tf.linalg.tridiagonal_solve`; a pivot of zero is an InvalidArgumentError of the run.

    Args:
        diagonals: [..., 3, n], floating point or complex: the superdiagonal, the diagonal, the subdiagonal.
        rhs: [..., n, k] of the same dtype.
        partial_pivoting: as TensorFlow has it.
        name: a name for the op.

    Source: the kernel of `tf.linalg.tridiagonal_solve` in TensorFlow 1.15.
    """
    def suspect(solution: tf.Tensor, diagonals: tf.Tensor, rhs: tf.Tensor) -> tf.Tensor:
        # The kernel fills what it cannot solve with NaN; where NaN was given, it cannot be told apart.
        solution = _size(solution)
        failed = tf.reduce_all(tf.math.is_nan(solution), axis=[-2, -1], keepdims=True)
        return _nan_where(failed & _is_finite(diagonals) & _is_finite(rhs), solution)
    solution = _installed("tridiagonal_solve")(diagonals, rhs, partial_pivoting=partial_pivoting, name=name)
    return _checked(solution, [diagonals, rhs], suspect, _TRIDIAGONAL if partial_pivoting else _UNPIVOTED)


def _installed(name: str) -> Callable[..., tf.Tensor]:
    function: Callable[..., tf.Tensor] = _compat.resolve("tensorflow.python.ops.gen_linalg_ops." + name)
    return function


def _checked(result: Any, given: List[Any], suspect: Callable[..., tf.Tensor], message: str) -> Any:
    """`result`; what uses it waits until `suspect` of it and its inputs was seen to have no NaN, or ends in `message`.

    What is no tensor, such as a `LinearOperator`, has been solved by its own means.
    """
    if not isinstance(result, tf.Tensor):
        return result
    if tf.executing_eagerly():
        tf.debugging.check_numerics(suspect(result, *map(tf.convert_to_tensor, given)), message)
        return result
    op = result.op
    with op.graph.as_default(), op_counts.uncounted(), tf.name_scope(op.name + "/"):
        check = tf.group(tf.debugging.check_numerics(suspect(result, *op.inputs), message))
        if op.graph.building_function:
            with tf.control_dependencies([check]):
                return tf.identity(result)
    _compat.let_all_wait(op, check)
    return result


def _nan_where(condition: tf.Tensor, like: tf.Tensor) -> tf.Tensor:
    return tf.where_v2(condition, tf.constant(float("nan"), like.dtype), tf.zeros_like(like))


def _is_finite(matrix: tf.Tensor) -> tf.Tensor:
    return tf.math.is_finite(_size(tf.reduce_sum(matrix, axis=[-2, -1], keepdims=True)))


def _of_real(factor: tf.Tensor, matrix: tf.Tensor) -> tf.Tensor:
    """`factor`; for a complex `matrix` that of the real one of twice its size, which is definite when `matrix` is."""
    if not matrix.dtype.is_complex:
        return factor
    strict = tf.linalg.set_diag(tf.linalg.band_part(matrix, -1, 0), tf.zeros_like(tf.linalg.diag_part(matrix)))
    diagonal = tf.linalg.diag(tf.math.real(tf.linalg.diag_part(matrix)))
    real = tf.math.real(strict) + tf.linalg.matrix_transpose(tf.math.real(strict)) + diagonal
    imaginary = tf.math.imag(strict) - tf.linalg.matrix_transpose(tf.math.imag(strict))
    return _installed("cholesky")(tf.concat([tf.concat([real, -imaginary], -1), tf.concat([imaginary, real], -1)], -2))


def _size(values: tf.Tensor) -> tf.Tensor:
    """The absolute values of complex numbers; real ones as they are."""
    return tf.abs(values) if values.dtype.is_complex else values


_PUBLIC = {("", "cholesky"): cholesky, ("linalg", "cholesky"): cholesky,
           ("", "matrix_triangular_solve"): matrix_triangular_solve,
           ("linalg", "triangular_solve"): matrix_triangular_solve}

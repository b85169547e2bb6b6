"""Matrices without a factor or a solution end the run in an error, as in TensorFlow 1.15.

TensorFlow 2 gives NaN for them without a word, and for the Cholesky factor of a complex matrix what was in the memory
before: a program that catches the error, to try again with more on the diagonal, never sees it.

    cholesky                  the factor's diagonal has a NaN, and what it was made of has none
    matrix_triangular_solve   the diagonal has a zero or a NaN
    tridiagonal_solve         the solution has a NaN, and what it was made of has none

The ops that look are made beside the one op that TensorFlow 1.15 made, and are not counted for random seeds.
"""

from typing import Any, Callable, List, Optional

from tf1grad._compat import tf
from tf1grad.migrate import _compat
from tf1grad.migrate.seeds import op_counts

NAMES = "cholesky matrix_triangular_solve tridiagonal_solve"

_INDEFINITE = "Cholesky decomposition was not successful. The input might not be valid."
_SINGULAR = "Input matrix is not invertible."
_TRIDIAGONAL = "The matrix is not invertible."
_UNPIVOTED = "The matrix is either not invertible, or requires pivoting. Try setting partial_pivoting = True."


def watched(path: str, name: str, value: Any) -> Any:
    """`value`, or the function of this module that has its public name.

    Args:
        path: the public module, "linalg"; "" for `tf` itself.
        name: what `value` is called there.
        value: what is asked for.
    """
    return _PUBLIC.get((path, name), value)


def cholesky(input: Any, name: Optional[str] = None) -> tf.Tensor:
    """`tf.cholesky`; a matrix that is not positive definite is an InvalidArgumentError of the run.

    Args:
        input: [..., n, n], floating point or complex. NaN and infinity in it come through.
        name: a name for the op.

    Source: the kernel of `tf.cholesky` in TensorFlow 1.15.
    """
    def suspect(factor: tf.Tensor, matrix: tf.Tensor) -> tf.Tensor:
        return _new_nan(tf.expand_dims(_diagonal(_real(factor, matrix)), -1), matrix)
    return _checked(_installed("cholesky")(input, name=name), [input], suspect, _INDEFINITE)


def matrix_triangular_solve(matrix: Any, rhs: Any, lower: bool = True, adjoint: bool = False,
                            name: Optional[str] = None) -> tf.Tensor:
    """`tf.matrix_triangular_solve`; a zero on the diagonal is an InvalidArgumentError of the run.

    Args:
        matrix: [..., n, n], floating point or complex.
        rhs: [..., n, k] of the same dtype.
        lower, adjoint: as TensorFlow has them.
        name: a name for the op.

    Source: the kernel of `tf.matrix_triangular_solve` in TensorFlow 1.15.
    """
    def suspect(unused_solution: tf.Tensor, matrix: tf.Tensor, unused_rhs: tf.Tensor) -> tf.Tensor:
        return tf.math.reciprocal(tf.sign(_size(_diagonal(matrix))))
    solution = _installed("matrix_triangular_solve")(matrix, rhs, lower=lower, adjoint=adjoint, name=name)
    return _checked(solution, [matrix, rhs], suspect, _SINGULAR)


def tridiagonal_solve(diagonals: Any, rhs: Any, partial_pivoting: bool = True, name: Optional[str] = None) -> tf.Tensor:
    """The op of `tf.linalg.tridiagonal_solve`; a pivot of zero is an InvalidArgumentError of the run.

    Args:
        diagonals: [..., 3, n], floating point or complex: the superdiagonal, the diagonal, the subdiagonal.
        rhs: [..., n, k] of the same dtype.
        partial_pivoting: as TensorFlow has it.
        name: a name for the op.

    Source: the kernel of `tf.linalg.tridiagonal_solve` in TensorFlow 1.15.
    """
    solution = _installed("tridiagonal_solve")(diagonals, rhs, partial_pivoting=partial_pivoting, name=name)
    return _checked(solution, [diagonals, rhs], _new_nan, _TRIDIAGONAL if partial_pivoting else _UNPIVOTED)


def _installed(name: str) -> Callable[..., tf.Tensor]:
    function: Callable[..., tf.Tensor] = _compat.resolve("tensorflow.python.ops.gen_linalg_ops." + name)
    return function


def _checked(result: Any, given: List[Any], suspect: Callable[..., tf.Tensor], message: str) -> Any:
    """`result`, once `suspect` of it and of what it was made of was seen to be finite; else the run ends in `message`.

    What is no tensor, such as a `LinearOperator`, has been solved by its own means.
    """
    if not isinstance(result, tf.Tensor):
        return result
    eager = tf.executing_eagerly()
    inputs = [tf.convert_to_tensor(value) for value in given] if eager else result.op.inputs
    with op_counts.uncounted(), tf.name_scope("check" if eager else result.op.name + "/"):
        with tf.control_dependencies([tf.debugging.check_numerics(suspect(result, *inputs), message)]):
            return tf.identity(result)


def _new_nan(made: tf.Tensor, *given: tf.Tensor) -> tf.Tensor:
    """The matrices `made`, where they are NaN though those of `given` have finite sums; else zero."""
    sums = [_size(tf.reduce_sum(each, axis=[-2, -1], keepdims=True)) for each in given]
    size = _size(made)
    return tf.where_v2(tf.math.is_finite(tf.add_n(sums)) & tf.math.is_nan(size), size, tf.zeros_like(size))


def _real(factor: tf.Tensor, matrix: tf.Tensor) -> tf.Tensor:
    """`factor`; for a complex `matrix` that of the real one of twice its size, which is definite when `matrix` is."""
    if not matrix.dtype.is_complex:
        return factor
    lower = tf.linalg.band_part(matrix, -1, 0)
    hermitian = lower + tf.linalg.adjoint(tf.linalg.set_diag(lower, tf.zeros_like(_diagonal(lower))))
    real, imaginary = tf.math.real(hermitian), tf.math.imag(hermitian)
    return _installed("cholesky")(tf.concat([tf.concat([real, -imaginary], -1), tf.concat([imaginary, real], -1)], -2))


def _diagonal(matrix: tf.Tensor) -> tf.Tensor:
    return tf.linalg.diag_part(matrix)


def _size(values: tf.Tensor) -> tf.Tensor:
    """The absolute values of complex numbers; real ones as they are."""
    return tf.abs(values) if values.dtype.is_complex else values


_PUBLIC = {("", "cholesky"): cholesky, ("linalg", "cholesky"): cholesky,
           ("", "matrix_triangular_solve"): matrix_triangular_solve,
           ("linalg", "triangular_solve"): matrix_triangular_solve}

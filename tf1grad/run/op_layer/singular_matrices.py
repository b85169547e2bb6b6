"""Makes runs fail on singular or indefinite matrices, as in TensorFlow 1.15.

TensorFlow 2 silently returns NaN for them: a program that catches the error, to try again with a
larger diagonal, never sees it. The consumers of such an op wait for a check of its output, so that
no step is half applied. The ops of a check are made when a session first runs, and do not count for
random seeds; in functions they are made at once.
"""

from __future__ import annotations

from typing import Any, Callable, TypeVar

from tf1grad._compat import tf
from tf1grad.programs import _compat
from tf1grad.programs.process import checks_before_runs
from tf1grad.run.op_layer.installed.dispatch import dispatching_op
from tf1grad.run.originals import name_map
from tf1grad.run.seeds import op_counts

_INDEFINITE = "Cholesky decomposition was not successful. The input might not be valid."
_SINGULAR = "Input matrix is not invertible."

_Function = TypeVar("_Function", bound=Callable[..., Any])
# Without it, AutoGraph would convert these together with the functions of loops and datasets.
_not_converted: Callable[[_Function], _Function] = tf.autograph.experimental.do_not_convert


@dispatching_op
@_not_converted
@name_map.stands_in_for("python.ops.gen_linalg_ops.cholesky")
def cholesky(input: object, name: str | None = None) -> tf.Tensor:
    """Computes `tf.cholesky`; a matrix that is not positive definite ends the run with
    an InvalidArgumentError.

    Complex matrices are not checked.
    """

    def suspect(factor: tf.Tensor, matrix: tf.Tensor) -> tf.Tensor:
        # The kernel fills the output with NaN where it fails; elsewhere the first element is NaN
        # only for a NaN input.
        made = factor[..., :1, :1]
        return _nan_where(tf.math.is_nan(made) & ~tf.math.is_nan(matrix[..., :1, :1]), made)

    factor = _installed("cholesky")(input, name=name)
    if factor.dtype.is_complex:
        return factor
    return _checked(factor, [input], suspect, _INDEFINITE)


@dispatching_op
@_not_converted
@name_map.stands_in_for("python.ops.gen_linalg_ops.matrix_triangular_solve")
def matrix_triangular_solve(
    matrix: object, rhs: object, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> tf.Tensor:
    """Computes `tf.matrix_triangular_solve`; a zero on the diagonal ends the run with
    an InvalidArgumentError.
    """

    def suspect(unused_solution: tf.Tensor, matrix: tf.Tensor, rhs: tf.Tensor) -> tf.Tensor:
        diagonal = tf.abs(tf.linalg.diag_part(matrix))
        return _nan_where(tf.equal(diagonal, 0) & (tf.size(rhs) > 0), diagonal)

    solution = _installed("matrix_triangular_solve")(
        matrix, rhs, lower=lower, adjoint=adjoint, name=name
    )
    return _checked(solution, [matrix, rhs], suspect, _SINGULAR)


def _installed(name: str) -> Callable[..., tf.Tensor]:
    function: Callable[..., tf.Tensor] = _compat.resolve(
        "tensorflow.python.ops.gen_linalg_ops." + name
    )
    return function


def _checked(
    result: object, given: list[Any], suspect: Callable[..., tf.Tensor], message: str
) -> tf.Tensor:
    """Returns `result`, and makes its consumers fail with `message` where `suspect(result,
    *inputs)` has a NaN.

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

"""An error is caught that TensorFlow 2 does not raise for a matrix without a factor or a solution.

TensorFlow 1 ended the run in an InvalidArgumentError where a matrix had no Cholesky factor, or a triangular or
tridiagonal one could not be solved. TensorFlow 2 gives NaN or infinity, and for complex matrices whatever was in the
memory: what the program does about the error, such as to add to the diagonal, never happens. `tf1grad run` brings the
error back.
"""

import ast
from typing import Iterator, List

from tf1grad.old_programs.source.program import Program

ID = "TFG314"
SEVERITY = "warning"
SUMMARY = "Never reached: TensorFlow 2 raises nothing for a matrix without a factor or a solution, and gives NaN."
REMEDY = "tf.debugging.check_numerics(factor, message), which raises the error that is caught."
BAD = """
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
jitter = tf.placeholder(tf.float64, [])
factor = tf.cholesky(tf.ones([2, 2], tf.float64) + jitter * tf.eye(2, dtype=tf.float64))
with tf.Session() as session:
    try:
        session.run(factor, {jitter: -1e-6})
    except tf.errors.InvalidArgumentError:
        session.run(factor, {jitter: 1e-6})
"""
GOOD = """
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
jitter = tf.placeholder(tf.float64, [])
factor = tf.cholesky(tf.ones([2, 2], tf.float64) + jitter * tf.eye(2, dtype=tf.float64))
factor = tf.debugging.check_numerics(factor, "no Cholesky factor")
with tf.Session() as session:
    try:
        session.run(factor, {jitter: -1e-6})
    except tf.errors.InvalidArgumentError:
        session.run(factor, {jitter: 1e-6})
"""
_ERRORS = {"tensorflow." + name for name in """
    OpError errors.InvalidArgumentError errors.OpError python.framework.errors.InvalidArgumentError
    python.framework.errors_impl.InvalidArgumentError""".split()}
_SOLVERS = {"tensorflow." + name for name in """
    cholesky cholesky_solve linalg.cholesky linalg.cholesky_solve linalg.logdet linalg.triangular_solve
    linalg.tridiagonal_solve matrix_solve_ls matrix_triangular_solve""".split()}
_CHECKS = {"tensorflow." + name for name in "add_check_numerics_ops check_numerics debugging.check_numerics".split()}


def findings(program: Program) -> Iterator[ast.expr]:
    """What is caught around a run, where a solver is used whose results nobody looks at."""
    names = {use.name for use in program.names.uses}
    if not program.is_tf1 or not names & _SOLVERS or names & _CHECKS:
        return
    errors = {use.node for use in program.names.uses if use.name in _ERRORS}
    for attempt, _ in program.nodes(ast.Try):
        for handler in attempt.handlers if _runs(attempt.body) else ():
            if handler.type is not None and errors.intersection(ast.walk(handler.type)):
                yield handler.type


def _runs(body: List[ast.stmt]) -> bool:
    """True where something is run: restoring a checkpoint raises the same error still."""
    called = [node.func for part in body for node in ast.walk(part) if isinstance(node, ast.Call)]
    return any(isinstance(function, ast.Attribute) and function.attr in ("eval", "run") for function in called)

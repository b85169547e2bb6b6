"""A caught error is never raised on TensorFlow 2: a matrix without a factor or a solution.

TensorFlow 1 ended the run with an InvalidArgumentError if a matrix had no Cholesky factor, or if a
triangular or tridiagonal system could not be solved. TensorFlow 2 returns NaN or infinity, and for
complex matrices arbitrary memory. The program's error handling, such as adding to the diagonal,
never runs. `tf1grad run` restores the error.

Reported are runs whose fetches the file makes with a solver. A handler of any `Exception` counts if
the result of a solver is fetched.
"""

from __future__ import annotations

import ast
from typing import Iterator

from tf1grad.programs.source.program import Program
from tf1grad.programs.source.scopes import dotted
from tf1grad.upgrade.rules import Findings

ID = "TFG314"
SEVERITY = "warning"
OF_TENSORFLOW_2 = True
SUMMARY = "Never reached: for a matrix without a factor or a solution, TensorFlow 2 raises no error and returns NaN."
REMEDY = "Add tf.debugging.check_numerics(factor, message), which raises the error that is caught."
EXAMPLE = """
  jitter = tf.placeholder(tf.float64, [])
  ones = tf.ones([2, 2], tf.float64)
  factor = tf.cholesky(ones + jitter * tf.eye(2, dtype=tf.float64))
+ factor = tf.debugging.check_numerics(factor, "no Cholesky factor")
  with tf.Session() as session:
      try:
          session.run(factor, {jitter: -1e-6})
      except tf.errors.InvalidArgumentError:
          session.run(factor, {jitter: 1e-6})
"""
_ERRORS = {
    "tensorflow." + name
    for name in (
        "OpError",
        "errors.InvalidArgumentError",
        "errors.OpError",
        "python.framework.errors.InvalidArgumentError",
        "python.framework.errors_impl.InvalidArgumentError",
    )
}
_SOLVERS = {
    "tensorflow." + name
    for name in (
        "cholesky",
        "cholesky_solve",
        "linalg.cholesky",
        "linalg.cholesky_solve",
        "linalg.logdet",
        "linalg.triangular_solve",
        "linalg.tridiagonal_solve",
        "matrix_solve_ls",
        "matrix_triangular_solve",
    )
}
_CHECKS = {
    "tensorflow." + name
    for name in ("add_check_numerics_ops", "check_numerics", "debugging.check_numerics")
}


def findings(program: Program) -> Findings:
    """Yields the errors that are caught around a run of a solver,
    in programs that do not check its results.
    """
    names = {use.name for use in program.names.uses}
    if not program.is_tf1 or not names & _SOLVERS or names & _CHECKS:
        return
    solvers: set[ast.AST] = {use.node for use in program.names.uses if use.name in _SOLVERS}
    errors = {use.node for use in program.names.uses if use.name in _ERRORS}
    for attempt, _ in program.nodes(ast.Try):
        fetched = [node for part in attempt.body for node in _fetched(part)]
        is_solved = any(solvers.intersection(program.made_of(node)) for node in fetched)
        is_result = any(getattr(program.value(node), "func", None) in solvers for node in fetched)
        for handler in attempt.handlers if is_solved else ():
            if handler.type is not None and (
                errors.intersection(ast.walk(handler.type))
                or (is_result and dotted(handler.type) == "Exception")
            ):
                yield handler.type


def _fetched(statement: ast.stmt) -> Iterator[ast.expr]:
    """Yields the fetches of each run. Restoring a checkpoint is none:
    it still raises the same error.
    """
    for node in ast.walk(statement):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr == "run":
                for fetches in node.args[:1]:
                    yield from getattr(fetches, "elts", [fetches])
            elif node.func.attr == "eval":
                yield node.func.value

"""A moving average decays in each run of a train op that applies only every few runs.

The train op of a `tf1grad.AccumulatingOptimizer` applies a step in every `batches_per_step`-th run.
Ops that follow it run in all of them, so `ExponentialMovingAverage.apply` decays several times a
step.
"""

from __future__ import annotations

import ast

from tf1grad.programs.source.program import Program
from tf1grad.programs.source.training_steps import control_dependencies
from tf1grad.upgrade.rules import Findings

ID = "TFG315"
SEVERITY = "warning"
SUMMARY = (
    "This moving average decays in each run of the train op, also in those that only accumulate."
)
REMEDY = "Use tf.cond(optimizer.step_applied, lambda: average.apply(variables), tf.no_op)."
EXAMPLE = """
  w = tf.get_variable("w", [3])
  adam = tf.train.AdamOptimizer()
  optimizer = tf1grad.AccumulatingOptimizer(adam, batches_per_step=8)
  train = optimizer.minimize(tf.reduce_sum(w ** 2))
  average = tf.train.ExponentialMovingAverage(0.99)
- with tf.control_dependencies([train]):
-     train = average.apply([w])
+ train = tf.cond(optimizer.step_applied, lambda: average.apply([w]), tf.no_op)
"""
_AVERAGE = "tensorflow.train.ExponentialMovingAverage"


def findings(program: Program) -> Findings:
    for call in program.calls:
        if call.method == "apply" and _maker(program, call.node) == _AVERAGE:
            for awaited in control_dependencies(program, call.node):
                makers = [_maker(program, part) for part in program.made_of(awaited)]
                if "tf1grad.AccumulatingOptimizer" in makers:
                    yield call.node


def _maker(program: Program, node: ast.AST) -> str | None:
    """Returns the name of the class or function that made the object whose method a call names."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    made = program.value(node.func.value)
    if not isinstance(made, ast.Call):
        return None
    return program.names.resolve(made.func, program.scopes[made])

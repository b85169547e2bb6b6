"""A moving average decays in each run of a train op that applies only every few runs.

The train op of a `tf1grad.AccumulatingOptimizer` applies a step in every `batches_per_step`-th run. Ops that follow it
run in all of them, so `ExponentialMovingAverage.apply` decays several times a step.
"""

import ast
from typing import Any, List, Optional

from tf1grad.old_programs.rules import Findings
from tf1grad.old_programs.source.program import Program
from tf1grad.old_programs.source.training_steps import control_dependencies

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


def findings(program: Program) -> Findings:
    return [
        call.node
        for call in program.calls
        if call.method == "apply"
        and "tensorflow.train.ExponentialMovingAverage" in _makers(program, call.node)
        and any(
            _is_window(program, op)
            for awaited in control_dependencies(program, call.node)
            for op in ast.walk(awaited)
        )
    ]


def _is_window(program: Program, op: ast.AST) -> bool:
    """Returns True for the train op of an `AccumulatingOptimizer`, or a name for it."""
    return any(
        "tf1grad.AccumulatingOptimizer" in _makers(program, call) for call in _calls(program, op)
    )


def _makers(program: Program, method: ast.Call) -> List[Optional[str]]:
    """Returns the names of the classes or functions that may have made the object whose method is called."""
    owner = method.func.value if isinstance(method.func, ast.Attribute) else None
    return [
        program.names.resolve(call.func, program.scopes[call]) for call in _calls(program, owner)
    ]


def _calls(program: Program, node: Optional[ast.AST]) -> List[ast.Call]:
    """Returns the call that an expression is, or the calls that its name is assigned."""
    values: List[Any] = [node]
    if isinstance(node, (ast.Name, ast.Attribute)):
        _, bindings = program.names.bindings_of(node, program.scopes[node])
        values = [value for value, _ in bindings]
    return [value for value in values if isinstance(value, ast.Call)]

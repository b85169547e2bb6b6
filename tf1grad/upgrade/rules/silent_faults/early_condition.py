"""A condition reads a counter without waiting for its increment.

`tf.cond` waits for the increment, but its condition was computed from the counter before: outside
of the `tf.control_dependencies`. Whether it sees the old or the new count may change from run to
run, so the gradients may be applied at the wrong run.
"""

import ast
from typing import Iterator

from tf1grad.programs.source.program import Program, argument
from tf1grad.programs.source.scopes import call_name, dotted
from tf1grad.programs.source.training_steps import control_dependencies
from tf1grad.upgrade.rules import Findings

ID = "TFG316"
SEVERITY = "warning"
SUMMARY = "The condition reads the counter outside of the control dependencies that wait for its increment."
REMEDY = (
    "Compute the condition from the increment's own result; tf1grad.AccumulatingOptimizer does so."
)
EXAMPLE = """
  w = tf.get_variable("w", [3])
  optimizer = tf.train.AdamOptimizer()
  pairs = optimizer.compute_gradients(tf.reduce_sum(w ** 2))
  counter = tf.Variable(0, trainable=False)
  increment = tf.assign_add(counter, 1)
- is_full = tf.equal(counter % 8, 0)
+ is_full = tf.equal(increment % 8, 0)
  with tf.control_dependencies([increment]):
      tf.cond(is_full, lambda: optimizer.apply_gradients(pairs), tf.no_op)
"""


def findings(program: Program) -> Findings:
    """Yields the conditions of steps in a program."""
    for call in program.calls:
        condition = argument(call.node, 0, "pred") if call.name == "tensorflow.cond" else None
        if condition is None or "apply_gradients" not in map(call_name, program.made_of(call.node)):
            continue
        awaited = control_dependencies(program, call.node)
        counters = {dotted(target) for op in awaited for target in _counted(program, op)}
        parts = list(program.made_of(condition))
        reads = [part for part in parts if dotted(part) in counters - {None}]
        is_early = any(not list(control_dependencies(program, read)) for read in reads)
        if is_early and "assign_add" not in map(call_name, parts):
            yield condition


def _counted(program: Program, op: ast.expr) -> Iterator[ast.AST]:
    """Yields the variables that an op adds to."""
    for part in program.made_of(op):
        if isinstance(part, ast.Call) and call_name(part) == "assign_add":
            if program.names.resolve(part.func, program.scopes[part]):
                yield from part.args[:1]
            else:
                yield getattr(part.func, "value", part)

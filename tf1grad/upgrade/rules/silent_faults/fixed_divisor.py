"""Accumulated gradients are divided by a fixed number.

The sum over a window is a mean only if it is divided by what was really added. The last window of
an epoch is often short, micro-batches differ in size, and a gradient that is None raises in a
division. A divisor that the program counts or feeds is not reported.
"""

import ast

from tf1grad.programs.source.program import Program
from tf1grad.programs.source.scopes import call_name
from tf1grad.upgrade.rules import Findings

ID = "TFG305"
SEVERITY = "warning"
SUMMARY = "The gradients of several batches are divided by a fixed number. If fewer were added, the mean is wrong."
REMEDY = (
    "Use tf1grad.GradientAccumulator(optimizer.compute_gradients(loss), loss=loss, weight=...), which divides by "
    "the sum of the weights that were really added. The weight is the size of the micro-batch."
)
EXAMPLE = """
  w = tf.get_variable("w", [3])
+ batch_size = tf.placeholder(tf.float32, [])
- pairs = tf.train.AdamOptimizer().compute_gradients(tf.reduce_sum(w ** 2))
- sums = [tf.Variable(tf.zeros(v.shape), trainable=False) for _, v in pairs]
- add = [s.assign_add(g / 8) for s, (g, _) in zip(sums, pairs)]
+ loss = tf.reduce_sum(w ** 2)
+ pairs = tf.train.AdamOptimizer().compute_gradients(loss)
+ accumulator = tf1grad.GradientAccumulator(pairs, loss=loss, weight=batch_size)
"""


def findings(program: Program) -> Findings:
    """Yields the divisions of a gradient that is added, or of a sum that is applied."""
    for node, _ in program.nodes(ast.BinOp):
        if not isinstance(node.op, ast.Div):
            continue
        added = any(call_name(outer) == "assign_add" for outer in program.above(node))
        if added and program.kind(node.left) == "gradient" or _is_applied_sum(program, node):
            if not _is_counted(program, node.right):
                yield node


def _is_counted(program: Program, divisor: ast.expr) -> bool:
    """Returns True for a divisor made of a variable or a placeholder."""
    calls = [part for part in program.made_of(divisor) if isinstance(part, ast.Call)]
    return any(program.kind(call) in ("variable", "placeholder") for call in calls)


def _is_applied_sum(program: Program, node: ast.BinOp) -> bool:
    """Returns True for `accumulator / K` in the place of a gradient, in a pair that is applied."""
    parent = program.parents[node]
    return (
        isinstance(parent, ast.Tuple)
        and len(parent.elts) == 2
        and parent.elts[0] is node
        and program.kind(node.left) == "variable"
        and program.kind(parent.elts[1]) == "variable"
    )

"""A gradient can be None.

`compute_gradients` returns None for a variable that the loss does not depend on. `clip_by_value`, `clip_by_norm` and
every operator raise on it. Only programs that differentiate several losses are reported: one loss rarely leaves out a
variable.
"""

import ast
from typing import List

from tf1grad.old_programs.rules import Findings
from tf1grad.old_programs.source.program import Program
from tf1grad.old_programs.source.scopes import constant, dotted
from tf1grad.old_programs.source.training_steps import CLIPS, is_in_loop

ID = "TFG309"
SEVERITY = "warning"
SUMMARY = (
    "A gradient is None for a variable that the loss does not depend on, and then this raises."
)
REMEDY = (
    "Use tf1grad.map_gradients(fn, grads_and_vars), or tf1grad.drop_none(grads_and_vars) first."
)
EXAMPLE = """
  w = tf.get_variable("w", [3])
  b = tf.get_variable("b", [3])
  pairs = tf.train.AdamOptimizer().compute_gradients(tf.reduce_sum(w ** 2))
- clipped = [(tf.clip_by_value(g, -1.0, 1.0), v) for g, v in pairs]
+ clipped = [(tf.clip_by_value(g, -1.0, 1.0), v)
+            for g, v in pairs if g is not None]
  other = tf.train.AdamOptimizer().minimize(tf.reduce_sum(b ** 2))
"""


def findings(program: Program) -> Findings:
    """Yields the clips, products and quotients of gradients that are not compared with None anywhere around them."""
    if (
        sum(
            call.name == "tensorflow.gradients" or call.method in ("compute_gradients", "minimize")
            for call in program.calls
        )
        < 2
    ):
        return
    for call in program.calls:
        if call.name in CLIPS and call.node.args and program.kind(call.node.args[0]) == "gradient":
            if not _checks_none(program, call.node, call.node.args[0]):
                yield call.node
    for node, _ in program.nodes(ast.BinOp):
        if isinstance(node.op, (ast.Div, ast.Mult)) and is_in_loop(program, node):
            gradient = next(
                (
                    side
                    for side in (node.left, node.right)
                    if dotted(side) and program.kind(side) == "gradient"
                ),
                None,
            )
            if gradient is not None and not _checks_none(program, node, gradient):
                yield node


def _checks_none(program: Program, node: ast.expr, gradient: ast.expr) -> bool:
    """Returns True if something around the node, or the loop that yields the gradient, compares with None."""
    places = list(program.above(node))
    value = program.value(gradient)
    places += ast.walk(value) if isinstance(value, ast.AST) else []
    tests = [test for place in places for test in _tests(place)]
    return any(constant(part, part) is None for test in tests for part in ast.walk(test))


def _tests(node: ast.AST) -> List[ast.expr]:
    if isinstance(node, (ast.If, ast.IfExp)):
        return [node.test]
    if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
        return [test for generator in node.generators for test in generator.ifs]
    return []

"""A gate passes or stops the gradient.

`g * x + (1 - g) * tf.stop_gradient(x)` has the value of `x` and `g` times its gradient, as long as
`x` is finite and `g` has its dtype. Infinity times zero is NaN, both in the value and in the
gradient. Adam, momentum and weight decay still move a gated variable.
"""

import ast

from tf1grad.programs.source.program import Program
from tf1grad.programs.source.scopes import Scope, constant
from tf1grad.upgrade.rules import Findings

ID = "TFG206"
NAME = "gate"
SEVERITY = "note"
SUMMARY = "A gate stops the gradient, but the optimizer still moves the variables behind it."
REMEDY = (
    "tf1grad.gate_gradient(x, do_gradient) accepts any dtype and stops infinities; tf1grad.gate_variables also "
    "stops the optimizer."
)
EXAMPLE = """
  x = tf.get_variable("x", [3])
  learn = tf.placeholder(tf.float32, [])
- y = learn * x + (1 - learn) * tf.stop_gradient(x)
+ y = tf1grad.gate_gradient(x, learn)
"""


def findings(program: Program) -> Findings:
    for node, scope in program.nodes(ast.BinOp):
        if isinstance(node.op, ast.Add) and any(
            _is_gate(program, scope, *sides)
            for sides in ((node.left, node.right), (node.right, node.left))
        ):
            yield node


def _is_gate(program: Program, scope: Scope, opened: ast.expr, closed: ast.expr) -> bool:
    """Returns True for `g * x` and `(1 - g) * stop_gradient(x)`."""
    if not (isinstance(opened, ast.BinOp) and isinstance(opened.op, ast.Mult)):
        return False
    calls = [node for node in ast.walk(closed) if isinstance(node, ast.Call)]
    if all(program.names.resolve(call.func, scope) != "tensorflow.stop_gradient" for call in calls):
        return False
    gates = [
        node.right
        for node in ast.walk(closed)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and constant(node.left) == 1
    ]
    factors = [ast.dump(factor) for factor in (opened.left, opened.right)]
    return any(ast.dump(gate) in factors for gate in gates)

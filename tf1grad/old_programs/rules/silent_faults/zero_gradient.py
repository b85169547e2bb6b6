"""Gradients are set to zero to freeze variables.

A gradient of zero is still a gradient: Adam and momentum keep moving the variable by what they remember, and weight
decay shrinks it. A variable is frozen only if its pair is not applied.
"""

import ast

from tf1grad.old_programs.rules import Findings
from tf1grad.old_programs.source.program import Program

ID = "TFG312"
SEVERITY = "warning"
SUMMARY = "Gradients are set to zero to freeze variables, but Adam, momentum and weight decay still move them."
REMEDY = "Use tf1grad.without(grads_and_vars, scope), which removes the pairs."
EXAMPLE = """
  w = tf.get_variable("w", [3])
  optimizer = tf.train.AdamOptimizer()
  pairs = optimizer.compute_gradients(tf.reduce_sum(w ** 2))
- frozen = [(tf.zeros_like(g), v) for g, v in pairs if g is not None]
- train = optimizer.apply_gradients(frozen)
+ train = optimizer.apply_gradients(tf1grad.without(pairs, "w"))
"""


def findings(program: Program) -> Findings:
    for node, scope in program.nodes(ast.Tuple):
        if len(node.elts) == 2 and isinstance(node.ctx, ast.Load):
            gradient = node.elts[0]
            origins = [
                program.kinds.of(side, scope).origin
                for side in (
                    [gradient.body, gradient.orelse]
                    if isinstance(gradient, ast.IfExp)
                    else [gradient]
                )
            ]
            if "zeros" in origins and program.kind(node.elts[1]) == "variable":
                yield gradient

"""Gradients are set to zero to freeze variables.

A gradient of zero is still a gradient: Adam and momentum keep moving the variable by what they
remember, and weight decay shrinks it. A variable is frozen only if its pair is not applied.
"""

from __future__ import annotations

import ast

from tf1grad.programs.source.program import Program
from tf1grad.programs.source.scopes import Scope, call_name, constant, dotted
from tf1grad.upgrade.rules import Findings

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
    """Yields the expressions in the place of a gradient,
    and the assignments to one, that may be zero.
    """
    places: list[ast.expr] = []
    for pair, _ in program.nodes(ast.Tuple):
        if len(pair.elts) == 2 and isinstance(pair.ctx, ast.Load):
            if program.kind(pair.elts[1]) == "variable":
                places.append(pair.elts[0])
    comprehensions: list[tuple[ast.ListComp | ast.GeneratorExp, Scope]] = program.nodes(
        ast.ListComp, ast.GeneratorExp
    )
    places += [made.elt for made, _ in comprehensions if isinstance(made.elt, ast.IfExp)]
    for assignment, _ in program.nodes(ast.Assign):
        if _is_set_to_zero(program, assignment):
            places.append(assignment.value)
    return [place for place in places if _may_be_zero(program, place)]


def _may_be_zero(program: Program, node: ast.expr) -> bool:
    """Returns True for zeros made of a gradient, and for a choice between them and one;
    not in place of None.
    """
    if isinstance(node, ast.IfExp):
        sides = [node.body, node.orelse]
        is_gradient = any(program.kind(side) == "gradient" for side in sides)
        return is_gradient and not _asks_for_none(node.test) and any(map(_is_zeros, sides))
    if isinstance(node, ast.BinOp):
        factors = [side for side in (node.left, node.right) if isinstance(side, ast.IfExp)]
        values = [value for side in factors for value in (side.body, side.orelse)]
        if program.kind(node) == "gradient" and 0 in map(constant, values):
            return True
    is_made_here = isinstance(node, (ast.BinOp, ast.Call))
    return is_made_here and program.kinds.of(node, program.scopes[node]).origin == "zeros"


def _is_set_to_zero(program: Program, assignment: ast.Assign) -> bool:
    """Returns True for `g = tf.zeros_like(g)`, where it does not replace None."""
    target = dotted(assignment.targets[0])
    names = [dotted(part) for part in ast.walk(assignment.value)]
    conditions = [outer.test for outer in program.above(assignment) if isinstance(outer, ast.If)]
    return target in names and target is not None and not any(map(_asks_for_none, conditions))


def _is_zeros(node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp):
        return 0 in (constant(node.left), constant(node.right))
    return call_name(node) in ("zeros", "zeros_like")


def _asks_for_none(test: ast.expr) -> bool:
    return isinstance(test, ast.Compare) and constant(test.comparators[0], 0) is None

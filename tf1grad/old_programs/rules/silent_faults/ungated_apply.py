"""Gradients are applied while others are still computed.

`optimizer.compute_gradients` gates: no variable is written before all gradients are computed. Gradients of
`tf.gradients` are not gated, and on ref variables a gradient may be computed from weights that the same step has
already changed. One gradient, applied to one variable, is computed before.
"""

import ast
import itertools
from typing import Iterator

from tf1grad.old_programs.rules import Findings
from tf1grad.old_programs.source.program import Call, Program
from tf1grad.old_programs.source.scopes import call_name, dotted
from tf1grad.old_programs.source.training_steps import applied_pairs, control_dependencies, updated

ID = "TFG304"
SEVERITY = "warning"
SUMMARY = (
    "Gradients of tf.gradients are applied while others are still computed from the same variables."
)
REMEDY = "Use optimizer.minimize or optimizer.compute_gradients, which wait; or tf.tuple(gradients) before applying."
EXAMPLE = """
  w, b = tf.get_variable("w", [3]), tf.get_variable("b", [3])
  loss = tf.reduce_sum((w * b) ** 2)
- gradients = tf.gradients(loss, [w, b])
  optimizer = tf.train.GradientDescentOptimizer(0.1)
- train = optimizer.apply_gradients(zip(gradients, [w, b]))
+ train = optimizer.minimize(loss, var_list=[w, b])
"""


def findings(program: Program) -> Findings:
    """Yields the updates of variables with their gradients from `tf.gradients`, by `apply_gradients` or by hand."""
    for call, pairs in applied_pairs(program):
        if program.kinds.of(pairs, call.scope).origin == "tensorflow.gradients":
            if not _is_one_pair(program, pairs) and _are_applied_to_their_own(program, pairs):
                yield call.node
    for call in program.calls:
        if call.method in ("assign", "assign_sub") and _is_ungated_step(program, call):
            yield call.node


def _is_ungated_step(program: Program, call: Call) -> bool:
    """Returns True for `w.assign(w - rate * g)` in a loop over variables and gradients, if it waits for nothing."""
    target = updated(call)
    if target is None or program.kind(target) != "variable":
        return False
    if "tensorflow.gradients" not in program.kinds.gradients_in(call.node, call.scope):
        return False
    loops = [
        loop
        for outer in program.above(call.node)
        for loop in getattr(outer, "generators", [outer] if isinstance(outer, ast.For) else [])
    ]
    return not any(control_dependencies(program, call.node)) and any(
        _are_their_own(program, *sides)
        for loop in loops
        if isinstance(loop.iter, ast.Call)
        and call_name(loop.iter) == "zip"
        and not _is_one_pair(program, loop.iter)
        for sides in itertools.permutations(loop.iter.args, 2)
    )


def _is_one_pair(program: Program, pairs: ast.expr) -> bool:
    """Returns True for `[(gradient, w)]`, and for `zip(gradients, [w])`."""
    value = program.value(pairs)
    if isinstance(value, ast.Call) and call_name(value) in ("list", "zip"):
        return any(_is_one_pair(program, given) for given in value.args)
    return isinstance(value, (ast.List, ast.Tuple)) and len(value.elts) == 1


def _are_applied_to_their_own(program: Program, pairs: ast.expr) -> bool:
    """Returns False if the text shows that the gradients are of other variables than those that they are applied to."""
    zips = [call.args[:2] for call in _calls(program, pairs, "zip")]
    return any(_are_their_own(program, *sides) for sides in zips) or not any(
        any(_calls(program, gradients, "gradients")) for gradients, _ in zips
    )


def _are_their_own(program: Program, gradients: ast.expr, variables: ast.expr) -> bool:
    """Returns True if the gradients are made by a `tf.gradients` of these variables."""
    return any(
        _are_same(program, variables, call.args[1])
        for call in _calls(program, gradients, "gradients")
    )


def _calls(program: Program, node: ast.expr, name: str) -> Iterator[ast.Call]:
    """Yields the calls of a function with several arguments that an expression is made of."""
    for part in program.made_of(node):
        if isinstance(part, ast.Call) and call_name(part) == name and len(part.args) > 1:
            yield part


def _are_same(program: Program, one: ast.expr, other: ast.expr) -> bool:
    if dotted(one) is not None and dotted(one) == dotted(other):
        return True
    first, second = program.value(one), program.value(other)
    if not isinstance(first, ast.AST) or not isinstance(second, ast.AST):
        return False
    return ast.dump(first) == ast.dump(second)

"""Gradients are applied while others are still computed.

`optimizer.compute_gradients` gates: no variable is written before all gradients are computed. Gradients of
`tf.gradients` are not gated, and on ref variables a gradient may be computed from weights that the same step has
already changed. One gradient, applied to one variable, is computed before.
"""

import ast
from typing import Iterator, Tuple

from tf1grad.old_programs.rules import Findings
from tf1grad.old_programs.source.program import Call, Program
from tf1grad.old_programs.source.scopes import Expression, Part, Scope, call_name, dotted
from tf1grad.old_programs.source.training_steps import (
    applied_pairs,
    control_dependencies,
    updated,
)

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
DEPTH = 6  # of names that stand for names


def findings(program: Program) -> Findings:
    """Yields updates of variables with their gradients from `tf.gradients`: `apply_gradients` and hand-written ones."""
    yield from _hand_written(program)
    yield from (
        call.node
        for call, pairs in applied_pairs(program)
        if program.kinds.of(pairs, call.scope).origin == "tensorflow.gradients"
        and not _is_one_pair(program, pairs, call.scope)
        and _are_applied_to_their_own(program, pairs, call.scope)
    )


def _hand_written(program: Program) -> Iterator[ast.Call]:
    """Yields `w.assign(...)` in a loop over variables and their gradients, if nothing waits for all gradients."""
    for call in program.calls:
        if call.method not in ("assign", "assign_sub"):
            continue
        around = list(program.above(call.node))
        if "tensorflow.gradients" not in program.kinds.gradients_in(call.node, call.scope):
            continue
        if list(control_dependencies(program, call.node)):
            continue
        for outer in around:
            loops = getattr(outer, "generators", [outer] if isinstance(outer, ast.For) else [])
            for loop in loops:
                if _has_variables_and_gradients(program, loop.iter, call):
                    yield call.node


def _has_variables_and_gradients(program: Program, pairs: ast.expr, update: Call) -> bool:
    """Returns True for `zip(variables, tf.gradients(loss, variables))`, if the update is of one of these variables."""
    if not (isinstance(pairs, ast.Call) and call_name(pairs) == "zip" and len(pairs.args) == 2):
        return False
    scope = program.scopes[pairs]
    for variables, gradients in (pairs.args, pairs.args[::-1]):
        for call, where in _calls(program, gradients, scope, "gradients"):
            if len(call.args) > 1 and _are_same(program, (variables, scope), (call.args[1], where)):
                target = updated(update)
                return target is not None and program.kind(target) == "variable"
    return False


def _is_one_pair(program: Program, pairs: ast.expr, scope: Scope) -> bool:
    """Returns True for `[(gradient, w)]`, and for `zip(gradients, [w])`."""
    value, where = program.kinds.value(pairs, scope)
    if isinstance(value, ast.Call) and call_name(value) in ("list", "zip") and value.args:
        return _is_one_pair(program, value.args[-1], where)
    return isinstance(value, (ast.List, ast.Tuple)) and len(value.elts) == 1


def _are_applied_to_their_own(program: Program, pairs: ast.expr, scope: Scope) -> bool:
    """Returns False if the text shows that the gradients are of other variables than those that they are applied to."""
    for call, where in _calls(program, pairs, scope, "zip"):
        differentiated = (
            [
                (inner.args[1], inside)
                for inner, inside in _calls(program, call.args[0], where, "gradients")
                if len(inner.args) > 1
            ]
            if len(call.args) == 2
            else []
        )
        if differentiated:
            return any(_are_same(program, (call.args[1], where), each) for each in differentiated)
    return True


def _calls(
    program: Program, node: Expression, scope: Scope, name: str, depth: int = 0
) -> Iterator[Tuple[ast.Call, Scope]]:
    """Yields the calls of a function that an expression is made of, through the names in it."""
    value, where = program.kinds.value(node, scope)
    root = value.node if isinstance(value, Part) else value
    for part in ast.walk(root) if depth < DEPTH else ():
        if isinstance(part, ast.Call) and call_name(part) == name:
            yield part, where
        elif isinstance(part, (ast.Name, ast.Attribute)) and part is not node:
            inner = program.kinds.value(part, where)[0]
            if inner is not part:
                yield from _calls(program, part, where, name, depth + 1)


def _are_same(program: Program, one: Tuple[ast.expr, Scope], other: Tuple[ast.expr, Scope]) -> bool:
    if dotted(one[0]) is not None and dotted(one[0]) == dotted(other[0]):
        return True
    values = [program.kinds.value(*each)[0] for each in (one, other)]
    return (
        all(isinstance(value, ast.AST) for value in values)
        and len({ast.dump(value) for value in values if isinstance(value, ast.AST)}) == 1
    )

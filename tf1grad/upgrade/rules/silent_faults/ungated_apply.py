"""Gradients are applied while others are still computed.

`optimizer.compute_gradients` gates: no variable is written before all gradients are computed.
Gradients of `tf.gradients` are not gated, and on ref variables a gradient may be computed from
weights that the same step has already changed. One gradient, applied to one variable, is computed
before.
"""

from __future__ import annotations

import ast
import itertools
from typing import Iterator

from tf1grad.programs.source.program import Call, Program
from tf1grad.programs.source.scopes import UnpackedElement, call_name, dotted
from tf1grad.programs.source.training_steps import applied_pairs, control_dependencies, find_updated
from tf1grad.upgrade.rules import Findings

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
_STEPS = ("assign", "assign_sub")
_GRADIENTS = "tensorflow.gradients"


def findings(program: Program) -> Findings:
    """Yields the updates of variables with their gradients from `tf.gradients`, by
    `apply_gradients` or by hand.
    """
    for call, pairs in applied_pairs(program):
        if program.kinds.of(pairs, call.scope).origin == _GRADIENTS:
            if not _is_one_pair(program, pairs) and _are_applied_to_their_own(program, pairs):
                yield call.node
    for call in program.calls:
        if call.method in _STEPS and _is_ungated_step(program, call):
            yield call.node
    yield from _steps_beside_others(program)


def _is_ungated_step(program: Program, call: Call) -> bool:
    """Returns True for `w.assign(w - rate * g)` in a loop over variables and gradients,
    if it waits for nothing.
    """
    target = find_updated(call)
    if target is None or program.kind(target) != "variable":
        return False
    if _GRADIENTS not in program.kinds.gradients_in(call.node, call.scope):
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


def _steps_beside_others(program: Program) -> Iterator[ast.Call]:
    """Yields the steps outside of loops (`w.assign_sub(rate * g)`) where another
    variable has one for this loss.
    """
    steps: dict[str, list[tuple[ast.Call, str | None]]] = {}
    for call in program.calls:
        target = find_updated(call) if call.method in _STEPS else None
        if target is None or any(control_dependencies(program, call.node)):
            continue
        parts = [part for given in call.node.args for part in ast.walk(given)]
        for made in filter(None, (_made_by_gradients(program, part) for part in parts)):
            variables = program.value(made.args[1])
            if any(
                _are_same(program, target, each) for each in getattr(variables, "elts", [variables])
            ):
                steps.setdefault(ast.dump(made.args[0]), []).append((call.node, dotted(target)))
                break
    for found in steps.values():
        if len({target for _, target in found}) > 1:
            yield from (node for node, _ in found)


def _made_by_gradients(program: Program, node: ast.AST) -> ast.Call | None:
    """Returns the call of `tf.gradients` that a name, or an element of it, was assigned from."""
    while isinstance(node, ast.Subscript):
        node = node.value
    made = program.value_above(node) if isinstance(node, ast.expr) else None
    while isinstance(made, (UnpackedElement, ast.Subscript)):
        made = made.node if isinstance(made, UnpackedElement) else made.value
    if not isinstance(made, ast.Call) or len(made.args) < 2 or made not in program.scopes:
        return None
    name = program.names.resolve(made.func, program.scopes[made])
    return made if name == _GRADIENTS else None


def _is_one_pair(program: Program, pairs: ast.expr) -> bool:
    """Returns True for `[(gradient, w)]`, and for `zip(gradients, [w])`."""
    value = program.value(pairs)
    if isinstance(value, ast.Call) and call_name(value) in ("list", "zip"):
        return any(_is_one_pair(program, given) for given in value.args)
    return isinstance(value, (ast.List, ast.Tuple)) and len(value.elts) == 1


def _are_applied_to_their_own(program: Program, pairs: ast.expr) -> bool:
    """Returns False if the text shows that the gradients are of other variables than those
    that they are applied to.
    """
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

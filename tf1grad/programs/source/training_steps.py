"""Finds accumulation, clipping and application of gradients in a program."""

from __future__ import annotations

import ast
from typing import Iterator

from tf1grad.programs.source.program import Call, Program, argument
from tf1grad.programs.source.scopes import call_name

CLIPS = ("tensorflow.clip_by_value", "tensorflow.clip_by_norm")
LOOPS = (ast.ListComp, ast.GeneratorExp, ast.For)


def accumulations(program: Program) -> list[Call]:
    """Returns the calls that add a gradient to a variable."""
    return [
        call
        for call in program.calls
        if call.method == "assign_add"
        and program.kinds.gradients_in(call.node, call.scope)
        and not _is_step(program, call)
    ]


def _is_step(program: Program, call: Call) -> bool:
    """Returns True for an optimizer's own update:
    of the variable of a pair, or by the square of a gradient.
    """
    target = find_updated(call)
    origins = program.kinds.gradients_in(call.node, call.scope)
    if target is not None and program.kinds.of(target, call.scope).origin in origins:
        return True
    products = [part for part in ast.walk(call.node) if isinstance(part, ast.BinOp)]
    sides = [[program.kind(part.left), program.kind(part.right)] for part in products]
    return ["gradient", "gradient"] in sides or any(
        call_name(part) in ("square", "pow") for part in ast.walk(call.node)
    )


def find_updated(call: Call) -> ast.expr | None:
    """Returns the variable of `v.assign_add(x)` and `tf.assign_add(v, x)`."""
    if call.name is None and isinstance(call.node.func, ast.Attribute):
        return call.node.func.value
    return argument(call.node, 0, "ref")


def control_dependencies(program: Program, node: ast.AST) -> Iterator[ast.expr]:
    """Yields the expressions in the `tf.control_dependencies` around a node."""
    for outer in program.above(node):
        for item in outer.items if isinstance(outer, ast.With) else ():
            if call_name(item.context_expr) == "control_dependencies":
                yield item.context_expr


def applied_pairs(program: Program) -> Iterator[tuple[Call, ast.expr]]:
    """Yields (call, the expression of the pairs) for every `apply_gradients`."""
    for call in program.calls:
        pairs = (
            argument(call.node, 0, "grads_and_vars") if call.method == "apply_gradients" else None
        )
        if pairs is not None:
            yield call, pairs


def clips_gradient(program: Program, call: Call) -> bool:
    """Returns True for a call that clips one gradient, or a list of them."""
    return (
        call.name in CLIPS
        and bool(call.node.args)
        and program.kind(call.node.args[0]) in ("gradient", "gradients")
    )


def called_layer(program: Program, call: ast.Call) -> str | None:
    """Returns the dotted class of the layer object that a call applies, such as
    `tf.layers.Dropout(0.5)(x)`.
    """
    made = program.value(call.func)
    if isinstance(made, ast.Call) and made is not call and made in program.scopes:
        return program.names.resolve(made.func, program.scopes[made])
    return None


def is_in_loop(program: Program, node: ast.AST) -> bool:
    """Returns True inside a loop or a comprehension."""
    return any(isinstance(outer, LOOPS) for outer in program.above(node))

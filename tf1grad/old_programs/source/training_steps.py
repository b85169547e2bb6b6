"""Finds accumulation, clipping and application of gradients in a program."""

import ast
from typing import Iterator, List, Tuple

from tf1grad.old_programs.source.program import Call, Program, argument

CLIPS = ("tensorflow.clip_by_value", "tensorflow.clip_by_norm")
LOOPS = (ast.ListComp, ast.GeneratorExp, ast.For)


def accumulations(program: Program) -> List[Call]:
    """Returns the calls that add a gradient to a variable."""
    return [
        call
        for call in program.calls
        if call.method == "assign_add" and program.kinds.gradients_in(call.node, call.scope)
    ]


def applied_pairs(program: Program) -> Iterator[Tuple[Call, ast.expr]]:
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


def is_in_loop(program: Program, node: ast.AST) -> bool:
    """Returns True inside a loop or a comprehension."""
    return any(isinstance(outer, LOOPS) for outer in program.above(node))


def is_tried(program: Program, node: ast.AST) -> bool:
    """Returns True inside a `try`, where programs test the platform, or whether a name exists."""
    return any(isinstance(outer, ast.Try) for outer in program.above(node))

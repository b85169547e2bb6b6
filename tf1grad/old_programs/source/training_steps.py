"""What rules ask about the training steps of a program: who accumulates, clips, applies, and where."""

import ast
from typing import Iterator, List, Tuple

from tf1grad.old_programs.source.program import Call, Program, argument

CLIPS = ("tensorflow.clip_by_value", "tensorflow.clip_by_norm")
LOOPS = (ast.ListComp, ast.GeneratorExp, ast.For)


def accumulations(program: Program) -> List[Call]:
    """The calls that add a gradient to a variable."""
    return [call for call in program.calls if call.method == "assign_add"
            and program.kinds.gradients_in(call.node, call.scope)]


def applied_pairs(program: Program) -> Iterator[Tuple[Call, ast.expr]]:
    """(call, the expression of the pairs) of every `apply_gradients`."""
    for call in program.calls:
        pairs = argument(call.node, 0, "grads_and_vars") if call.method == "apply_gradients" else None
        if pairs is not None:
            yield call, pairs


def clips_gradient(program: Program, call: Call) -> bool:
    """True for a call that clips one gradient, or a list of them."""
    return call.name in CLIPS and bool(call.node.args) and \
        program.kind(call.node.args[0]) in ("gradient", "gradients")


def is_in_loop(program: Program, node: ast.AST) -> bool:
    """True inside a loop or a comprehension."""
    return any(isinstance(outer, LOOPS) for outer in program.above(node))


def is_tried(program: Program, node: ast.AST) -> bool:
    """True inside a `try`, where programs ask what they run on, and where a name is only asked for."""
    return any(isinstance(outer, ast.Try) for outer in program.above(node))

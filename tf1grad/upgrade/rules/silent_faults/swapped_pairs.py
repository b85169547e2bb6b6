"""The pairs are unpacked in the wrong order.

`compute_gradients` returns (gradient, variable) pairs. If they are unpacked as (variable,
gradient), training silently uses weights in the place of gradients: resource variables raise no
error.
"""

from __future__ import annotations

import ast
import re

from tf1grad.programs.source.program import Program
from tf1grad.programs.source.scopes import Scope, dotted
from tf1grad.programs.source.training_steps import applied_pairs
from tf1grad.upgrade.rules import Findings

ID = "TFG308"
SEVERITY = "warning"
SUMMARY = "compute_gradients returns (gradient, variable) pairs; here they are unpacked in the wrong order."
REMEDY = "Write gradients, variables = zip(*grads_and_vars)."
EXAMPLE = """
  w = tf.get_variable("w", [3])
  pairs = tf.train.AdamOptimizer().compute_gradients(tf.reduce_sum(w ** 2))
- _, gradients = zip(*pairs)
+ gradients, _ = zip(*pairs)
"""


def findings(program: Program) -> Findings:
    """Yields the unpackings and loops with swapped names,
    and the pairs that are applied in the wrong order.
    """
    for node, _ in program.nodes(ast.Assign):
        if program.kind(node.value) == "unzipped" and _names_are_swapped(node.targets[0]):
            yield node
    loops: list[tuple[ast.For | ast.comprehension, Scope]] = program.nodes(
        ast.For, ast.comprehension
    )
    for loop, _ in loops:
        if program.kind(loop.iter) == "pairs" and _names_are_swapped(loop.target):
            yield loop.target
    for call, pairs in applied_pairs(program):
        if program.kind(pairs) == "swapped":
            yield call.node


def _names_are_swapped(target: ast.expr) -> bool:
    if not isinstance(target, (ast.Tuple, ast.List)) or len(target.elts) != 2:
        return False
    first, second = [(dotted(element) or "").split(".")[-1].lower() for element in target.elts]
    return bool(
        re.match(r"_*(g|d[A-Z]|.*grad)", second) and re.match(r"_+$|v|.*var|param|w$", first)
    )

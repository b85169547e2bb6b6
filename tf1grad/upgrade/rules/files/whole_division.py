"""Whole numbers are divided in Python 2.

There `7 / 2` is 3, in Python 3 it is 3.5, without an error: `range(n / 100)` fails, and a learning
rate or a count changes. `upgrade` writes `//` where literals, `len` and `int` show that both
numbers are whole, and leaves `/` where a float literal, `float` or a conversion such as `tf.cast(x,
tf.float32)` shows that one is not. Anywhere else it writes `tf1grad.migrate.python2.divide`, which
decides at each call. Files that import `division` from `__future__` divide as in Python 3.
"""

from __future__ import annotations

import ast

from tf1grad.programs.source import python2_programs
from tf1grad.programs.source.integer_inference import OTHER, WHOLE, infer_kind
from tf1grad.programs.source.program import Program
from tf1grad.upgrade.edits.edit_plan import Plan
from tf1grad.upgrade.rules import Findings

ID = "TFG003"
SEVERITY = "error"
SUMMARY = "Python 2 rounds this quotient of whole numbers down, Python 3 does not."
REMEDY = "Write // where both numbers are whole; `tf1grad upgrade` does it."
EXAMPLE = """
- steps = 1000 / 32
- for step in xrange(steps):
+ steps = 1000 // 32
+ for step in range(steps):
      print(step)
"""
HELPERS = "tf1grad.migrate.python2"


def findings(program: Program) -> Findings:
    """Yields each division of whole numbers, and the first of those that may be one."""
    divisions = _divisions(program)
    yield from (node for node, is_certain in divisions if is_certain)
    unknown = [node for node, is_certain in divisions if not is_certain]
    if unknown:
        others = f"; {len(unknown) - 1} more may be such" if len(unknown) > 1 else ""
        yield unknown[0], f"Python 2 rounds this quotient down if both numbers are whole{others}."


def _divisions(program: Program) -> list[tuple[python2_programs.Division, bool]]:
    """Returns (node, whether both are whole) for the divisions that differ,
    or may differ, in Python 3.
    """
    if not program.divides_whole:
        return []
    found = []
    for node in python2_programs.find_divisions(program):
        sides = (
            [node.left, node.right] if isinstance(node, ast.BinOp) else [node.target, node.value]
        )
        kinds = [infer_kind(side, program.names, program.scopes[node]) for side in sides]
        if OTHER not in kinds:
            found.append((node, kinds == [WHOLE, WHOLE]))
    return found


def rewrite(plan: Plan) -> None:
    """Writes `//` for whole numbers, and a call of a helper for numbers that may be whole."""
    for node, is_certain in _divisions(plan.program):
        if is_certain:
            plan.text.rewrite(node, "/{operator}", "operator")
        elif isinstance(node, ast.BinOp):
            plan.text.rewrite(node, f"{plan.helper(HELPERS, 'divide')}({{left}}, {{right}})")
        elif _calls_in_index(node.target):
            helper = plan.helper(HELPERS, "divide_item_in_place")
            plan.text.rewrite(node, f"{helper}({{owner}}, {{index}}, {{right}})")
        else:
            plan.text.rewrite(
                node, f"{{left}} = {plan.helper(HELPERS, 'divide_in_place')}({{left}}, {{right}})"
            )


def _calls_in_index(target: ast.expr) -> bool:
    """Says whether a target is an item whose parts call something, which is to be called once."""
    return (
        isinstance(target, ast.Subscript)
        and not any(isinstance(each, ast.Slice) for each in ast.walk(target.slice))
        and any(isinstance(each, ast.Call) for each in ast.walk(target))
    )

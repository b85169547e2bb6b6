"""Pre-1.0 name or argument order.

Version 1.0 gave many functions the names of NumPy (`tf.mul` is `tf.multiply`, `tf.pack` is
`tf.stack`), moved the summaries into `tf.summary`, and changed the argument order of `tf.concat`,
`tf.split`, `tf.image.resize_images` and losses, which now take labels first. TensorFlow 1.15 no
longer had the old names. If only the order differs, labels are recognized by their names (by their
types in `run`). `upgrade` writes the new names and orders the arguments; `tf1grad run` provides the
old ones.
"""

from __future__ import annotations

import ast
from typing import Iterator

from tf1grad.programs.names import pre_1_0
from tf1grad.programs.names.pre_1_0 import Old
from tf1grad.programs.source import old_calls
from tf1grad.programs.source.guards import is_guarded, is_guarded_call
from tf1grad.programs.source.program import Call, Program, is_open
from tf1grad.upgrade.edits import remedies
from tf1grad.upgrade.edits.edit_plan import Plan
from tf1grad.upgrade.edits.remedies import NameUse
from tf1grad.upgrade.rules import Findings, Verdict

ID = "TFG109"
NAME = "before-1-0"
SEVERITY = "error"
EXAMPLE = """
- import tensorflow as tf
-
  x = tf.placeholder(tf.float32, [2])
- y = tf.concat(0, [tf.mul(x, 2.0), x])
- tf.scalar_summary("total", tf.reduce_sum(y))
+ y = tf.concat([tf.multiply(x, 2.0), x], 0)
+ tf.summary.scalar("total", tf.reduce_sum(y))
"""


def judge(use: NameUse) -> Verdict:
    old = pre_1_0.find_gone(use.name)
    if old is None or not (use.program.is_tf1 or use.program.is_compat):
        return None
    if is_guarded(use.program, use.node):
        return None  # the program knows both names
    found = remedies.replacement_of(use)
    message = f"{use.name} is a name from before TensorFlow 1.0."
    if found is None or found.kind == "tensorflow":
        return message, f"Use {_shown(old)}."
    return message, found.advice, found.requirement


def findings(program: Program) -> Findings:
    """Yields the calls of names that still exist, with arguments in the old order."""
    for call, old in _old_calls(program) if program.is_tf1 else ():
        yield (
            call.node,
            f"The arguments of {call.name} are in the order from before TensorFlow 1.0.",
            f"Use {_shown(old)}.",
        )


def _old_calls(program: Program) -> Iterator[tuple[Call, Old]]:
    """Yields the calls for which a program does not try both forms."""
    for call, old in old_calls.calls_in_old_order(program):
        if not is_guarded_call(program, call.node):
            yield call, old


def _shown(old: Old) -> str:
    """Returns today's name, with its arguments if they changed: `tf.concat(values, axis, name)`."""
    arguments = [*old.new, *(["*", *old.keyword_only] if old.keyword_only else [])]
    return "tf." + old.target + (f"({', '.join(arguments)})" if arguments else "")


def rewrite(plan: Plan) -> None:
    for use in plan.program.names.uses:
        old = pre_1_0.find_gone(use.name)
        if old is not None and not plan.is_bound(use):
            caller = remedies.find_call(plan.program, use.node)
            if not old.old or caller is not None and _rearranged(plan, old, caller):
                plan.rename(use)
    for call, old in _old_calls(plan.program):
        _rearranged(plan, old, call.node)


def _rearranged(plan: Plan, old: Old, call: ast.Call) -> bool:
    """Plans the new order of a call's arguments; returns False if it is not certain."""
    given = None if is_open(call) else plan.text.arguments(call)
    if not given or old.recognized_by == "booleans":  # they become numbers of axes
        return False
    by_position = [each.value for each in given if each.keyword is None]
    by_keyword = [(each.keyword, each.value) for each in given if each.keyword is not None]
    try:
        positional, keywords = pre_1_0.arrange_arguments(old, by_position, by_keyword)
    except TypeError:
        return False
    plan.text.rearrange(call, [*((None, value) for value in positional), *keywords])
    return True

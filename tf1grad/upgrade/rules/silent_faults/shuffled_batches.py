"""A dataset is shuffled after it was batched.

The order of the batches changes. Which elements come together in a batch does not.
"""

import ast

from tf1grad.programs.source.program import Program, argument
from tf1grad.programs.source.scopes import call_name
from tf1grad.upgrade.rules import Findings

ID = "TFG320"
SEVERITY = "warning"
SUMMARY = "Whole batches are shuffled, and not their elements."
REMEDY = "Call shuffle before batch."
_KEEP_BATCHES = ("cache", "filter", "map", "prefetch", "repeat", "shard", "skip", "take")
EXAMPLE = """
  numbers = tf.data.Dataset.range(100)
- batches = numbers.batch(10).shuffle(100)
+ batches = numbers.shuffle(100).batch(10)
"""


def findings(program: Program) -> Findings:
    """Yields `dataset.batch(n).shuffle(m)`, and the same with methods
    between that keep the batches.
    """
    for call in program.calls_of("shuffle"):
        # Without the argument, it is another library's.
        if argument(call.node, 0, "buffer_size") is not None and _is_batched(program, call.node):
            yield call.node


def _is_batched(program: Program, node: ast.Call) -> bool:
    """Returns True if the dataset whose method is called was batched,
    in the same statement or above.
    """
    while isinstance(node.func, ast.Attribute):
        made = program.value_above(node.func.value)
        if not isinstance(made, ast.Call) or made is node:
            return False
        if call_name(made) in ("batch", "padded_batch"):
            return True
        if call_name(made) not in _KEEP_BATCHES:
            return False
        node = made
    return False

"""A dataset is shuffled after it was batched.

The order of the batches changes. Which elements come together in a batch does not.
"""

import ast

from tf1grad.old_programs.rules import Findings
from tf1grad.old_programs.source.program import Program, argument

ID = "TFG320"
SEVERITY = "warning"
SUMMARY = "Whole batches are shuffled, and not their elements."
REMEDY = "Call shuffle before batch."
EXAMPLE = """
  numbers = tf.data.Dataset.range(100)
- batches = numbers.batch(10).shuffle(100)
+ batches = numbers.shuffle(100).batch(10)
"""


def findings(program: Program) -> Findings:
    """Yields `dataset.batch(n).shuffle(m)`, and the same with methods between that keep the batches."""
    for call in program.calls:
        owner = call.node.func.value if isinstance(call.node.func, ast.Attribute) else None
        if argument(call.node, 0, "buffer_size") is None:
            continue  # another library's
        while isinstance(owner, ast.Call) and isinstance(owner.func, ast.Attribute):
            if call.method == "shuffle" and owner.func.attr == "batch":
                yield call.node
            if owner.func.attr not in ("cache", "map", "prefetch", "repeat"):
                break
            owner = owner.func.value

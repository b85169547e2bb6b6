"""One run accumulates and applies in no defined order.

The fetches of one `session.run` run in any order: an apply may read the sums before the last
micro-batch is added, or after they were reset. The order can change from run to run.
"""

import ast

from tf1grad.programs.source.program import Program, argument
from tf1grad.upgrade.rules import Findings

ID = "TFG310"
SEVERITY = "warning"
SUMMARY = "One session.run accumulates, applies or resets at once, in no defined order."
REMEDY = "Use a separate run for each, or accumulator.after(...), which orders them."
EXAMPLE = """
  w = tf.get_variable("w", [3])
  optimizer = tf.train.AdamOptimizer()
  pairs = optimizer.compute_gradients(tf.reduce_sum(w ** 2))
  total = tf.Variable(tf.zeros([3]), trainable=False)
  add = [total.assign_add(g) for g, v in pairs]
  apply = optimizer.apply_gradients([(total, w)])
  with tf.Session() as session:
-     session.run([add, apply])
+     session.run(add)
+     session.run(apply)
"""


def findings(program: Program) -> Findings:
    for call in program.calls:
        given = argument(call.node, 0, "fetches") if call.method == "run" else None
        fetches = None if given is None else program.value(given)
        if isinstance(fetches, (ast.List, ast.Tuple)):
            kinds = {program.kind(element) for element in fetches.elts}
            if len(kinds & {"accumulate", "apply", "reset"}) > 1:
                yield call.node

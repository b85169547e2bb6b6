"""Variables are chosen by scope for training.

`var_list=` accepts any list that the program filters together: with one misspelled name, other
variables train. `tf1grad.trainable_in` takes whole scopes and names each one that matches nothing;
`tf1grad.report` lists the variables that really move.
"""

import ast

from tf1grad.programs.source.program import Program, argument
from tf1grad.programs.source.scopes import Expression, call_name
from tf1grad.upgrade.rules import Findings

ID = "TFG205"
SEVERITY = "note"
REMEDY = "Use var_list=tf1grad.trainable_in(scope); tf1grad.report(train_op, loss) lists what is really frozen."
EXAMPLE = """
  with tf.variable_scope("head"):
      w = tf.get_variable("w", [3])
- head = [v for v in tf.trainable_variables() if v.name.startswith("head/")]
- train = tf.train.AdamOptimizer().minimize(tf.reduce_sum(w ** 2), var_list=head)
+ train = tf.train.AdamOptimizer().minimize(
+     tf.reduce_sum(w ** 2), var_list=tf1grad.trainable_in("head"))
"""
_POSITIONS = {"minimize": None, "compute_gradients": 1}


def findings(program: Program) -> Findings:
    for call in program.calls:
        chosen = (
            argument(call.node, _POSITIONS[call.method], "var_list")
            if call.method in _POSITIONS
            else None
        )
        if chosen is not None and _is_filtered(program.value(chosen)):
            yield call.node


def _is_filtered(chosen: Expression) -> bool:
    if isinstance(chosen, ast.Call):
        return call_name(chosen) in ("get_collection", "trainable_variables") and (
            len(chosen.args) > 1 or bool(chosen.keywords)
        )
    return isinstance(chosen, ast.ListComp) and bool(chosen.generators[0].ifs)

"""A name has moved.

`tf.contrib` left TensorFlow in 2.0 and `tf.estimator` in 2.16. Many of their names are in another
package, in tf1grad or in compat.v1: `upgrade` writes the name that the finding gives. TensorFlow
1.15 alone has the others. For these, `upgrade` writes `import tf1grad.v1 as tf` in the place of
`import tensorflow as tf`. `tf1grad run` provides all of them to an unchanged program.
"""

from tf1grad.programs.names import tensorflow_rows
from tf1grad.upgrade.edits import remedies
from tf1grad.upgrade.edits.edit_plan import Plan
from tf1grad.upgrade.edits.remedies import NameUse
from tf1grad.upgrade.rules import Verdict

ID = "TFG101"
SEVERITY = "error"
OF_TENSORFLOW_2 = True
SUMMARY = "A name has moved since TensorFlow 1; something else provides it."
REPORTED_BY_UPGRADE = True
EXAMPLE = """
+ import tensorflow.compat.v1 as tf
+ import tf1grad
+
+ tf.disable_v2_behavior()
  w = tf.get_variable("w", [2])
- search = tf.contrib.opt.ScipyOptimizerInterface(tf.reduce_sum(w ** 2))
+ search = tf1grad.ScipyOptimizerInterface(tf.reduce_sum(w ** 2))
"""
_FEEDS_VARIABLES = (
    " The original fed values to variables, which silently does nothing for resource variables. "
    "tf1grad's assigns them."
)


def judge(use: NameUse) -> Verdict:
    found = remedies.replacement_of(use)
    if not remedies.is_removed(use) or found is None or found.kind == "gone":
        return None
    fed = _FEEDS_VARIABLES if use.name.endswith("OptimizerInterface") else ""
    return f"{use.name} is gone from TensorFlow.{fed}", found.advice, found.requirement


def rewrite(plan: Plan) -> None:
    """Renames the keywords of calls whose names have other ones today;
    `Plan` itself replaces the names.
    """
    for call in plan.program.calls:
        old = tensorflow_rows.KEYWORDS.get((call.name or "").partition(".")[2], {})
        for keyword, new in old.items():
            plan.text.rename_keyword(call.node, keyword, new)

"""A name has moved.

`tf.contrib` left TensorFlow in 2.0 and `tf.estimator` in 2.16. Most of their names are in another package, in
tf1grad, in compat.v1, or in TensorFlow 1.15's own files, which `tf1grad period install` fetches. `tf1grad run`
provides them to an unchanged program; `upgrade` writes the name that the finding gives.
"""

from tf1grad.old_programs.rules import NameUse, Verdict, remedies

ID = "TFG101"
SEVERITY = "error"
SUMMARY = "A name has moved since TensorFlow 1; something else provides it."
REPORTED_BY_UPGRADE = True
EXAMPLE = """
+ import tensorflow.compat.v1 as tf
+ import tf1grad.contrib.opt
+
+ tf.disable_v2_behavior()
  w = tf.get_variable("w", [2])
- search = tf.contrib.opt.ScipyOptimizerInterface(tf.reduce_sum(w ** 2))
+ search = tf1grad.contrib.opt.ScipyOptimizerInterface(tf.reduce_sum(w ** 2))
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

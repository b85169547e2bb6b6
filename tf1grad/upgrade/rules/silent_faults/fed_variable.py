"""A variable is fed.

On ref variables, the kind that TensorFlow 1 had, a value that is fed for a variable replaces it for
the run. On resource variables the read bypasses the feed: the value is ignored without an error.
"""

from tf1grad.programs.source.feeds import keys_of_feeds
from tf1grad.programs.source.program import Program
from tf1grad.upgrade.rules import Findings

ID = "TFG301"
SEVERITY = "warning"
SUMMARY = "A variable is fed. Resource variables silently ignore the value."
REMEDY = "Assign the value, or use tf1grad.ScipyOptimizerInterface, which assigns it."
EXAMPLE = """
  w = tf.Variable([1.0, 2.0])
  with tf.Session() as session:
-     session.run(tf.reduce_sum(w), feed_dict={w: [3.0, 4.0]})
+     w.load([3.0, 4.0], session)
+     session.run(tf.reduce_sum(w))
"""


def findings(program: Program) -> Findings:
    return [key for key in keys_of_feeds(program) if program.kind(key) in ("variable", "variables")]

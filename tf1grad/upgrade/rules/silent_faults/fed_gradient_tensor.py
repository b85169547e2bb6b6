"""A gradient tensor is fed.

A value fed for the tensor that `compute_gradients` returned reaches the optimizer only if the graph
still has that tensor between the two. TensorFlow 2 rewrites such graphs, and then silently ignores
the fed value.
"""

from tf1grad.programs.source.feeds import keys_of_feeds
from tf1grad.programs.source.program import Program
from tf1grad.upgrade.rules import Findings

ID = "TFG302"
SEVERITY = "warning"
SUMMARY = "A gradient tensor is fed. TensorFlow 2 silently ignores the value if it has rewritten the graph."
REMEDY = "Use tf1grad.feed_gradients(grads_and_vars), which feeds placeholders."
EXAMPLE = """
  w = tf.get_variable("w", [3])
  optimizer = tf.train.GradientDescentOptimizer(0.1)
  pairs = optimizer.compute_gradients(tf.reduce_sum(w ** 2))
- train = optimizer.apply_gradients(pairs)
- with tf.Session() as session:
-     session.run(train, feed_dict={pairs[0][0]: [1.0, 2.0, 3.0]})
+ fed = tf1grad.feed_gradients(pairs)
+ train = optimizer.apply_gradients(fed.grads_and_vars)
"""


def findings(program: Program) -> Findings:
    return [key for key in keys_of_feeds(program) if program.kind(key) in ("gradient", "gradients")]

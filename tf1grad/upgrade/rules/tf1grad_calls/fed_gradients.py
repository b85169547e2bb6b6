"""Averaged gradients are fed back.

Gradients are fetched in every micro-batch, averaged in NumPy, and applied through placeholders.
That is right as long as every placeholder gets the mean of the right gradient.
`tf1grad.feed_gradients` makes the placeholders and the fetches, and computes the mean. For a loop
that adds gradients, `reduction="sum"` computes the sum.
"""

from tf1grad.programs.source.program import Program
from tf1grad.programs.source.training_steps import applied_pairs
from tf1grad.upgrade.rules import Findings

ID = "TFG202"
SEVERITY = "note"
REMEDY = "tf1grad.feed_gradients(grads_and_vars) fetches, averages and feeds them."
EXAMPLE = """
  w = tf.get_variable("w", [3])
  optimizer = tf.train.AdamOptimizer()
  pairs = optimizer.compute_gradients(tf.reduce_sum(w ** 2))
- means = [tf.placeholder(tf.float32, v.shape) for _, v in pairs]
- averaged = [(mean, v) for mean, (_, v) in zip(means, pairs)]
- apply = optimizer.apply_gradients(averaged)
+ fed = tf1grad.feed_gradients(pairs)
+ apply = optimizer.apply_gradients(fed.grads_and_vars)
"""


def findings(program: Program) -> Findings:
    return [
        call.node
        for call, pairs in applied_pairs(program)
        if "placeholder" in str(program.kinds.of(pairs, call.scope).origin)
    ]

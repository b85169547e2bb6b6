"""Gradients are accumulated by hand.

The textbook recipe keeps a variable beside each trained one, adds to it in every micro-batch, and
divides at the end. It works, but five details can go wrong silently: the order of add, apply and
reset in one `session.run`, the division by a fixed number, gradients that are None, sparse
gradients that become dense, and checkpoints in which the sums are missing.
`tf1grad.GradientAccumulator` is the same recipe with all five solved.
"""

from tf1grad.programs.source.program import Program
from tf1grad.programs.source.training_steps import accumulations
from tf1grad.upgrade.rules import Findings

ID = "TFG201"
SEVERITY = "note"
REMEDY = "Use tf1grad.GradientAccumulator(optimizer.compute_gradients(loss), loss=loss)."
EXAMPLE = """
  w = tf.get_variable("w", [3])
+ loss = tf.reduce_sum(w ** 2)
  optimizer = tf.train.AdamOptimizer()
- pairs = optimizer.compute_gradients(tf.reduce_sum(w ** 2))
- sums = [tf.Variable(tf.zeros(v.shape), trainable=False) for _, v in pairs]
- add = [s.assign_add(g) for s, (g, _) in zip(sums, pairs)]
- means = [(s / 8, v) for s, (_, v) in zip(sums, pairs)]
- apply = optimizer.apply_gradients(means)
+ pairs = optimizer.compute_gradients(loss)
+ accumulator = tf1grad.GradientAccumulator(pairs, loss=loss)
+ apply = optimizer.apply_gradients(accumulator.grads_and_vars)
"""


def findings(program: Program) -> Findings:
    return [call.node for call in accumulations(program)]

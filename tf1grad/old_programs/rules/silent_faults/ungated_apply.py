"""Gradients are applied while others are still computed.

`optimizer.compute_gradients` gates: no variable is written before all gradients are computed. Gradients of
`tf.gradients` are not gated, and on ref variables a gradient may be computed from weights that the same step has
already changed.
"""

import ast
from typing import List

from tf1grad.old_programs.source.program import Program
from tf1grad.old_programs.source.training_steps import applied_pairs

ID = "TFG304"
SEVERITY = "warning"
SUMMARY = "Gradients of tf.gradients are applied while others are still computed from the same variables."
REMEDY = "Use optimizer.minimize or optimizer.compute_gradients, which wait; or tf.tuple(gradients) before applying."
BAD = """
w, b = tf.get_variable("w", [3]), tf.get_variable("b", [3])
loss = tf.reduce_sum((w * b) ** 2)
gradients = tf.gradients(loss, [w, b])
optimizer = tf.train.GradientDescentOptimizer(0.1)
train = optimizer.apply_gradients(zip(gradients, [w, b]))
"""
GOOD = """
w, b = tf.get_variable("w", [3]), tf.get_variable("b", [3])
loss = tf.reduce_sum((w * b) ** 2)
optimizer = tf.train.GradientDescentOptimizer(0.1)
train = optimizer.minimize(loss, var_list=[w, b])
"""


def findings(program: Program) -> List[ast.Call]:
    """Returns the `apply_gradients` calls with gradients from `tf.gradients`."""
    return [call.node for call, pairs in applied_pairs(program)
            if program.kinds.of(pairs, call.scope).origin == "tensorflow.gradients"]

"""Accumulators are saved with the model.

A variable that is made with `trainable=False` is still a global variable, so a `tf.train.Saver()`
saves it, and expects it in checkpoints that were written before accumulation was added. Restoring
them fails.
"""

import ast

from tf1grad.programs.source.program import Program, argument
from tf1grad.programs.source.scopes import call_name, constant
from tf1grad.programs.source.training_steps import accumulations, is_in_loop
from tf1grad.upgrade.rules import Findings

ID = "TFG306"
SEVERITY = "warning"
SUMMARY = "These sums of gradients are saved with the model, so a Saver fails on older checkpoints, which lack them."
REMEDY = (
    "Pass collections=[tf.GraphKeys.LOCAL_VARIABLES], or use "
    "tf1grad.GradientAccumulator(optimizer.compute_gradients(loss), loss=loss)."
)
EXAMPLE = """
  w = tf.get_variable("w", [3])
  pairs = tf.train.AdamOptimizer().compute_gradients(tf.reduce_sum(w ** 2))
- sums = [tf.Variable(tf.zeros(v.shape), trainable=False) for _, v in pairs]
+ local = [tf.GraphKeys.LOCAL_VARIABLES]
+ sums = [tf.Variable(tf.zeros(v.shape), trainable=False, collections=local)
+         for _, v in pairs]
  add = [s.assign_add(g) for s, (g, _) in zip(sums, pairs)]
"""


def findings(program: Program) -> Findings:
    """Yields the zero variables that are made for each trained variable,
    in a program that accumulates.
    """
    for call in program.calls if accumulations(program) else ():
        if call.name in ("tensorflow.Variable", "tensorflow.get_variable"):
            trainable = argument(call.node, None, "trainable")
            zeros = any("zeros" in str(call_name(node)) for node in ast.walk(call.node))
            if (
                zeros
                and trainable is not None
                and constant(trainable) is False
                and argument(call.node, None, "collections") is None
                and is_in_loop(program, call.node)
            ):
                yield call.node

"""A graph seed alone draws different numbers.

For an op without a seed argument, `tf.set_random_seed` derives the op's seed from the number of ops before it in
TensorFlow 1, and from the number of random ops before it in TensorFlow 2. `tf1grad run`, and the call below, restore
TensorFlow 1's rule.
"""

from tf1grad.old_programs.rules import Findings
from tf1grad.old_programs.source import entry_points
from tf1grad.old_programs.source.program import Program

ID = "TFG107"
SEVERITY = "note"
OF_TENSORFLOW_2 = True
SUMMARY = "With only tf.set_random_seed, TensorFlow 2 draws other random numbers than TensorFlow 1."
REMEDY = 'For the same numbers, call tf1grad.migrate.seeds.install("tf1"), or give each random op its own seed=.'
EXAMPLE = """
- import tensorflow as tf
+ import tensorflow.compat.v1 as tf
+ import tf1grad.migrate.seeds

+ tf.disable_v2_behavior()
+ tf1grad.migrate.seeds.install("tf1")
  tf.set_random_seed(1)
  x = tf.random_normal([3])
"""


def findings(program: Program) -> Findings:
    if program.is_tf1 and all(call.name != entry_points.SEEDS for call in program.calls):
        return [call.node for call in program.calls if call.name == "tensorflow.set_random_seed"]
    return []

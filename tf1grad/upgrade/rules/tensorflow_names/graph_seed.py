"""A graph seed alone draws different numbers.

For an op without a seed argument, `tf.set_random_seed` derives the op's seed from the number of ops
before it in TensorFlow 1, and from the number of random ops before it in TensorFlow 2. `tf1grad
run` and the line `import tf1grad.v1 as tf` have TensorFlow 1's rule. A program that imports
compat.v1 has TensorFlow 2's already, and no finding.
"""

from tf1grad.programs.source.program import Program
from tf1grad.upgrade.rules import Findings

ID = "TFG107"
SEVERITY = "note"
OF_TENSORFLOW_2 = True
SUMMARY = "With only tf.set_random_seed, TensorFlow 2 draws other random numbers than TensorFlow 1."
REMEDY = (
    "For the same numbers, give each random op its own seed=, or write `import tf1grad.v1 as tf`."
)
EXAMPLE = """
- import tensorflow as tf
+ import tensorflow.compat.v1 as tf

+ tf.disable_v2_behavior()
  tf.set_random_seed(1)
- x = tf.random_normal([3])
+ x = tf.random_normal([3], seed=1)
"""


def findings(program: Program) -> Findings:
    if program.is_tf1 and not program.is_compat:
        return [call.node for call in program.calls if call.name == "tensorflow.set_random_seed"]
    return []

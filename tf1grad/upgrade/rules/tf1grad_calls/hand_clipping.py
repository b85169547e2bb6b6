"""Gradients are clipped by hand.

Between `compute_gradients` and `apply_gradients` the pairs are taken apart, clipped, and put
together again. A gradient that is None raises in `clip_by_value` and `clip_by_norm`, and repeated
rows of an embedding are counted wrong in a norm. One gradient that is infinite or NaN makes the
global norm infinite or NaN, and so every gradient NaN. tf1grad's functions of the same names take
and return pairs where TensorFlow's take and return gradients.
"""

from tf1grad.programs.source.program import Program
from tf1grad.programs.source.training_steps import clips_gradient
from tf1grad.upgrade.rules import Findings

ID = "TFG204"
NAME = "clipping"
SEVERITY = "note"
SUMMARY = "Gradients are clipped. tf1grad has functions for it that accept a gradient that is None."
REMEDY = "Nothing need change. tf1grad.clip_by_value, clip_by_norm and clip_by_global_norm take and return pairs."
_ALL_NAN = "Gradients are clipped by their norm. If one is infinite or NaN, all of them become NaN."
_RAISES = (
    "tf1grad.clip_by_global_norm takes and returns pairs, and raises an error that lists the norms; "
    'nonfinite="skip" skips the step.'
)
EXAMPLE = """
  w = tf.get_variable("w", [3])
  optimizer = tf.train.AdamOptimizer()
  pairs = optimizer.compute_gradients(tf.reduce_sum(w ** 2))
- gradients, variables = zip(*pairs)
- clipped, _ = tf.clip_by_global_norm(gradients, 5.0)
- apply = optimizer.apply_gradients(zip(clipped, variables))
+ clipped, _ = tf1grad.clip_by_global_norm(pairs, 5.0)
+ apply = optimizer.apply_gradients(clipped)
"""


def findings(program: Program) -> Findings:
    for call in program.calls:
        if call.name == "tensorflow.clip_by_global_norm":
            yield call.node, _ALL_NAN, _RAISES
        elif clips_gradient(program, call):
            yield call.node

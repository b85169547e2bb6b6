"""The norm of a sparse gradient counts repeated rows wrong.

The gradient of an embedding is sparse and may list a row several times; the true gradient has their
sum. TensorFlow's `clip_by_global_norm` takes the norm of the rows as they are listed, and so do the
clipping functions of `tf.contrib`.
"""

from tf1grad.programs.source.program import Call, Program
from tf1grad.upgrade.rules import Findings

ID = "TFG313"
SEVERITY = "note"
SUMMARY = "The norm of a sparse gradient is wrong if an embedding looks a row up more than once."
REMEDY = "Use tf1grad.clip_by_global_norm(grads_and_vars, clip_norm), or clip_by_norm, which sum repeated rows first."
EXAMPLE = """
  table = tf.get_variable("table", [10, 3])
  loss = tf.reduce_sum(tf.nn.embedding_lookup(table, [1, 1, 2]))
- clipped, norm = tf.clip_by_global_norm(tf.gradients(loss, [table]), 5.0)
+ pairs = tf.train.AdamOptimizer().compute_gradients(loss)
+ clipped, norm = tf1grad.clip_by_global_norm(pairs, 5.0)
"""


# The functions that take such a norm -> the keyword that makes them do so; "" for always.
_NORMS = {
    "tensorflow.clip_by_global_norm": "",
    "tensorflow.global_norm": "",
    "tensorflow.contrib.layers.optimize_loss": "clip_gradients",
    "tensorflow.contrib.slim.learning.clip_gradient_norms": "",
    "tensorflow.contrib.slim.learning.create_train_op": "clip_gradient_norm",
    "tensorflow.contrib.training.clip_gradient_norms": "",
    "tensorflow.contrib.training.clip_gradient_norms_fn": "",
}


def findings(program: Program) -> Findings:
    if any(_looks_rows_up(program, call) for call in program.calls):
        return [
            call.node
            for call in program.calls
            if call.name in _NORMS
            and _NORMS[call.name] in ["", *(keyword.arg for keyword in call.node.keywords)]
        ]
    return []


def _looks_rows_up(program: Program, call: Call) -> bool:
    """Returns True for a lookup in an embedding:
    the gradient of the rows of a variable is sparse.
    """
    if call.name == "tensorflow.gather":
        return bool(call.node.args) and program.kind(call.node.args[0]) == "variable"
    return call.name in ("tensorflow.nn.embedding_lookup", "tensorflow.nn.embedding_lookup_sparse")

"""Session handles are never deleted.

A handle keeps its tensor in memory until `delete()` is called on it or its session is closed: 300
batches of 1 MB are 300 MB.
"""

from tf1grad.programs.source.program import Program
from tf1grad.upgrade.rules import Findings

ID = "TFG311"
SEVERITY = "warning"
SUMMARY = "Session handles are never deleted, so their tensors stay in memory."
REMEDY = "Call handle.delete(), or use tf1grad.HandleBatchCache(batch)."
EXAMPLE = """
  handle = tf.get_session_handle(tf.random_uniform([8]))
  with tf.Session() as session:
      kept = session.run(handle)
+     kept.delete()
"""


def findings(program: Program) -> Findings:
    if any(
        call.name == "tensorflow.delete_session_tensor" or call.method == "delete"
        for call in program.calls
    ):
        return []
    return [call.node for call in program.calls if call.name == "tensorflow.get_session_handle"]

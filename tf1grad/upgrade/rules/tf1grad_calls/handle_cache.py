"""A batch is cached behind session handles.

`tf.get_session_handle` keeps a tensor in the session, so that one batch can be read many times. A
handle lives until it is deleted, does not work with a gRPC session, and after a restart its name
may mean another session's tensor. `tf1grad.HandleBatchCache` keeps a whole batch, of any structure,
and releases it.
"""

from tf1grad.programs.source.program import Program
from tf1grad.upgrade.rules import Findings

ID = "TFG203"
SEVERITY = "note"
REMEDY = "Use tf1grad.HandleBatchCache(batch); its `advance(session)` releases the handles."
EXAMPLE = """
- batch = tf.random_uniform([8])
- handle = tf.get_session_handle(batch)
+ cache = tf1grad.HandleBatchCache(tf.random_uniform([8]))
  with tf.Session() as session:
-     kept = session.run(handle)
-     kept.delete()
+     with cache.advance(session) as feed_dict:
+         session.run(cache.tensors, feed_dict=feed_dict)
"""


def findings(program: Program) -> Findings:
    return [call.node for call in program.calls if call.name == "tensorflow.get_session_handle"]

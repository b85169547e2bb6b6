"""Gives replicas of distribution strategies, which are the installed TensorFlow's,
the ops that 1.15 made for them.

Op seeds count these ops: without them, random ops in replicas have other seeds.
"""

from typing import Any, Callable

from tf1grad._compat import tf
from tf1grad.programs import _compat
from tf1grad.programs.process import patches
from tf1grad.run.op_layer import graph_owners

_ID = "_tf1grad_id"


def install() -> None:
    """Makes a constant of the id when a strategy enters a replica in a user's graph."""
    library = _compat.resolve("tensorflow.python.distribute.distribute_lib")

    def initialize(
        before: Callable[..., None], context: Any, *arguments: Any, **options: Any
    ) -> None:
        before(context, *arguments, **options)
        number = context._replica_id_in_sync_group
        is_default = isinstance(context, library._DefaultReplicaContext)
        if isinstance(number, int) and not is_default and graph_owners.is_users():
            setattr(context, _ID, tf.constant(number, tf.int32))

    def id_of(before: Callable[[Any], tf.Tensor], context: object) -> tf.Tensor:
        made = getattr(context, _ID, None)
        is_here = made is not None and made.graph is tf.get_default_graph()
        return made if is_here else before(context)

    reason = "replicas have their ids as constants of the graph, as in 1.15"
    patches.wrap(library.ReplicaContextBase, "__init__", initialize, reason=reason)
    patches.wrap(library.ReplicaContextBase, "replica_id_in_sync_group", id_of, reason="")

"""Puts ops under a lock that one run at a time holds, from any thread or session."""

from typing import Any, Callable

from tf1grad._compat import in_one_of_several_replicas, operation, tf, v1_control_flow
from tf1grad.recipes.sessions.state_variables import name_of_this_graph, on_this_task, read_or_zeros


class Exclusive:
    """A lock in the graph, for ops that read and write the same state in several steps.

    A run that holds it keeps other runs out until its ops are done, or one of them fails.

    Args:
        persistent: whether the state is persistent: on a server, clients then share the lock, as
            they share the state.
    """

    def __init__(self, persistent: bool = False) -> None:
        with tf.init_scope(), on_this_task(), tf.device("/device:CPU:0"):
            shared_name = "" if persistent else name_of_this_graph("mutex")  # "" is that of the op
            self._mutex = tf.raw_ops.MutexV2(shared_name=shared_name, name="mutex")

    def build_locked(self, build: Callable[[], Any]) -> Any:
        """Returns the tensors that `build()` makes; all ops that it makes are in the lock.

        The lock is taken after the control dependencies around the call are met, so these run in
        parallel. The replicas of a `tf.distribute` strategy take no lock: they update together.

        Args:
            build: a function that returns tensors, `tf.IndexedSlices` and None, in lists and
                tuples. Tensors that are fetched later must be among them.
        """
        if in_one_of_several_replicas():
            return build()
        lock = tf.raw_ops.MutexLock(mutex=self._mutex)
        with tf.control_dependencies([lock.op]):
            results = build()
        tensors = [
            each for each in tf.nest.flatten(results, expand_composites=True) if each is not None
        ]
        with tf.control_dependencies(tensors):
            unlocked = tf.raw_ops.ConsumeMutexLock(mutex_lock=lock)
        with tf.control_dependencies([unlocked]):
            return tf.nest.map_structure(
                lambda tensor: None if tensor is None else tf.identity(tensor),
                results,
                expand_composites=True,
            )


def count_up(variable: tf.Variable, amount: tf.Tensor) -> tf.Operation:
    """Returns the op that adds `amount` to a state variable, which may be uninitialized;
    each run counts once.
    """

    def add() -> tf.Tensor:
        counted = operation(variable.assign(read_or_zeros(variable) + amount))
        with tf.control_dependencies([counted]):
            return tf.constant(True)

    with v1_control_flow():
        return Exclusive().build_locked(add).op

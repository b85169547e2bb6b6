"""Puts ops under a lock that one run at a time holds, from any thread or session."""

import uuid
from typing import Callable, List, Optional

from tf1grad._compat import in_one_of_several_replicas, operation, tf, v1_control_flow
from tf1grad.sessions.state_variables import on_this_task

Alone = Callable[[Callable[[], List[tf.Tensor]]], List[tf.Tensor]]


class Exclusive:
    """A lock in the graph, for ops that read and write the same state in several steps.

    A run that holds it keeps other runs of its session out until its ops are done, or one of them fails. The lock is
    placed on the task that computes, as state variables are.
    """

    def __init__(self) -> None:
        # A container of its own, so that on a server no other program's lock has the same name.
        with tf.init_scope(), tf.container("tf1grad-" + uuid.uuid4().hex), on_this_task(), tf.device("/device:CPU:0"):
            self._mutex = tf.raw_ops.MutexV2(name="mutex")

    def alone(self, build: Callable[[], List[tf.Tensor]]) -> List[tf.Tensor]:
        """Returns the tensors that `build()` makes; all ops that it makes are in the lock.

        The lock is taken after the control dependencies around the call are met, so these run in parallel. The
        replicas of a `tf.distribute` strategy take no lock: they update together.

        Args:
            build: a function that returns a list of tensors. Tensors that are fetched later must be among them.
        """
        if in_one_of_several_replicas():
            return build()
        lock = tf.raw_ops.MutexLock(mutex=self._mutex)
        with tf.control_dependencies([lock.op]):
            results = build()
        with tf.control_dependencies(results):
            opened = tf.raw_ops.ConsumeMutexLock(mutex_lock=lock)
        with tf.control_dependencies([opened]):
            return [tf.identity(result) for result in results]


def count_up(variable: tf.Variable, amount: tf.Tensor, alone: Optional[Alone] = None) -> tf.Operation:
    """Returns the op that adds `amount` to a state variable, which may be uninitialized; each run counts once.

    Args:
        variable: the `state_variable`, of known shape.
        amount: a tensor of its shape and dtype.
        alone: the method `alone` of the lock that guards the variable; default: of a new one.
    """
    alone = alone or Exclusive().alone

    def begin() -> tf.Tensor:
        with tf.control_dependencies([operation(variable.assign(tf.zeros(variable.shape, variable.dtype)))]):
            return tf.constant(True)

    def begin_once() -> tf.Tensor:
        return alone(lambda: [_unless_begun(variable, begin)])[0]

    # The addition itself is atomic, so the lock is needed only until the first run has assigned zeros.
    with v1_control_flow(), tf.control_dependencies([_unless_begun(variable, begin_once)]):
        return operation(variable.assign_add(amount))


def _unless_begun(variable: tf.Variable, begin: Callable[[], tf.Tensor]) -> tf.Tensor:
    return tf.cond(tf.is_variable_initialized(variable), lambda: tf.constant(True), begin)

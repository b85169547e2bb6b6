"""Applies gradients with `tf.train.SyncReplicasOptimizer`,
and refuses what does not work inside it.

It pushes a worker's gradients to the parameter servers, where the chief's queue runner takes the
mean of all workers' and applies it; the train op of a worker only waits for its token. Gradients of
an older step (by `global_step`) than the last mean are dropped there without an error.
"""

from __future__ import annotations

from tf1grad._compat import tf
from tf1grad._types import GradsAndVars, Optimizer
from tf1grad.recipes.gradients.grads_and_vars import components
from tf1grad.recipes.gradients.train_op import as_train_op, within_train_op
from tf1grad.recipes.sessions.writes import ancestors


def apply_synchronized(
    optimizer: Optimizer,
    grads_and_vars: GradsAndVars,
    global_step: tf.Variable | None,
    name: str | None,
) -> tf.Operation:
    """Calls `apply_gradients` of a `SyncReplicasOptimizer`, inside a conditional or outside.

    Its queue runner and initializers must not depend on whether this worker's window is full, so
    they are built outside of any conditional. The push and the wait for the token follow the
    gradients, which are in it.
    """
    _check(optimizer, global_step)
    with tf.control_dependencies(components([gradient for gradient, _ in grads_and_vars])):
        computed = [
            (tf.nest.map_structure(_identity, gradient, expand_composites=True), variable)
            for gradient, variable in grads_and_vars
        ]
    with tf.control_dependencies(None), within_train_op():
        waited = optimizer.apply_gradients(computed, global_step=global_step)
    with tf.control_dependencies([waited]):
        return as_train_op(tf.no_op(name=name))


def _identity(tensor: tf.Tensor | None) -> tf.Tensor | None:
    return None if tensor is None else tf.identity(tensor)


def _check(optimizer: Optimizer, global_step: tf.Variable | None) -> None:
    if global_step is None:
        raise ValueError(
            "SyncReplicasOptimizer finds stale gradients by global_step: pass global_step=tf.train."
            "get_or_create_global_step() to minimize, apply_gradients or apply."
        )
    try:
        optimizer.get_chief_queue_runner()
    except ValueError:  # raised as long as nothing was applied
        return
    raise ValueError(
        "this SyncReplicasOptimizer was applied before, and serves one train op: a second one would push "
        "gradients that it takes for stale. To apply a short last window, give AccumulatingOptimizer a "
        "placeholder for batches_per_step and feed 1 with the last micro-batch, instead of flush()."
    )


def check_not_synchronized(grads_and_vars: GradsAndVars, caller: str) -> None:
    """Raises ValueError where the gradients, which `caller` would not apply in every run,
    are means of all workers.
    """
    ops = [tensor.op for tensor in components([gradient for gradient, _ in grads_and_vars])]
    accumulators = [
        op for op in ancestors(ops, control=False) if op.type.endswith("ConditionalAccumulator")
    ]
    if any(op.get_attr("shared_name").endswith(b"/grad_accum") for op in accumulators):
        raise ValueError(
            f"{caller} inside SyncReplicasOptimizer does not apply every mean that is taken; the workers would wait "
            "for a global_step that does not come. Put SyncReplicasOptimizer inside: "
            "AccumulatingOptimizer(SyncReplicasOptimizer(optimizer, ...), batches_per_step) sums on each worker and "
            "pushes once a window."
        )

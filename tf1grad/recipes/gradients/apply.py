"""Calls `apply_gradients` as every recipe expects it:
`global_step` counts each applied step once.
"""

from __future__ import annotations

from typing import Any, ContextManager

from tf1grad._arguments import check_optimizer
from tf1grad._compat import operation, operation_holding, require_graph, tf
from tf1grad._types import GradsAndVars, Optimizer
from tf1grad.recipes.gradients.grads_and_vars import components, merged
from tf1grad.recipes.gradients.guard_registry import obeying_guards
from tf1grad.recipes.gradients.synchronized import apply_synchronized
from tf1grad.recipes.gradients.train_op import as_train_op, within_train_op
from tf1grad.recipes.sessions.writes import writes


def apply_gradients(
    optimizer: Optimizer,
    grads_and_vars: GradsAndVars,
    global_step: tf.Variable | None = None,
    name: str | None = None,
) -> tf.Operation:
    """Calls `optimizer.apply_gradients`, and raises `global_step` by one where
    the optimizer forgets to.

    Nothing is written before every gradient is computed: if one of them fails, nothing has changed.
    None gradients reach the optimizer as None. Optimizers with an `apply_gradients` of their own
    get each row of a sparse one once.
    """
    require_graph("apply_gradients")
    check_optimizer(optimizer, "apply_gradients")
    grads_and_vars = list(grads_and_vars)
    # The class that TensorFlow's optimizers inherit it from sums equal rows itself.
    if getattr(type(optimizer), "apply_gradients", None) is not tf.train.Optimizer.apply_gradients:
        grads_and_vars = [(merged(gradient), variable) for gradient, variable in grads_and_vars]
    with obeying_guards():
        if isinstance(optimizer, tf.train.SyncReplicasOptimizer):
            return apply_synchronized(optimizer, grads_and_vars, global_step, name)
        # Not every write of an optimizer waits for a gradient: a sparse Adam decays its moments at
        # once.
        with after_gradients(grads_and_vars):
            return _apply(optimizer, grads_and_vars, global_step, name)


def _apply(
    optimizer: Optimizer,
    grads_and_vars: GradsAndVars,
    global_step: tf.Variable | None,
    name: str | None,
) -> tf.Operation:
    if global_step is None:
        return optimizer.apply_gradients(grads_and_vars, name=name)
    graph = tf.get_default_graph()
    known = len(graph.get_operations())
    applied = optimizer.apply_gradients(grads_and_vars, global_step=global_step, name=name)
    if any(
        write.variable == operation_holding(global_step)
        for write in writes(graph.get_operations()[known:])
    ):
        return applied
    with tf.control_dependencies([applied]):
        return as_train_op(operation(global_step.assign_add(1)), instead_of=applied)


def apply_part(
    optimizer: Optimizer,
    grads_and_vars: GradsAndVars,
    global_step: tf.Variable | None,
    scope: str,
) -> tf.Operation:
    """Applies as `apply_gradients` in the name scope `scope`,
    by an op that only applies a part or in a conditional.
    """
    with tf.name_scope(scope), within_train_op():
        return apply_gradients(optimizer, grads_and_vars, global_step)


def applied_after(optimizer: Optimizer, train_op: tf.Operation) -> tf.Tensor:
    """Returns a bool scalar, known after the `train_op` that `optimizer` made:
    whether it applied a step in this run.

    Any optimizer does, except for a wrapper that has a `step_applied`.
    """
    with tf.control_dependencies([train_op]):
        return tf.identity(getattr(optimizer, "step_applied", True))


def current_scope() -> str:
    """Returns the open name scope in the form in which `tf.name_scope` enters
    it again from any other.

    Optimizers name some of their variables (Adam its beta powers) after the name scope they are
    called in. They must be called in the user's scope, so that the names are those in checkpoints
    written without accumulation.
    """
    scope = tf.get_default_graph().get_name_scope()
    return scope and scope + "/"


def after_gradients(grads_and_vars: GradsAndVars) -> ContextManager[Any]:
    """Returns a context in which ops run after all gradients are computed,
    so that updates do not change them.
    """
    return tf.control_dependencies(components([gradient for gradient, _ in grads_and_vars]))

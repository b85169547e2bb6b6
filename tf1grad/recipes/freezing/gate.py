"""Makes gates that a run opens or closes: for the gradient through a tensor,
or the update of a group of variables.
"""

from __future__ import annotations

import functools
from typing import Any, Callable, Mapping

from tf1grad._arguments import describe, new_optimizers
from tf1grad._compat import require_graph, tf, v1_control_flow, variable_key, without_dependencies
from tf1grad._types import Factory, GradsAndVars, Optimizer, Pairs, ScalarLike
from tf1grad.recipes.gradients.apply import (
    after_gradients,
    applied_after,
    apply_part,
    current_scope,
)
from tf1grad.recipes.gradients.grads_and_vars import check_grads_and_vars
from tf1grad.recipes.gradients.guarded_gradients import find_guard
from tf1grad.recipes.gradients.selection import items_of, value_of_each
from tf1grad.recipes.gradients.train_op import as_train_op
from tf1grad.recipes.gradients.transforms import wide_dtype
from tf1grad.recipes.sessions.state_variables import state_variable


def gate_gradient(tensor: Any, do_gradient: ScalarLike) -> tf.Tensor:
    """Returns `tensor` with a gate for its gradient: `dx = do_gradient * dy`.

    It replaces `g * x + (1 - g) * stop_gradient(x)`: the value keeps every bit, and a closed gate
    gives zeros also where x or dy is infinite or NaN. An infinite derivative of an op before
    `tensor` still makes NaN of that zero. Adam and Momentum move on zeros: to freeze variables, use
    `gate_variables`.

    Args:
        tensor: a floating tensor of any shape.
        do_gradient: the gate, a bool, int or float (a fraction scales the gradient), or a tensor of
            that kind, of a shape that broadcasts to `tensor`'s, such as `[batch, 1]`; fed, or drawn
            in each run.

    Returns:
        A tensor equal to `tensor`. The gate itself gets no gradient.

    Raises:
        TypeError: `tensor` is not floating, or the gate is neither bool nor number.
        ValueError: the gate's shape does not broadcast to `tensor`'s.
    """
    require_graph("gate_gradient")
    tensor = tf.convert_to_tensor(tensor)
    if not tensor.dtype.is_floating:
        raise TypeError(
            f"gate_gradient: tensor must be floating, to have a gradient; got {tensor.name}, which is "
            f"{tensor.dtype.name}."
        )
    gate = _gate(do_gradient, "gate_gradient: do_gradient")
    _check_broadcast(gate, tensor)
    factor = tf.cast(gate, wide_dtype(tensor.dtype))

    @tf.custom_gradient  # type: ignore[untyped-decorator]
    def gated(value: tf.Tensor) -> tuple[tf.Tensor, Callable[[tf.Tensor], tf.Tensor]]:
        def gradient(upstream: tf.Tensor) -> tf.Tensor:
            factors = factor + tf.zeros_like(value, factor.dtype)
            product = tf.cast(factors * tf.cast(upstream, factor.dtype), upstream.dtype)
            return tf.where(tf.equal(factors, 0), tf.zeros_like(upstream), product)

        return tf.identity(value), gradient

    with tf.name_scope("gate_gradient"):
        return gated(tensor)


def gate_variables(
    grads_and_vars: GradsAndVars,
    gates: Mapping[Any, Any],
    optimizer_factory: Factory,
    global_step: tf.Variable | None = None,
    name: str | None = None,
) -> tf.Operation:
    """Applies gradients group by group, except for groups with a closed gate.

    No variable, slot or beta power of a closed group moves. Each group has a separate optimizer, so
    that Adam's beta powers count the steps that the group has taken. All gradients and gates are
    computed before any variable is written. The optimizers receive None and IndexedSlices
    unchanged.

        train_op = tf1grad.gate_variables(
            optimizer.compute_gradients(loss),
            {"encoder": step > 1000, "head": True},
            lambda: tf.train.AdamOptimizer(1e-3), global_step)

    Args:
        grads_and_vars: a list of (gradient, variable) pairs.
        gates: a dict, or a list of pairs, from a selector (see `trainable_in`) or a tuple of them
            to a gate: a scalar bool or number, open unless 0; fed, held by a `HeldGate`, or drawn
            in each run. Each variable must be in exactly one group.
        optimizer_factory: a function without arguments that returns a new `tf.train.Optimizer`,
            called once a group.
        global_step: a variable to increment by one in a run that applies a step of any group.
        name: the name scope of the ops.

    Returns:
        The op that applies the open groups.

    Raises:
        TypeError: a wrong pair, selector or gate, or a factory that is not a function or does not
            return an optimizer.
        ValueError: a selector names nothing, a variable is in two groups or not in any, a gate is
            not a scalar, or the factory returns the same optimizer twice.
    """
    pairs = check_grads_and_vars(grads_and_vars, "gate_variables")
    groups = _groups(pairs, gates)
    optimizers = new_optimizers([optimizer_factory] * len(groups), "gate_variables")
    scope = current_scope()
    with tf.name_scope(name or "gate_variables"), after_gradients(pairs):
        guard = find_guard(grads_and_vars, pairs)
        opened = [
            gate if guard is None else tf.logical_and(gate, guard.finite) for gate, _ in groups
        ]
        with tf.control_dependencies(opened):
            opened = [tf.identity(gate) for gate in opened]
        with v1_control_flow():
            applied = [
                tf.cond(gate, functools.partial(_apply, optimizer, group, scope), _not_applied)
                for gate, optimizer, (_, group) in zip(opened, optimizers, groups)
            ]
            if global_step is not None:
                any_applied = tf.reduce_any(tf.stack(applied))
                counted = functools.partial(_count_step, global_step)
                applied.append(tf.cond(any_applied, counted, _not_applied))
        return as_train_op(tf.group(*applied))


def _apply(optimizer: Optimizer, group: Pairs, scope: str) -> tf.Tensor:
    """Returns a bool scalar that applies the pairs of a group:
    whether that was a step, or only its micro-batch.
    """
    return applied_after(optimizer, apply_part(optimizer, group, None, scope))


def _count_step(global_step: tf.Variable) -> tf.Tensor:
    with tf.control_dependencies([global_step.assign_add(1)]):
        return tf.constant(True)


def _not_applied() -> tf.Tensor:
    return tf.constant(False)


class HeldGate:
    """A random gate that keeps its value from one `redraw` to the next,
    over all micro-batches of a step.

    A random op draws a new value in every run, so that a window of micro-batches would mix
    differently gated gradients.

        held = tf1grad.HeldGate(tf.random_uniform([]) < 0.5)
        gates = {"encoder": held.value, "head": True}
        train = tf1grad.gate_variables(accumulator.grads_and_vars, gates, ...)
        session.run([accumulator.reset, held.redraw])

    Args:
        draw: the tensor to hold, bool or number, with a static shape.

    Attributes:
        value: the held value; reading it before the first `redraw` fails the run.
        redraw: the op that draws a new one. Run it alone or with `reset`, not in a run that reads
            `value`.

    Raises:
        TypeError: `draw` is neither bool nor number.
        ValueError: its shape is not static.
    """

    def __init__(self, draw: tf.Tensor) -> None:
        require_graph("HeldGate")
        draw = _gate(draw, "HeldGate: draw")
        if not draw.shape.is_fully_defined():
            raise ValueError(
                f"HeldGate: draw must have a static shape; got {draw.shape} for {draw.name}. Write the "
                "size out, or hold a scalar."
            )
        held = state_variable("held_gate", draw.shape, draw.dtype)
        with without_dependencies():
            self.value = held.read_value()
            self.redraw = held.assign(draw).op


def _gate(value: object, argument: str) -> tf.Tensor:
    try:
        gate = tf.convert_to_tensor(value)
        known = gate.dtype.is_floating or gate.dtype.is_integer or gate.dtype.is_bool
    except (TypeError, ValueError):
        known = False
    if not known:
        raise TypeError(
            f"{argument} must be a bool or a number, or a tensor of them; got {describe(value)}."
        )
    return gate


def _check_broadcast(gate: tf.Tensor, tensor: tf.Tensor) -> None:
    try:
        fits = tf.broadcast_static_shape(gate.shape, tensor.shape).is_compatible_with(tensor.shape)
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(
            f"gate_gradient: do_gradient must broadcast to the shape of {tensor.name}, {tensor.shape}; "
            f"got {gate.shape}. Append axes with tf.expand_dims."
        )


def _groups(pairs: Pairs, gates: object) -> list[tuple[tf.Tensor, Pairs]]:
    """Returns a list of (gate as a bool scalar, pairs of its group)."""
    items = items_of(gates, "gate_variables", "gates")
    variables = [variable for _, variable in pairs]
    numbered = [(selector, number) for number, (selector, _) in enumerate(items)]
    group_of = value_of_each(numbered, variables, "gate_variables")
    left = [variable.name for variable in variables if variable_key(variable) not in group_of]
    if left:
        raise ValueError(
            f"gate_variables: {', '.join(left)} are in no group. Give them a gate, True to train them "
            "always, or take them out with tf1grad.without."
        )
    groups = [
        (_open(gate), [pair for pair in pairs if group_of[variable_key(pair[1])] == number])
        for number, (_, gate) in enumerate(items)
    ]
    for _, group in groups:
        if all(gradient is None for gradient, _ in group):
            raise ValueError(
                f"gate_variables: every gradient of the group {[variable.name for _, variable in group]} "
                "is None; the loss does not reach it. Leave it out with tf1grad.without."
            )
    return groups


def _open(value: object) -> tf.Tensor:
    gate = _gate(value, "gate_variables: a gate")
    if not gate.shape.is_compatible_with([]):
        raise ValueError(
            f"gate_variables: a gate must be a scalar; got shape {gate.shape} for {gate.name}. A mask "
            "over groups has one element a group: tf.unstack it."
        )
    return gate if gate.dtype.is_bool else tf.not_equal(gate, tf.zeros([], gate.dtype))

"""Validates arguments, with error messages that name the argument,
the value received and the remedy.
"""

from __future__ import annotations

import numbers
from typing import Any, Sequence

from tf1grad._compat import is_closed, tf


def describe(value: object) -> str:
    """Describes `value` in an error message: its type, and its name or a short form."""
    name = getattr(value, "name", None)
    text = name if isinstance(name, str) else repr(value)
    return f"{type(value).__name__} {text if len(text) <= 80 else text[:77] + '...'}"


def check_optimizer(
    optimizer: object, caller: str, methods: Sequence[str] = ("apply_gradients",)
) -> None:
    """Raises TypeError unless `optimizer` has the `methods` of a
    `tf.train.Optimizer` that `caller` calls.
    """
    if isinstance(optimizer, type):
        raise TypeError(
            f"{caller}: the optimizer must be an instance; got the class {optimizer.__name__}. Write "
            f"{optimizer.__name__}(learning_rate)."
        )
    # A Keras optimizer has an `apply_gradients` that takes other arguments.
    if not isinstance(optimizer, tf.train.Optimizer) and callable(
        getattr(optimizer, "get_config", None)
    ):
        methods = ("compute_gradients",) + tuple(methods)
    for method in methods:
        if not callable(getattr(optimizer, method, None)):
            raise TypeError(
                f"{caller}: the optimizer must have {method}, as every tf.train.Optimizer has; got "
                f"{describe(optimizer)}. Keras optimizers have another interface: use tf.train's."
            )


def new_optimizers(factories: Sequence[Any], caller: str) -> list[Any]:
    """Returns an optimizer of each factory, all different:
    shared beta powers would count the steps of others.
    """
    for factory in factories:
        if not callable(factory):
            raise TypeError(
                f"{caller}: optimizer_factory must be a function that returns a new optimizer; got "
                f"{describe(factory)}. Write lambda: tf.train.AdamOptimizer(1e-3)."
            )
    optimizers = [factory() for factory in factories]
    for optimizer in optimizers:
        check_optimizer(optimizer, caller)
    if len({id(optimizer) for optimizer in optimizers}) < len(optimizers):
        raise ValueError(
            f"{caller}: optimizer_factory returned the same optimizer twice; beta powers would be shared. "
            "Make it inside the function: lambda: tf.train.AdamOptimizer(1e-3)."
        )
    return optimizers


def check_session(session: object, graph: tf.Graph, caller: str) -> None:
    """Raises an error unless `session` runs fetches, is open, and is of the graph `graph`."""
    if isinstance(session, type) or not callable(getattr(session, "run", None)):
        raise TypeError(
            f"{caller}: session must be a tf.Session or a MonitoredSession, and comes first; got "
            f"{describe(session)}."
        )
    if is_closed(session):
        raise RuntimeError(
            f"{caller}: the session is closed. Open a new one, and initialize or restore the variables in it."
        )
    if getattr(session, "graph", None) not in (None, graph):  # a wrapper may have none
        raise ValueError(
            f"{caller}: the session is of another graph. Open it with tf.Session(graph=graph) in "
            "the graph in which this was built."
        )


def scalar(value: object, caller: str, argument: str) -> tf.Tensor:
    """Returns the number `value` as a tensor of shape `[]`,
    or of a shape that only a run will tell.
    """
    try:
        tensor = tf.convert_to_tensor(value)
        numeric = tensor.dtype.base_dtype.is_floating or tensor.dtype.base_dtype.is_integer
    except (TypeError, ValueError):
        numeric = False
    if not numeric:
        raise TypeError(
            f"{caller}: {argument} must be a number or a scalar tensor; got {describe(value)}."
        )
    if not tensor.shape.is_compatible_with([]):
        raise ValueError(
            f"{caller}: {argument} must be a scalar; got {tensor.name} of shape {tensor.shape}. Reduce it "
            "first, with tf.reduce_mean or tf.reduce_sum."
        )
    return tensor


def integer(value: object, caller: str, argument: str, least: int) -> int:
    """Returns `value`, which must be an int of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{caller}: {argument} must be an int; got {describe(value)}.")
    if value < least:
        raise ValueError(f"{caller}: {argument} must be at least {least}; got {value}.")
    return int(value)


def known_scalar(value: object, caller: str, argument: str) -> Any:
    """Returns the number behind the scalar `value` where the graph knows it,
    else None; NaN is an error.
    """
    plain = isinstance(value, (int, float)) and not isinstance(value, bool)  # needs no op
    known = value if plain else tf.get_static_value(scalar(value, caller, argument))
    if known is not None and known != known:
        raise ValueError(f"{caller}: {argument} must be a number; got NaN.")
    return known

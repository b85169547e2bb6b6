"""Makes a separate optimizer for each group, because shared beta powers would count the steps of other groups."""

from typing import Any, List

from tf1grad._arguments import check_optimizer, describe, is_optimizer


def new_optimizers(factory: Any, count: int, caller: str) -> List[Any]:
    """Returns `count` different optimizers made by `factory`, or raises an error that names what it made instead."""
    if is_optimizer(factory) or not callable(factory):
        raise TypeError(f"{caller}: optimizer_factory must be a function that returns a new optimizer; got "
                        f"{describe(factory)}. Write lambda: tf.train.AdamOptimizer(1e-3).")
    optimizers = [factory() for _ in range(count)]
    for optimizer in optimizers:
        check_optimizer(optimizer, caller, argument="what optimizer_factory returns")
    if len({id(optimizer) for optimizer in optimizers}) < count:
        raise ValueError(f"{caller}: optimizer_factory returned the same optimizer twice; beta powers would be shared. "
                         "Make it inside the function: lambda: tf.train.AdamOptimizer(1e-3).")
    return optimizers

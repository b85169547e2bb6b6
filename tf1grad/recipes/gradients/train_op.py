"""Keeps ops out of the graph's collections that do not belong there, and puts train ops in.

Every `apply_gradients` puts its train op into `tf.GraphKeys.TRAIN_OP`. An op that applies only a
part, or is in a conditional or a loop, where it cannot be fetched, does not belong there.
"""

from __future__ import annotations

import contextlib
from typing import Iterator

from tf1grad._compat import operation, tf


@contextlib.contextmanager
def within_train_op() -> Iterator[None]:
    """Opens a context for optimizers that take a part of a step:
    it keeps their ops out of the collection.
    """
    before = tf.get_collection(tf.GraphKeys.TRAIN_OP)
    try:
        yield
    finally:
        # A guard made inside replaces the list.
        tf.get_collection_ref(tf.GraphKeys.TRAIN_OP)[:] = before


def as_train_op(
    op: tf.Operation | tf.Tensor, instead_of: tf.Operation | tf.Tensor | None = None
) -> tf.Operation | tf.Tensor:
    """Puts `op`, an op or tensor, into the collection and returns it;
    removes `instead_of`, which it runs.
    """
    collection = tf.get_collection_ref(tf.GraphKeys.TRAIN_OP)
    if instead_of is not None and operation(instead_of) in collection:
        collection.remove(operation(instead_of))
    if operation(op) not in collection:
        collection.append(operation(op))
    return op

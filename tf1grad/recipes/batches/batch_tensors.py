"""Takes apart a batch: a tensor, a sparse tensor, or a list, tuple or dict of them."""

from __future__ import annotations

from typing import Any, Callable

from tf1grad._arguments import describe
from tf1grad._compat import tf
from tf1grad._types import BatchTensors


def take_apart(
    batch: BatchTensors, caller: str
) -> tuple[list[tf.Tensor], Callable[[list[tf.Tensor]], Any]]:
    """Returns the dense tensors of `batch`, and the function that puts such tensors together again.

    The batch is a tensor, a `tf.SparseTensor`, or a list, tuple or dict of them. A
    `tf.SparseTensor` becomes its indices, values and dense shape. The function returns a list, or a
    dict with the keys of `batch`.
    """
    if isinstance(batch, (list, tuple)):
        batch = list(batch)
    elif not isinstance(batch, dict):
        batch = [batch]
    if not batch:
        raise ValueError(
            f"{caller}: the batch is empty; pass the tensors that the source gives, as queue.dequeue() "
            "does."
        )
    for component in batch.values() if isinstance(batch, dict) else batch:
        _check(component, caller)

    def rebuild(parts: list[tf.Tensor]) -> Any:
        return tf.nest.pack_sequence_as(batch, parts, expand_composites=True)

    return tf.nest.flatten(batch, expand_composites=True), rebuild


def _check(component: object, caller: str) -> None:
    if not isinstance(component, (tf.Tensor, tf.SparseTensor)):
        raise TypeError(
            f"{caller}: a batch is made of tensors and tf.SparseTensors; got {describe(component)}. Pass "
            "queue.dequeue() for a queue, iterator.get_next() for a dataset, flat_values and row_splits "
            "for a tf.RaggedTensor."
        )
    if component.dtype in (tf.variant, tf.resource):
        raise TypeError(
            f"{caller}: {component.name} is of dtype {component.dtype.name}, which has no value that "
            "can be kept. Pass the tensors made from it."
        )

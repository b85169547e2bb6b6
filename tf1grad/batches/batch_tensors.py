"""Takes apart a batch: a tensor, a sparse tensor, or a list, tuple or dict of them."""

from typing import Any, Callable, List, Tuple

from tf1grad._arguments import describe
from tf1grad._compat import tf


def take_apart(batch: Any, caller: str) -> Tuple[List[tf.Tensor], Callable[[List[tf.Tensor]], Any]]:
    """Returns the dense tensors of `batch`, and the function that puts such tensors together again.

    The batch is a tensor, a `tf.SparseTensor`, or a list, tuple or dict of them. A `tf.SparseTensor` becomes its
    indices, values and dense shape. The function returns a list, or a dict with the keys of `batch`.
    """
    if isinstance(batch, dict):
        keys = sorted(batch)
        components = [batch[key] for key in keys]
    else:
        keys = None
        components = list(batch) if isinstance(batch, (list, tuple)) else [batch]
    if not components:
        raise ValueError(
            f"{caller}: the batch is empty; pass the tensors that the source gives, as queue.dequeue() "
            "does."
        )
    parts = [part for component in components for part in _parts(component, caller)]

    def rebuild(parts: List[tf.Tensor]) -> Any:
        values, left = [], list(parts)
        for component in components:
            if isinstance(component, tf.SparseTensor):
                values.append(tf.SparseTensor(left.pop(0), left.pop(0), left.pop(0)))
            else:
                values.append(left.pop(0))
        return values if keys is None else dict(zip(keys, values))

    return parts, rebuild


def _parts(component: Any, caller: str) -> List[tf.Tensor]:
    if isinstance(component, tf.SparseTensor):
        return [component.indices, component.values, component.dense_shape]
    if not isinstance(component, tf.Tensor):
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
    return [component]

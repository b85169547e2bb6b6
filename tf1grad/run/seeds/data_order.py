"""Warns where `tf.data` yields elements in another order than TensorFlow
1.15 did with the same seed.

TensorFlow 1.15 fused `shuffle` and a following `repeat` into one op, whose kernel continued the
random numbers of the previous epoch. The kernels of TensorFlow 2 begin each epoch with new seeds.
"""

from __future__ import annotations

import functools
from typing import Any, Callable, Iterator

from tf1grad._compat import tf
from tf1grad.programs import _compat
from tf1grad.programs.process import messages

# A dataset is checked when an iterator is made of it: only then are its options known. The second
# is TensorFlow 1.15's.
METHODS = (
    "tensorflow.python.data.ops.dataset_ops:DatasetV2._apply_debug_options",
    "tensorflow.python.data.ops.dataset_ops:DatasetV2._apply_options",
)
WARNING = (
    "Dataset.shuffle(...).repeat(...) with a seed yields another order than in TensorFlow 1.15, which fused "
    "both into one op that TensorFlow 2 no longer has. To compare versions, switch the fusion off in both: options = "
    "tf.data.Options(); options.experimental_optimization.shuffle_and_repeat_fusion = False; "
    "dataset.with_options(options); and replace shuffle_and_repeat with shuffle and repeat."
)


def warn_of_other_order(method: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps a method that datasets call when an iterator is made,
    so that it warns once where the order differs.
    """

    @functools.wraps(method)
    def watching(dataset: tf.data.Dataset) -> Any:
        if not tf.executing_eagerly() and _differs(dataset):
            messages.warn_once("order of datasets", WARNING)
        return method(dataset)

    return watching


def _differs(dataset: tf.data.Dataset) -> bool:
    operations = list(_operations(tf.data.experimental.to_variant(dataset).op))
    if any(
        operation.type.startswith("ShuffleAndRepeat") and _is_seeded(operation)
        for operation in operations
    ):
        return True
    repeated = [
        operation.inputs[0].op for operation in operations if operation.type == "RepeatDataset"
    ]
    return any(
        each.type.startswith("ShuffleDataset")
        and each.get_attr("reshuffle_each_iteration")
        and _is_seeded(each)
        for each in repeated
    ) and _is_fused(_compat.dataset_options(dataset))


def _operations(operation: tf.Operation) -> Iterator[tf.Operation]:
    """Yields the op of a dataset and the ops of its input datasets."""
    yield operation
    for source in operation.inputs:
        if source.dtype == tf.variant:
            yield from _operations(source.op)


def _is_seeded(operation: tf.Operation) -> bool:
    return any(tf.get_static_value(seed) != 0 for seed in operation.inputs[2:4])


def _is_fused(options: Any) -> bool:
    """Says whether TensorFlow 1.15 fused both, which it did by default."""
    optimization = options.experimental_optimization
    chosen = optimization.shuffle_and_repeat_fusion
    return chosen if chosen is not None else optimization.apply_default_optimizations is not False

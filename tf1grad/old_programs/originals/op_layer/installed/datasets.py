"""Ends the graphs of datasets with the ops that optimize them, as in TensorFlow 1.15."""

import functools
import types
from typing import Any, Callable

from tf1grad._compat import tf
from tf1grad.old_programs import _compat
from tf1grad.old_programs.process import patches

# Optimizations that 1.15 applied by default, and those that a program had to request.
_DEFAULT_OPTIMIZATIONS = ("map_and_batch_fusion", "noop_elimination", "shuffle_and_repeat_fusion")
_OTHER_OPTIMIZATIONS = ("filter_fusion", "map_and_filter_fusion", "map_fusion", "map_parallelization", "parallel_batch")


def optimize_datasets_by_ops(where: Callable[[], bool]) -> None:
    """Ends the graphs of datasets with the ops that optimize them, as in 1.15, where `where()` is true.

    TensorFlow 2 optimizes when it makes an iterator, and then shuffles and repeats in another order.
    """
    dataset_ops = _compat.resolve("tensorflow.python.data.ops.dataset_ops")
    before = dataset_ops.DatasetV2._apply_debug_options

    @functools.wraps(before)
    def _apply_debug_options(dataset: Any) -> Any:
        dataset = before(dataset)
        return _optimized(dataset_ops, dataset) if where() else dataset
    patches.patch(dataset_ops.DatasetV2, "_apply_debug_options", _apply_debug_options, owner=__name__, shared=True,
                  reason="the user's datasets are optimized by ops, as in 1.15")


def _optimized(dataset_ops: types.ModuleType, dataset: Any) -> Any:
    all_options = _compat.dataset_options(dataset)
    options = all_options.experimental_optimization
    asked = [name for name in _OTHER_OPTIMIZATIONS if getattr(options, name, None)]
    if options.apply_default_optimizations is not False:
        asked += [name for name in _DEFAULT_OPTIMIZATIONS if getattr(options, name) is not False]
    variant = dataset._variant_tensor
    if asked:
        names = tf.convert_to_tensor(sorted(asked), tf.string, name="optimizations")
        variant = tf.raw_ops.OptimizeDataset(input_dataset=variant, optimizations=names, **dataset._flat_structure)
    if all_options.autotune.enabled is not False:
        variant = tf.raw_ops.ModelDataset(input_dataset=variant, **dataset._flat_structure)
    return dataset_ops._VariantDataset(variant, dataset.element_spec)

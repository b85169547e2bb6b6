"""Says where `tf.data` gives elements in another order than TensorFlow 1.15 did under the same seed.

TensorFlow 1.15 put `shuffle` and the `repeat` after it into one op, whose kernel went on with the random numbers of the
epoch before. The kernels of TensorFlow 2 begin each epoch with new seeds.
"""

from __future__ import annotations

import functools
import sys
import warnings
import weakref
from typing import Any, Callable, Iterator, List, Optional

from tf1grad._compat import tf
from tf1grad.old_programs import _compat

# The dataset is asked when an iterator is made of it: only then are its options known.
METHOD = "tensorflow.python.data.ops.dataset_ops:DatasetV2._apply_debug_options"
TOLD = (
    "tf1grad: Dataset.shuffle(...).repeat(...), under a seed, gives another order than in TensorFlow 1.15, which did "
    "both in one op that TensorFlow 2 no longer has. To compare versions, switch that off in both: options = "
    "tf.data.Options(); options.experimental_optimization.shuffle_and_repeat_fusion = False; "
    "dataset.with_options(options); and write shuffle and repeat for shuffle_and_repeat.\n")
_ONE_OP = "shuffle_and_repeat"

_graphs: weakref.WeakSet[tf.Graph] = weakref.WeakSet()
_told: List[bool] = []


def told(graph: tf.Graph) -> Optional[str]:
    """The function in `graph` whose elements come in another order; None where there is none."""
    return "Dataset." + _ONE_OP if graph in _graphs else None


def watched(method: Callable[..., Any]) -> Callable[..., Any]:
    """`method`, of a dataset that an iterator is made of, which says on stderr, once, that the order differs."""
    @functools.wraps(method)
    def watching(dataset: Any) -> Any:
        if not tf.executing_eagerly() and _differs(dataset):
            _graphs.add(_compat.outermost_graph(tf.get_default_graph()))
            if not _told:
                _told.append(True)
                sys.stderr.write(TOLD)
        return method(dataset)
    return watching


def _differs(dataset: Any) -> bool:
    operations = list(_operations(tf.data.experimental.to_variant(dataset).op))
    if any(operation.type.startswith("ShuffleAndRepeat") and _is_seeded(operation) for operation in operations):
        return True
    repeated = [operation.inputs[0].op for operation in operations if operation.type == "RepeatDataset"]
    return any(each.type.startswith("ShuffleDataset") and each.get_attr("reshuffle_each_iteration")
               and _is_seeded(each) for each in repeated) and _is_fused(_options(dataset))


def _operations(operation: tf.Operation) -> Iterator[tf.Operation]:
    """The op of a dataset and of those that it is made of."""
    yield operation
    for source in operation.inputs:
        if source.dtype == tf.variant:
            yield from _operations(source.op)


def _is_seeded(operation: tf.Operation) -> bool:
    return any(tf.get_static_value(seed) != 0 for seed in operation.inputs[2:4])


def _options(dataset: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that options may be in the graph: 1.15 had them in Python
        return dataset.options()


def _is_fused(options: Any) -> bool:
    """Whether TensorFlow 1.15 did it in one op: unless its options say otherwise."""
    asked = options.experimental_optimization
    chosen = getattr(asked, _ONE_OP + "_fusion")
    return chosen if chosen is not None else asked.apply_default_optimizations is not False

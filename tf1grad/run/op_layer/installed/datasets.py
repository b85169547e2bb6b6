"""Connects 1.15's `tf.data` with the installed TensorFlow."""

from __future__ import annotations

import sys
import types
from typing import Any, Callable

from tf1grad._compat import tf
from tf1grad.programs import _compat, _systems
from tf1grad.programs.process import checks_before_runs, patches
from tf1grad.run.originals import name_map
from tf1grad.run.seeds import op_counts


@name_map.changes("python.data.ops.dataset_ops")
def recognize(original: types.ModuleType) -> None:
    """Makes datasets of 1.15's module `dataset_ops` instances of the installed classes,
    as estimators expect.

    Installed datasets, such as those of AutoGraph's loops, read the options of these too.
    """
    installed = _compat.resolve("tensorflow.python.data.ops.dataset_ops")
    for name in ("DatasetV1", "DatasetV2"):
        getattr(installed, name).register(getattr(original, name))
    original.DatasetV2._options_attr = installed.options_lib.Options()


def convert_components() -> None:
    """Makes functions of datasets return lists of tensors for a state that
    is one tensor, as in 1.15.
    """

    def one_tensor(to_components: Any, spec: tf.TensorSpec, value: Any) -> tf.Tensor:
        return to_components(
            spec, value if isinstance(value, tf.Tensor) else tf.convert_to_tensor(value, spec.dtype)
        )

    patches.wrap(
        tf.TensorSpec,
        "_to_components",
        one_tensor,
        reason="lists of tensors are components of datasets, as in 1.15",
    )


def replace_pipeline(operation: tf.Operation, function: Callable[[tf.Tensor], tf.Tensor]) -> None:
    """Gives an op the result of `function` for the pipeline that is its first input.

    The user's graphs get the ops for it when a session first runs, and op seeds leave them out.
    """

    def insert() -> tf.Operation:
        with op_counts.uncounted():
            return _compat.pass_input_through(operation, 0, function)

    if operation.graph.building_function:
        with checks_before_runs.ops_are_added():
            insert()
    else:
        checks_before_runs.check(operation, insert)


@name_map.changes("python.data.ops.dataset_ops")
def interleave_by_processors(original: types.ModuleType) -> None:
    """Makes parallel `interleave` without `cycle_length` read from as many
    datasets at a time as in 1.15.

    1.15 took the number of processors; the installed kernel takes the number of parallel calls, or
    a third of the processors, with other orders of the elements.
    """

    def by_processors(
        make: Any,
        dataset: tf.data.Dataset,
        source: Any,
        function: Any,
        cycle_length: Any,
        *arguments: Any,
    ) -> None:
        is_automatic = isinstance(cycle_length, int) and cycle_length == original.AUTOTUNE
        make(
            dataset,
            source,
            function,
            _systems.processors() if is_automatic else cycle_length,
            *arguments,
        )

    patches.wrap(original.ParallelInterleaveDataset, "__init__", by_processors, reason="")


@name_map.changes("python.data.ops.iterator_ops")
def convert_loops(original: types.ModuleType) -> None:
    """Lets AutoGraph convert loops over iterators of 1.15's module `iterator_ops`: it would
    unroll them without end.
    """
    control_flow = _compat.resolve("tensorflow.python.autograph.operators.control_flow")
    original.IteratorV2.get_next_as_optional = original.get_next_as_optional
    control_flow.for_loop_registry.register(original.IteratorV2, control_flow._tf_iterator_for_stmt)


@name_map.changes("python.data.ops.iterator_ops")
def keep_iterators_at_exit(original: types.ModuleType) -> None:
    """Leaves iterators alone while the interpreter exits:
    the module that deletes them may be gone.
    """

    def unless_finalizing(
        delete: Any, deleter: Any, is_finalizing: Any = sys.is_finalizing
    ) -> None:
        if not is_finalizing():
            delete(deleter)

    patches.wrap(original.IteratorResourceDeleter, "__del__", unless_finalizing, reason="")

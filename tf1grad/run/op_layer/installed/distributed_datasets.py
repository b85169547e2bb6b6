"""Gives distribution strategies, which are the installed TensorFlow's,
datasets of 1.15's `tf.data`.

A strategy gets an installed dataset with the same variant tensor. It makes the iterators, which are
installed as well.
"""

from __future__ import annotations

import functools
import warnings
from typing import Any

from tf1grad._compat import tf
from tf1grad.programs import _compat
from tf1grad.programs.process import checks_before_runs, messages, patches
from tf1grad.run.op_layer import graph_owners
from tf1grad.run.originals import loader, name_map
from tf1grad.run.seeds import op_counts

_REASON = "strategies distribute 1.15's datasets"
_OTHER_SEEDS = (
    "a strategy distributes a dataset with other ops than in TensorFlow 1.15: random ops that are made afterwards have "
    "other seeds. With make_input_fn_iterator, or in an Estimator, they have those of 1.15."
)


@name_map.changes("python.data.ops.dataset_ops")
def serve_arrays(original: loader.Original) -> None:
    """Makes strategies return a dataset of 1.15's module `dataset_ops` for arrays."""
    patches.patch(
        _compat.resolve("tensorflow.python.distribute.numpy_dataset"),
        "dataset_ops",
        original,
        reason=_REASON,
    )


def connect() -> None:
    """Makes strategies accept datasets of 1.15's;
    called before user code can look up one of these methods.
    """
    library = _compat.resolve("tensorflow.python.distribute.distribute_lib")
    defaults = (library._DefaultDistributionStrategyV1, library._DefaultDistributionStrategy)

    def converting(before: Any, strategy: Any, source: Any, *arguments: Any, **options: Any) -> Any:
        if not isinstance(strategy, defaults):  # which return the dataset itself
            source = _with_installed_result(source) if callable(source) else _copied(source)
        # It says that options may be in the graph, and these are not.
        with warnings.catch_warnings():
            warnings.filterwarnings(
                "ignore", "To make it possible to preserve tf.data options", UserWarning
            )
            return before(strategy, source, *arguments, **options)

    patches.wrap(library.StrategyV1, "make_dataset_iterator", converting, reason=_REASON)
    for name in (
        "make_dataset_iterator",
        "make_input_fn_iterator",
        "experimental_distribute_dataset",
        "distribute_datasets_from_function",
    ):
        patches.wrap(library.StrategyBase, name, converting, reason=_REASON)


def _copied(dataset: Any) -> Any:
    """Returns an installed dataset, which the strategy copies for its workers,
    with other ops than 1.15.
    """
    if graph_owners.is_users() and tf.get_default_graph().seed is not None:
        messages.warn_once("distributed dataset", _OTHER_SEEDS)
    return _installed(dataset)


def _with_installed_result(function: patches.Function) -> patches.Function:
    return functools.wraps(function)(lambda *arguments: _applied(function(*arguments)))


def _applied(dataset: Any) -> Any:
    """Returns an installed dataset behind the ops of 1.15's options;
    op seeds leave out those of the installed ones.
    """
    original = loader.module("python.data.ops.dataset_ops")
    if not isinstance(dataset, original.DatasetV2) or not graph_owners.is_users():
        return _installed(dataset)
    stateless = original.Options()
    stateless.experimental_distribute._make_stateless = True
    applied = dataset.with_options(stateless)._apply_options()
    with op_counts.uncounted(), checks_before_runs.ops_are_added():
        made = _installed(applied)
    with_options = made.with_options

    def uncounted(*arguments: object, **options: object) -> Any:
        with op_counts.uncounted(), checks_before_runs.ops_are_added():
            return with_options(*arguments, **options)

    made.with_options = uncounted
    return made


def _installed(dataset: Any) -> Any:
    """Returns an installed dataset with the elements and options of one of 1.15's;
    any other value as it is.
    """
    original = loader.module("python.data.ops.dataset_ops")
    if not isinstance(dataset, original.DatasetV2):
        return dataset
    installed = _compat.resolve("tensorflow.python.data.ops.dataset_ops")
    made = installed._VariantDataset(dataset._variant_tensor, original.get_structure(dataset))
    made._of_1_15 = dataset  # the functions of its elements live as long as it does
    made = made.with_options(_options(dataset.options()))
    return installed.DatasetV1Adapter(made) if isinstance(dataset, original.DatasetV1) else made


def _options(given: Any) -> tf.data.Options:
    """Returns installed options for what 1.15's options say about order, sharding and threads."""
    made = tf.data.Options()
    if given.experimental_deterministic is not None:
        made.deterministic = given.experimental_deterministic
    if not given.experimental_distribute.auto_shard:
        made.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF
    for name in ("max_intra_op_parallelism", "private_threadpool_size"):
        value = getattr(given.experimental_threading, name)
        if value is not None:
            setattr(made.threading, name, value)
    return made

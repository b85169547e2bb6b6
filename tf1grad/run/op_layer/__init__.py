"""Gives user code TensorFlow 1.15's own op layer:
1.15's Python composes ops of the installed TensorFlow.

A graph then has the ops of TensorFlow 1.15, in their number, order and names: its random ops take
the same seeds, its variables get the same names, and formulas and gradients are the same.

    1.15's              array, math, nn, image, random, init, check, parsing, string, sparse and
                        lookup ops, metrics, losses, cells and rnn, map_fn, embedding, clip,
                        optimizers, tf.layers, tf.keras, tf.data, queues, feature columns, gradient
                        functions, checkpoints of objects (`originals/modules_from_1_15`)
    the installed one's graphs, tensors, generated ops, variables and their reads, control flow,
    sessions,
                        `tf.train.Saver`, summaries

The user's `tf` is 1.15's (`public_names`). Libraries keep the installed TensorFlow. Both share the
operators of tensors and the gradient functions: these are 1.15's in the user's graphs, and the
installed ones in graphs that a library makes for itself (`graph_owners`).
"""

from typing import Any, Callable

from tf1grad.run.op_layer import (
    checkpoints,
    class_methods,
    graph_owners,
    ops_by_graph,
    public_names,
    shapes,
)
from tf1grad.run.op_layer.installed import (
    datasets,
    distributed_datasets,
    replica_contexts,
    saved_models,
)
from tf1grad.run.originals import (
    estimator_package,
    loader,
    modules_from_1_15,
    name_map,
    original_estimator,
)

name_map.declare_in(__name__)
_active = False


def is_active() -> bool:
    """Says whether user code in this process gets TensorFlow 1.15's op layer."""
    return _active


def install(earlier_name: Callable[[str], Any]) -> None:
    """Puts the op layer over the installed TensorFlow, in this process,
    from now on; once is enough.

    `earlier_name` is that of `loader.serve`.
    """
    global _active
    if _active:
        return
    _active = True
    estimator_package.leave_to_original()
    loader.serve(earlier_name)
    checkpoints.keep_revived_types()
    checkpoints.wrap_attributes()
    datasets.convert_components()
    distributed_datasets.connect()
    replica_contexts.install()
    saved_models.install()
    graph_owners.install()
    class_methods.install()
    with ops_by_graph.collected_operators() as found:
        for path in modules_from_1_15.FIRST:
            loader.module(path)
    ops_by_graph.install(found)
    shapes.install()
    original_estimator.install()


find = public_names.op_layer_value
names_in = public_names.names_in
modules = public_names.modules

"""Keeps the installed TensorFlow from reading ahead in pipelines of 1.15's `tf.data`.

The installed TensorFlow adds a `prefetch` to the end of each pipeline. A variable that a function of the pipeline
changes is then one step ahead of the training step, a Python function runs beside the program and takes its random
numbers, and a generator cannot react to the step before. 1.15 computed an element when a step asked for it.
"""

from __future__ import annotations

import functools
from typing import Any, Callable

from tf1grad._compat import tf
from tf1grad.old_programs import _compat
from tf1grad.old_programs.op_layer.installed import datasets


def compute_on_demand(original: Any) -> None:
    """Makes iterators of 1.15's module `dataset_ops` compute an element when it is asked for."""
    holder = original._ModelDataset  # the last step of a pipeline with default options
    before = holder.__init__

    @functools.wraps(before)
    def __init__(model: Any, dataset: Any, *arguments: Any) -> None:
        before(model, dataset, *arguments)
        if tf.executing_eagerly():
            model._variant_tensor_attr = _option(dataset)(model._variant_tensor)
        else:
            datasets.replace_pipeline(model._variant_tensor.op, _option(dataset))
    holder.__init__ = __init__


def initialize_on_demand(original: Any) -> None:
    """Does the same for iterators of 1.15's module `iterator_ops` that are initialized with several datasets."""
    before = original.Iterator.make_initializer

    @functools.wraps(before)
    def make_initializer(iterator: Any, dataset: Any, *arguments: Any, **options: Any) -> tf.Operation:
        made = before(iterator, dataset, *arguments, **options)
        datasets.replace_pipeline(made, _option(dataset))
        return made
    original.Iterator.make_initializer = make_initializer


def _option(dataset: Any) -> Callable[[tf.Tensor], tf.Tensor]:
    """Returns a function that turns the automatic `prefetch` off for a pipeline with the elements of `dataset`."""
    options = tf.data.Options()
    options.experimental_optimization.inject_prefetch = False
    made: Callable[[tf.Tensor], tf.Tensor] = functools.partial(
        _compat.resolve("tensorflow.python.ops.gen_dataset_ops.options_dataset"),
        serialized_options=options._to_proto().SerializeToString(), **dataset._flat_structure)
    return made

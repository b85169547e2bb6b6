"""Keeps the installed TensorFlow from reading ahead in pipelines of 1.15's `tf.data`
whose functions act on state.

The installed TensorFlow adds a `prefetch` to the end of each pipeline. A variable that a function
of the pipeline changes is then one step ahead of the training step, a Python function runs beside
the program and takes its random numbers, and a generator cannot react to the step before. 1.15
computed an element when a step asked for it.

Pipelines of functions that only compute, draw random numbers or look up constants give the same
elements either way, and keep the automatic `prefetch`.
"""

from __future__ import annotations

import functools
import itertools
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator

from tf1grad._compat import tf
from tf1grad.programs import _compat
from tf1grad.programs.process import patches
from tf1grad.recipes.sessions.reached import reached
from tf1grad.run.op_layer.installed import datasets
from tf1grad.run.originals import name_map

if TYPE_CHECKING:
    from types import ModuleType

# Ops that are marked as stateful, and whose result does not depend on when they run.
_HARMLESS = ("Assert", "LookupTableFind", "LookupTableSize", "Print", "Stack", "TensorArray")
_HANDLES = (tf.resource.as_datatype_enum, tf.variant.as_datatype_enum)
_FUNCTIONS = ("func", "list(func)")


@name_map.changes("python.data.ops.dataset_ops")
def compute_on_demand(original: ModuleType) -> None:
    """Makes iterators of 1.15's module `dataset_ops` compute an element of these
    pipelines when it is asked for.
    """

    def on_demand(
        make: Callable[..., None], model: Any, dataset: tf.data.Dataset, *arguments: Any
    ) -> None:
        make(model, dataset, *arguments)
        if not _acts_on_state(dataset):
            return
        if tf.executing_eagerly():
            model._variant_tensor_attr = _option(dataset)(model._variant_tensor)
        else:
            datasets.replace_pipeline(model._variant_tensor.op, _option(dataset))

    # It is the last step of a pipeline with default options.
    patches.wrap(original._ModelDataset, "__init__", on_demand, reason="")


@name_map.changes("python.data.ops.iterator_ops")
def initialize_on_demand(original: ModuleType) -> None:
    """Does the same for iterators of 1.15's module `iterator_ops` that are
    initialized with several datasets.
    """

    def on_demand(
        make: patches.Function,
        iterator: object,
        dataset: tf.data.Dataset,
        *arguments: object,
        **options: object,
    ) -> Any:
        made = make(iterator, dataset, *arguments, **options)
        if _acts_on_state(dataset):
            datasets.replace_pipeline(made, _option(dataset))
        return made

    patches.wrap(original.Iterator, "make_initializer", on_demand, reason="")


def _option(dataset: tf.data.Dataset) -> Callable[[tf.Tensor], tf.Tensor]:
    """Returns a function that turns the automatic `prefetch` off for a pipeline with
    the elements of `dataset`.
    """
    options = tf.data.Options()
    options.experimental_optimization.inject_prefetch = False
    made: Callable[[tf.Tensor], tf.Tensor] = functools.partial(
        _compat.resolve("tensorflow.python.ops.gen_dataset_ops.options_dataset"),
        serialized_options=options._to_proto().SerializeToString(),
        **dataset._flat_structure,
    )
    return made


def _acts_on_state(dataset: tf.data.Dataset) -> bool:
    """Says whether a function in the pipeline reads or changes state."""
    pipeline = reached([dataset], lambda each: each._inputs())
    functions = [wrapper.function for each in pipeline for wrapper in each._functions()]
    return any(_is_stateful(node.op) for function in functions for node in _nodes(function)) or any(
        tensor.dtype == tf.resource
        and getattr(tensor, "op", None) is not None
        and tensor.op.type.startswith("Mutable")
        for function in functions
        for tensor in function.captured_inputs
    )


def _nodes(function: Any) -> Iterator[Any]:
    """Yields the nodes of a function, and of the functions that it calls."""
    if not hasattr(function, "graph"):  # of `map_with_legacy_function`
        return iter(function.definition.node_def)
    definition = function.graph.as_graph_def()
    called: Iterable[Any] = definition.library.function
    return itertools.chain(definition.node, *(each.node_def for each in called))


@functools.lru_cache(maxsize=None)
def _is_stateful(op_type: str) -> bool:
    """Says whether the result of an op, except its random numbers, depends on when it runs."""
    definition = _compat.op_definition(op_type)
    if definition is None or not definition.is_stateful or op_type.startswith(_HARMLESS):
        return False
    makes_handles = definition.output_arg and all(
        each.type in _HANDLES for each in definition.output_arg
    )
    return not makes_handles and not any(
        each.name == "seed2" or each.type in _FUNCTIONS for each in definition.attr
    )

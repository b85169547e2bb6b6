"""Makes `tf.data.experimental.cardinality`, by which 1.15's Keras knows its steps, count elements after a `map`.

1.15 took it that a function of `map` does not end the elements early. The installed TensorFlow counts so only where the
op says it (`preserve_cardinality`), which would also turn an end that the function does cause into an error. So the
elements are counted in a copy of the pipeline that says it, and come from the pipeline as it is.
"""

from __future__ import annotations

from typing import Any

from tf1grad._compat import tf
from tf1grad.old_programs.op_layer.installed import datasets
from tf1grad.old_programs.process import patches

_UNKNOWN = -2
_KEPT = "preserve_cardinality"
_IGNORED_STATE = 1  # the policy for state outside of the pipeline, which no element is read for


def count_after_maps(original: Any) -> None:
    """Changes the function of 1.15's module `cardinality`."""
    patches.wrap(original, "cardinality", _counting, reason="")


def _counting(cardinality: Any, dataset: Any) -> tf.Tensor:
    found = cardinality(dataset)
    if tf.executing_eagerly():
        return _count_eagerly(dataset._variant_tensor, found)
    datasets.replace_pipeline(found.op, _copy)
    return found


def _copy(dataset: tf.Tensor) -> tf.Tensor:
    """Returns the tensor of a copy of the pipeline that counts after maps; `dataset` itself where none is needed."""
    operation = dataset.op
    inputs = [_copy(each) if each.dtype == tf.variant else each for each in operation.inputs]
    attributes = dict(operation.node_def.attr)
    if not _changed(attributes) and all(new is old for new, old in zip(inputs, operation.inputs)):
        return dataset
    dtypes = [output.dtype for output in operation.outputs]
    made: tf.Tensor = operation.graph.create_op(
        operation.type, inputs, dtypes, attrs=attributes
    ).outputs[0]
    return made


def _count_eagerly(dataset: tf.Tensor, found: tf.Tensor) -> tf.Tensor:
    if int(found) != _UNKNOWN:
        return found
    try:
        written = tf.raw_ops.DatasetToGraphV2(
            input_dataset=dataset, external_state_policy=_IGNORED_STATE
        )
    except tf.errors.OpError:  # such as of a pipeline with a table
        return found
    graph = tf.GraphDef.FromString(written.numpy())
    if not any([_changed(node.attr) for node in graph.node]):
        return found
    return tf.raw_ops.DatasetCardinality(
        input_dataset=tf.raw_ops.DatasetFromGraph(graph_def=graph.SerializeToString())
    )


def _changed(attributes: Any) -> bool:
    """Makes the attributes of an op say that its function keeps the number of elements, if they deny it."""
    if _KEPT not in attributes or attributes[_KEPT].b:
        return False
    attributes[_KEPT].CopyFrom(tf.AttrValue(b=True))
    return True

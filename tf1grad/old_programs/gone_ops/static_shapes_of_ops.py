"""Infers the static shapes of the outputs of replaced ops as TensorFlow 1.15 did: the functions that rows name.

Each takes the shapes of the single inputs, and the values of the attributes.
"""

from typing import Any, List, Mapping

import numpy as np

from tf1grad._compat import tf
from tf1grad.old_programs.gone_ops import table

_VECTOR = tf.TensorShape([None])
_UNKNOWN = tf.TensorShape(None)
Shapes = List[tf.TensorShape]


def first(inputs: Shapes, unused_values: Mapping[str, Any]) -> Shapes:
    """Returns the shapes: those of the first input."""
    return inputs[:1]


def beams(inputs: Shapes, unused_values: Mapping[str, Any]) -> Shapes:
    """Returns the shape: [time, batch, beam]."""
    return [inputs[0].merge_with(inputs[1]).merge_with([None, inputs[2][0], None])]


def packed(inputs: Shapes, unused_values: Mapping[str, Any]) -> Shapes:
    """Returns the shape: one byte for eight elements."""
    if inputs[0].dims is None:
        return [_UNKNOWN]
    *before, last = inputs[0].as_list()
    return [tf.TensorShape([*before, None if last is None else last // 8])]


def convolved(inputs: Shapes, values: Mapping[str, Any]) -> Shapes:
    """Returns the shape: that of a convolution."""
    with tf.Graph().as_default():
        data = [tf.placeholder(tf.float32, shape) for shape in inputs]
        return [table.function("of_tensorflow.fused_convolution.build")(*data, **values).shape]


def image(inputs: Shapes, unused_values: Mapping[str, Any]) -> Shapes:
    """Returns the shape: that of the image, of rank 3 at least."""
    rank = inputs[0].rank
    if rank is not None and rank < 3:
        raise ValueError(f"AdjustHsvInYiq: Shape must be at least rank 3 but is rank {rank}.")
    return inputs[:1]


def matches(inputs: Shapes, unused_values: Mapping[str, Any]) -> Shapes:
    """Returns the shapes: those of the rows' and columns' matches."""
    return [inputs[0][:1], inputs[0][1:]]


def periods(inputs: Shapes, values: Mapping[str, Any]) -> Shapes:
    """Returns the shape: that of the attribute, with the sizes that can be computed."""
    sizes = [max(size or 0, 0) for size in values["shape"].as_list()]
    if not inputs[0].is_fully_defined():
        return [tf.TensorShape([size or None for size in sizes])]
    left = inputs[0].num_elements() // int(np.prod([size or 1 for size in sizes]))
    return [tf.TensorShape([size or left for size in sizes])]


def samples(inputs: Shapes, unused_values: Mapping[str, Any]) -> Shapes:
    """Returns the shape: the warp's, with the data's channels."""
    data, warp = inputs
    return [_UNKNOWN if warp.dims is None else warp[:-1].concatenate(data.with_rank(4)[3:])]


def same_rank(inputs: Shapes, unused_values: Mapping[str, Any]) -> Shapes:
    """Returns the shape: the input's rank."""
    return [_UNKNOWN if inputs[0].dims is None else tf.TensorShape([None] * len(inputs[0]))]


def sparse(unused_inputs: Shapes, unused_values: Mapping[str, Any]) -> Shapes:
    """Returns the shapes: those of a sparse matrix."""
    return [tf.TensorShape([None, 2]), _VECTOR, tf.TensorShape([2])]


def first_two(inputs: Shapes, unused_values: Mapping[str, Any]) -> Shapes:
    """Returns the shapes: those of the first two inputs."""
    return inputs[:2]


def libsvm(inputs: Shapes, unused_values: Mapping[str, Any]) -> Shapes:
    """Returns the shapes: those of labels and of a sparse tensor."""
    return [inputs[0], tf.TensorShape([None, None]), _VECTOR, _VECTOR]


def original(unused_inputs: Shapes, values: Mapping[str, Any]) -> Shapes:
    """Returns the shape: that of the attribute."""
    return [values["original_shape"]]


def scalar(*unused: Any) -> Shapes:
    """Returns the shape of a scalar."""
    return [tf.TensorShape([])]


def two_vectors(*unused: Any) -> Shapes:
    """Returns the shapes of two vectors."""
    return [_VECTOR, _VECTOR]

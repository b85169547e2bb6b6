"""Holds the static shapes of the outputs of replaced ops, as TensorFlow 1.15 inferred them."""

from typing import Any, Callable, Dict, List, Mapping, Sequence

import numpy as np

from tf1grad._compat import tf
from tf1grad.old_programs.missing_ops import replacements

_VECTOR = tf.TensorShape([None])
_UNKNOWN = tf.TensorShape(None)
Shapes = List[tf.TensorShape]


def of_outputs(op: str, inputs: Sequence[tf.TensorShape], values: Mapping[str, Any]) -> Shapes:
    """Returns the shapes of the outputs; an empty list where 1.15 knew nothing.

    Args:
        op: a type.
        inputs: the shapes of the single inputs.
        values: the values of the attributes.
    """
    return _SHAPES[op](list(inputs), values) if op in _SHAPES else []


def _first(inputs: Shapes, unused_values: Mapping[str, Any]) -> Shapes:
    return inputs[:1]


def _beams(inputs: Shapes, unused_values: Mapping[str, Any]) -> Shapes:
    return [inputs[0].merge_with(inputs[1]).merge_with([None, inputs[2][0], None])]


def _bytes(inputs: Shapes, unused_values: Mapping[str, Any]) -> Shapes:
    if inputs[0].dims is None:
        return [_UNKNOWN]
    *before, last = inputs[0].as_list()
    return [tf.TensorShape([*before, None if last is None else last // 8])]


def _convolved(inputs: Shapes, values: Mapping[str, Any]) -> Shapes:
    with tf.Graph().as_default():
        data = [tf.placeholder(tf.float32, shape) for shape in inputs]
        return [replacements.function("fused_convolution.build")(*data, **values).shape]


def _image(inputs: Shapes, unused_values: Mapping[str, Any]) -> Shapes:
    rank = inputs[0].rank
    if rank is not None and rank < 3:
        raise ValueError(f"AdjustHsvInYiq: Shape must be at least rank 3 but is rank {rank}.")
    return inputs[:1]


def _matches(inputs: Shapes, unused_values: Mapping[str, Any]) -> Shapes:
    return [inputs[0][:1], inputs[0][1:]]


def _periods(inputs: Shapes, values: Mapping[str, Any]) -> Shapes:
    sizes = [max(size or 0, 0) for size in values["shape"].as_list()]
    if not inputs[0].is_fully_defined():
        return [tf.TensorShape([size or None for size in sizes])]
    left = inputs[0].num_elements() // int(np.prod([size or 1 for size in sizes]))
    return [tf.TensorShape([size or left for size in sizes])]


def _samples(inputs: Shapes, unused_values: Mapping[str, Any]) -> Shapes:
    data, warp = inputs
    return [_UNKNOWN if warp.dims is None else warp[:-1].concatenate(data.with_rank(4)[3:])]


def _same_rank(inputs: Shapes, unused_values: Mapping[str, Any]) -> Shapes:
    return [_UNKNOWN if inputs[0].dims is None else tf.TensorShape([None] * len(inputs[0]))]


def _sparse(unused_inputs: Shapes, unused_values: Mapping[str, Any]) -> Shapes:
    return [tf.TensorShape([None, 2]), _VECTOR, tf.TensorShape([2])]


_SHAPES: Dict[str, Callable[[Shapes, Mapping[str, Any]], Shapes]] = {
    "AdjustHsvInYiq": _image,
    "BipartiteMatch": _matches,
    "CompareAndBitpack": _bytes,
    "DecodeLibsvm": lambda inputs, _: [inputs[0], tf.TensorShape([None, None]), _VECTOR, _VECTOR],
    "FusedConv2DBiasActivation": _convolved,
    "GatherTree": _beams,
    "ImageConnectedComponents": _first,
    "ImageProjectiveTransform": _first,
    "PeriodicResample": _periods,
    "PeriodicResampleOpGrad": lambda _, values: [values["original_shape"]],
    "ReduceSliceMax": _same_rank,
    "ReduceSliceMin": _same_rank,
    "ReduceSliceProd": _same_rank,
    "ReduceSliceSum": _same_rank,
    "Resampler": _samples,
    "ResamplerGrad": lambda inputs, _: inputs[:2],
    "SkipGramGenerateCandidates": lambda *_: [_VECTOR, _VECTOR],
    "SparseFeatureCross": _sparse,
    "SparseFeatureCrossV2": _sparse,
    "ZeroVarInitializer": lambda *_: [tf.TensorShape([])],
}

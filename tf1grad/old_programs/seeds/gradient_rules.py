"""Holds the rules for gradients that TF 2.x builds from another number of ops than TF 1.15; see `op_rules`."""

from __future__ import annotations

from typing import Dict, Optional

import numpy as np

from tf1grad._compat import tf
from tf1grad.old_programs.seeds import op_counts
from tf1grad.old_programs.seeds.op_counts import Call, Rule


def _known(tensor: tf.Tensor) -> bool:
    return tensor.shape.rank is not None and None not in tensor.shape.as_list()


def _reduced(call: Call) -> int:
    return call.total(_reduction(call, call.arguments["x"], call.arguments["y"]))


def _reduction(call: Call, x: tf.Tensor, y: tf.Tensor) -> int:
    """Counts the ops that reduce the gradients of a broadcasting op to the shapes of its arguments."""
    if not (_known(x) and _known(y)):
        return 7  # two shapes, the axes, two sums and two reshapes
    shapes = tuple(x.shape.as_list()), tuple(y.shape.as_list())
    result = tuple(tf.broadcast_static_shape(x.shape, y.shape).as_list())
    return 3 * call.first(("broadcast",) + shapes) + sum(4 for shape in shapes if shape != result)


def _sum(call: Call) -> int:
    """Counts a sum: TF 1.15 creates its shape constants once per graph if known, otherwise each time."""
    source, axes = (
        call.arguments["op"].inputs[0],
        tf.get_static_value(call.arguments["op"].inputs[1]),
    )
    if axes is not None and source.shape.rank is not None:
        if np.array_equal(axes, np.arange(source.shape.rank)):
            return call.total(4)
        if _known(source):
            key = tuple(source.shape.as_list()), tuple(np.reshape(axes, [-1]))
            return call.total(4 + 17 * call.first(("sum",) + key))
    return call.total(16)


def _mean(call: Call) -> int:
    operation = call.arguments["op"]
    return 0 if _known(operation.inputs[0]) and _known(operation.outputs[0]) else 1


def _gather(call: Call) -> int:
    return call.total(13) if tf.get_static_value(call.arguments["op"].inputs[2]) == 0 else 0


def _product(call: Call, x: tf.Tensor, y: tf.Tensor) -> int:
    """Counts the ops of the gradients of `x * y`."""
    both = (
        tuple(x.shape.as_list()) == tuple(y.shape.as_list()) if _known(x) and _known(y) else False
    )
    return 2 if both else 2 + _reduction(call, x, y)


def _quotient(call: Call) -> int:
    operation = call.arguments["op"]
    if not call.has_met(("dropout", operation.name)):
        return call.instead(12)
    return call.instead(0) + _product(call, *operation.inputs)


def _masked(call: Call) -> int:
    """Counts a dropout, which multiplies with the mask in TF 1.15; no other op has this type there."""
    operation = call.arguments["op"]
    return (
        call.instead(0) + _product(call, operation.inputs[1], operation.inputs[0])
        if call.has_met(("dropout", operation.name))
        else 0
    )


def _batch_matmul(call: Call) -> int:
    x, y = call.arguments["op"].inputs[:2]
    return call.total(
        2 if _known(x) and _known(y) and x.shape.as_list() == y.shape.as_list() else 17
    )


def _gradients(call: Call) -> Optional[int]:
    """Makes the count uncertain for gradients of loops and of custom gradient functions, which follow other rules."""
    unlike = call.has_met("swish") or call.has_met(op_counts.UNLIKE_GRADIENT)
    return None if unlike or "StackPopV2" in call.made_types() else 0


FUNCTIONS: Dict[str, Rule] = {
    "tensorflow.python.ops.gradients_util:_GradientsHelper": (0, _gradients),
    "tensorflow.python.ops.math_grad:_ReduceGradientArgs": (0, _reduced),
    "tensorflow.python.ops.math_grad:_SumGrad": (0, _sum),
}
GRADIENTS: Dict[str, Rule] = {
    "Sum": (0, _sum),
    "Mean": (0, _mean),
    "RealDiv": (0, _quotient),
    "SelectV2": (0, _masked),
    "DivNoNan": (0, lambda call: call.instead(12)),
    "Prod": (0, 3),
    "BatchMatMulV2": (0, _batch_matmul),
    "Maximum": (0, lambda call: call.instead(13)),
    "Minimum": (0, lambda call: call.instead(13)),
    "StridedSlice": (0, lambda call: call.total(2)),
    "SparseSoftmaxCrossEntropyWithLogits": (0, 1),
    "GatherV2": (0, _gather),
}

"""Makes transposed convolutions with the static shape that their `input_sizes` give them, as in TensorFlow 1.15.

TensorFlow 2 takes the batch size from the other input, where it may be unknown.
"""

from typing import Any

from tf1grad.old_programs import _compat
from tf1grad.old_programs.originals import loader

_conv2d_backprop_input = _compat.resolve("tensorflow.python.ops.gen_nn_ops").conv2d_backprop_input


def conv2d_backprop_input(*arguments: Any, **options: Any) -> Any:
    """Makes a `Conv2DBackpropInput`, with the arguments of the generated function."""
    result = _conv2d_backprop_input(*arguments, **options)
    if getattr(result, "graph", None):
        tensor_util = loader.users_module("python.framework.tensor_util")
        result.set_shape(tensor_util.constant_value_as_shape(result.op.inputs[0]))
    return result

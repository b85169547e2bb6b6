"""Makes an op without a kernel as one node of the graph, as in 1.15: a call of a function that has the op's name.

The runtime looks a node's type up among the functions of the graph before it looks among the ops.
"""

from __future__ import annotations

import functools
import weakref
from typing import Any, Callable, Dict, Mapping, NamedTuple, Tuple

from tf1grad._compat import tf
from tf1grad.old_programs import _compat


class Signature(NamedTuple):
    """Describes an op: the dtype and rank of each input, by name; its output, and the function of its static shape."""

    inputs: Mapping[str, Tuple[tf.DType, int]]
    output: str
    shape: Callable[..., tf.TensorShape]


def _shape_of_beams(step_ids: Any, parent_ids: Any, lengths: Any, unused_end_token: Any) -> tf.TensorShape:
    return step_ids.merge_with(parent_ids).merge_with([None, lengths[0], None])


SIGNATURES = {
    "GatherTree": Signature({"step_ids": (tf.int32, 3), "parent_ids": (tf.int32, 3),
                             "max_sequence_lengths": (tf.int32, 1), "end_token": (tf.int32, 0)}, "beams",
                            _shape_of_beams),
}
_functions: weakref.WeakKeyDictionary[tf.Graph, Dict[str, Any]] = weakref.WeakKeyDictionary()


def can_be_node(op_type: str) -> bool:
    """Says whether the default graph can hold the op as a node: not in eager execution, and not in functions."""
    return op_type in SIGNATURES and not tf.executing_eagerly() and not tf.get_default_graph().building_function


def call(op_type: str, build: Callable[..., tf.Tensor], arguments: Mapping[str, Any]) -> tf.Tensor:
    """Returns the output of a new node.

    Args:
        op_type: a key of `SIGNATURES`.
        build: the function that builds the op from others, of its inputs.
        arguments: the inputs and `name`.
    """
    signature = SIGNATURES[op_type]
    with tf.name_scope(arguments.get("name"), op_type, [arguments[name] for name in signature.inputs]) as scope:
        inputs = [tf.convert_to_tensor(arguments[name], dtype, name=name)
                  for name, (dtype, _) in signature.inputs.items()]
        shapes = [tensor.shape.with_rank(rank) for tensor, (_, rank) in zip(inputs, signature.inputs.values())]
        output = _function(op_type, build)(*inputs, name=scope)
        output.set_shape(signature.shape(*shapes))
        return output


def _function(op_type: str, build: Callable[..., tf.Tensor]) -> Any:
    known = _functions.setdefault(tf.get_default_graph(), {})
    if op_type not in known:
        signature = SIGNATURES[op_type]

        @functools.wraps(build)
        def body(*inputs: tf.Tensor) -> tf.Tensor:
            for tensor, (_, rank) in zip(inputs, signature.inputs.values()):
                tensor.set_shape([None] * rank)
            return build(**dict(zip(signature.inputs, inputs)))
        define = _compat.resolve("tensorflow.python.framework.function.Defun")
        known[op_type] = define(*[dtype for dtype, _ in signature.inputs.values()], func_name=op_type,
                                out_names=[signature.output])(body)
    return known[op_type]

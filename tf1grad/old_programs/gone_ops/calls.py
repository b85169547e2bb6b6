"""Makes the ops of `of_tensorflow` for calls from code: one node of the graph where possible, as in TensorFlow 1.15.

In eager execution and in functions the ops of the replacement are made in place.
"""

from __future__ import annotations

import collections
from typing import Any, Dict, List, Mapping

from tf1grad._compat import tf
from tf1grad.old_programs import _compat
from tf1grad.old_programs.gone_ops import attributes, function_definitions
from tf1grad.old_programs.gone_ops.signatures import Signature, signatures
from tf1grad.old_programs.gone_ops.table import TABLE, Row, function


def call(op: str, arguments: Mapping[str, Any]) -> Any:
    """Makes an op of `of_tensorflow`, and returns its output, or a named tuple of its outputs.

    `arguments` are the inputs and attributes by name, and `name`. None means the default of an attribute.
    """
    signature, row = signatures()[op], TABLE[op]
    given = tf.nest.flatten([arguments[argument.name] for argument in signature.inputs])
    with tf.name_scope(arguments.get("name"), op, given) as scope:
        values: Dict[str, Any] = dict(arguments)
        tensors = _converted(signature, values)
        values = attributes.complete(signature, values)
        ranks = row.ranks or [None] * len(tensors)
        shapes = [tensor.shape if rank is None else tensor.shape.with_rank(rank)
                  for tensor, rank in zip(tensors, ranks)]
        if any(argument.is_ref for argument in signature.inputs) or tf.executing_eagerly() \
                or tf.get_default_graph().building_function:
            return _result(signature, _in_place(signature, row, tensors, values))
        outputs = _node(signature, tensors, values, scope)
        for output, shape in zip(outputs, _static_shapes(signature, row, tensors, shapes, values)):
            output.set_shape(shape)
        return _result(signature, outputs)


def _converted(signature: Signature, values: Dict[str, Any]) -> List[tf.Tensor]:
    """Returns the single inputs as tensors, and adds the attributes that depend on them to `values`."""
    tensors: List[tf.Tensor] = []
    for argument in signature.inputs:
        known = {each.name: each for each in signature.attributes}.get(argument.dtype)
        is_list = bool(argument.number) or known is not None and known.kind == "list(type)"
        dtype = values.get(argument.dtype) if known else argument.dtype
        made = []
        for each in values[argument.name] if is_list else [values[argument.name]]:
            one = None if isinstance(dtype, list) else dtype
            made.append(each if argument.is_ref else tf.convert_to_tensor(each, one, name=argument.name))
            if known and known.kind == "type" and dtype is None:
                dtype = values[argument.dtype] = made[-1].dtype.base_dtype
        if argument.number:
            values[argument.number] = len(made)
        if known and known.kind == "list(type)":
            values[argument.dtype] = [tensor.dtype.base_dtype for tensor in made]
        tensors += made
    return tensors


def _in_place(signature: Signature, row: Row, tensors: List[tf.Tensor],
              values: Mapping[str, Any]) -> List[Any]:
    build = function(row.build)

    def forward(*inputs: tf.Tensor) -> Any:
        return build(**signature.nested(list(inputs), values), **values)

    if not row.gradient:
        return function_definitions.flat(forward(*tensors))

    @tf.custom_gradient  # type: ignore[untyped-decorator]
    def differentiable(*inputs: tf.Tensor) -> Any:
        def backward(*gradients: tf.Tensor) -> Any:
            return function(row.gradient)(gradients=list(gradients),
                                                  **signature.nested(list(inputs), values), **values)
        return forward(*inputs), backward

    return function_definitions.flat(differentiable(*tensors))


def _node(signature: Signature, tensors: List[tf.Tensor], values: Mapping[str, Any], scope: str) -> List[Any]:
    made = function_definitions.library(signature, values)
    name = attributes.function_name(signature, values)
    known = _compat.resolve("tensorflow.python.framework.function.from_library")(made)
    defined = next(each for each in known if each.name == name)
    outputs = defined(*tensors, name=scope)
    return function_definitions.flat(outputs)


def _static_shapes(signature: Signature, row: Row, tensors: List[tf.Tensor], shapes: List[tf.TensorShape],
                   values: Mapping[str, Any]) -> List[tf.TensorShape]:
    """Returns the static shapes of the outputs: those that the function gives placeholders like the inputs."""
    with tf.Graph().as_default():
        inputs = [tf.placeholder(tensor.dtype, shape) for tensor, shape in zip(tensors, shapes)]
        made = function(row.build)(**signature.nested(inputs, values), **values)
        return [output.shape for output in function_definitions.flat(made)]


def _result(signature: Signature, outputs: List[Any]) -> Any:
    if len(signature.outputs) == 1:
        return outputs[0]
    return collections.namedtuple(signature.op, [each.name for each in signature.outputs])(*outputs)

"""Makes the ops that contrib's generated wrappers call:
the installed op, one built from other ops, or an error.

An op of `of_tensorflow` becomes one node of the graph where possible, as in TensorFlow 1.15. In
eager execution and in functions the ops of the replacement are made in place.
"""

from __future__ import annotations

import collections
import functools
import inspect
from typing import Any, Callable, List, Mapping

from tf1grad._compat import tf
from tf1grad.programs import _compat
from tf1grad.run.gone_ops import advice, attributes
from tf1grad.run.gone_ops.function_definitions import build_library
from tf1grad.run.gone_ops.signatures import OpSignature, signatures
from tf1grad.run.gone_ops.table import (
    OF_NUMPY,
    OF_TENSORFLOW,
    build_outputs,
    call_with_known,
    import_function,
    listed,
)

Tensors = List[tf.Tensor]

_import_original: Callable[[str], Any] | None = None


def take_originals_from(import_original: Callable[[str], Any]) -> None:
    """Lets the loader of originals, which imports this room, say how an original is imported."""
    global _import_original
    _import_original = import_original


def original(path: str) -> Any:
    """Returns the original at `path` below `tensorflow`."""
    assert _import_original is not None  # originals call these functions
    return _import_original(path)


class KernelGone(NotImplementedError):
    """An op was called that only TensorFlow 1 has a kernel for."""


def call(op_type: str, arguments: Mapping[str, Any]) -> Any:
    """Makes an op of TensorFlow 1.15, such as "GatherTree",
    and returns what its function in `tf.raw_ops` returns.

    `arguments` are its inputs, attributes and `name`. None means the default of an attribute that
    has one. KernelGone is raised where neither this TensorFlow nor the table has the op.
    """
    if op_type in OF_TENSORFLOW:
        return _made(op_type, arguments, _of_tensorflow)
    if op_type in OF_NUMPY:
        return _made(op_type, arguments, import_function("of_numpy." + OF_NUMPY[op_type]))
    raw_op = getattr(tf.raw_ops, op_type, None)
    if raw_op is None or op_type in signatures():
        raise KernelGone(
            f"the op {op_type} was called (name={arguments.get('name')!r}). Its kernel was part of "
            f"TensorFlow 1: TensorFlow {_compat.release()} does not have it, and tf1grad does not "
            f"replace it. {advice.advise(op_type)}"
        )
    required = _required_arguments(op_type)
    given = {key: value for key, value in arguments.items() if value is not None or key in required}
    return raw_op(**given)


@functools.lru_cache(maxsize=None)
def _required_arguments(op_type: str) -> set[str]:
    """Returns the inputs, and the attributes without a default,
    such as a shape that may be None.
    """
    parameters = inspect.signature(getattr(tf.raw_ops, op_type)).parameters.values()
    return {each.name for each in parameters if each.default is inspect.Parameter.empty}


def _made(op: str, arguments: Mapping[str, Any], make: Callable[..., Any]) -> Any:
    """Returns the op's output, a named tuple of its outputs, or an op without outputs."""
    signature = signatures()[op]
    given = tf.nest.flatten([arguments[argument.name] for argument in signature.inputs])
    with tf.name_scope(arguments.get("name"), op, given) as scope:
        values: dict[str, Any] = dict(arguments)
        tensors = _converted(signature, values)
        values = attributes.complete(signature, values)
        outputs = call_with_known(
            make, signature=signature, tensors=tensors, values=values, name=scope
        )
    if not signature.outputs:
        return outputs
    nested = signature.nested(signature.outputs, outputs, values)
    return collections.namedtuple(op, nested)(**nested) if len(nested) > 1 else nested.popitem()[1]


def _of_tensorflow(
    signature: OpSignature, tensors: Tensors, values: dict[str, Any], name: str
) -> Tensors:
    row = OF_TENSORFLOW[signature.op]

    def build(inputs: list[Any]) -> list[Any]:
        return build_outputs(
            row.build, **signature.nested(signature.inputs, inputs, values), **values
        )

    if tf.executing_eagerly() or tf.get_default_graph().building_function:
        return build(tensors)
    functions = _compat.resolve("tensorflow.python.framework.function.from_library")(
        build_library(signature, values)
    )
    defined = next(
        each for each in functions if each.name == attributes.function_name(signature, values)
    )
    # The node's function fits inputs of any shape. Built on these shapes, its ops tell those of the
    # outputs.
    with tf.Graph().as_default():
        known = build([tf.placeholder(tensor.dtype, tensor.shape) for tensor in tensors])
    outputs = listed(defined(*tensors, name=name))
    for output, like in zip(outputs, known):
        output.set_shape(like.shape)
    return outputs


def _converted(signature: OpSignature, values: dict[str, Any]) -> Tensors:
    """Returns the single inputs as tensors, and adds the attributes that
    depend on them to `values`.
    """
    tensors: Tensors = []
    kinds = {each.name: each.kind for each in signature.attributes}
    for argument in signature.inputs:
        kind = kinds.get(argument.dtype, "")
        is_list = bool(argument.number) or kind == "list(type)"
        dtype = values.get(argument.dtype) if kind == "type" else None
        if not kind:
            dtype = argument.dtype
        made: Tensors = []
        for each in values[argument.name] if is_list else [values[argument.name]]:
            made.append(tf.convert_to_tensor(each, dtype, name=argument.name))
            dtype = dtype or (made[0].dtype.base_dtype if kind == "type" else None)
        if argument.number:
            values[argument.number] = len(made)
        if kind == "list(type)":
            values[argument.dtype] = [tensor.dtype.base_dtype for tensor in made]
        elif kind and made:
            values[argument.dtype] = dtype
        tensors += made
    return tensors

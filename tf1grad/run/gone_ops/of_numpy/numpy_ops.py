"""Makes ops of functions of NumPy arrays, and the ops of resources that such
functions read and write.

A resource is a variable of type string, so that each session has its own; its value is the state.
SavedModels with these ops load only in the process that wrote them.

A function that makes an op names what it takes of these: the `signature`, the inputs as single
`tensors`, the `values` of the attributes, the `name`.
"""

from __future__ import annotations

from typing import Any, Callable, Sequence

import numpy as np

from tf1grad._compat import tf
from tf1grad.run.gone_ops import raw_ops
from tf1grad.run.gone_ops.signatures import OpSignature
from tf1grad.run.gone_ops.table import call_with_known, listed

CHANGE, REPLACE, CREATE = "change", "replace", "create"
Make = Callable[..., Any]
Shapes = Callable[..., Sequence[Any]]


def compute_in_python(
    *shapes: object, shapes_for: Shapes | None = None, writes: str = ""
) -> Callable[..., Make]:
    """Decorates a function of NumPy, which becomes one that makes an op.

    The function takes the inputs in their order, and the attributes that it names. In the place of
    a resource it gets the state, except where it `writes` one that does not depend on it: where it
    REPLACEs it, or CREATEs it unless it is there. It returns the outputs, with the new state before
    them. An op with fewer outputs has the first of them. `shapes` are static shapes; `shapes_for`
    returns them for the attributes that it names, or refuses these.
    """

    def decorate(function: Callable[..., Any]) -> Make:
        def make(
            signature: OpSignature, tensors: list[tf.Tensor], values: dict[str, Any], name: str
        ) -> Any:
            known = call_with_known(shapes_for, **values) if shapes_for else shapes
            resources = [each for each in tensors if each.dtype == tf.resource]
            given = [each for each in tensors if each.dtype != tf.resource]
            arguments = [each for each in signature.inputs if each.dtype != "resource"]
            with tf.control_dependencies(given):
                states = (
                    []
                    if writes in (REPLACE, CREATE)
                    else [
                        tf.raw_ops.ReadVariableOp(resource=each, dtype=tf.string)
                        for each in resources
                    ]
                )
            dtypes = [tf.as_dtype(dtype) for _, dtype in signature.flat(signature.outputs, values)]
            dtypes = [tf.string] * bool(writes) + dtypes

            def called(*arrays: object) -> list[Any]:
                inputs = signature.nested(arguments, arrays[len(states) :], values)
                found = call_with_known(
                    function, *arrays[: len(states)], *inputs.values(), **values
                )
                return [
                    np.asarray(each, dtype.as_numpy_dtype)
                    for each, dtype in zip(tf.nest.flatten(found), dtypes)
                ]

            outputs = listed(
                tf.numpy_function(called, states + given, dtypes, None if writes else name)
            )
            if writes:
                written = _written(resources[0], outputs.pop(0), writes == CREATE, name)
                if not outputs:
                    return written
                with tf.control_dependencies([written]):
                    outputs = [tf.identity(each) for each in outputs]
            nested = signature.nested(signature.outputs, outputs, values).values()
            for part, shape in zip(nested, known):
                for output in listed(part):
                    output.set_shape(shape)
            return outputs

        return make

    return decorate


def _written(resource: tf.Tensor, state: tf.Tensor, only_once: bool, name: str) -> tf.Operation:
    if not only_once:
        return tf.raw_ops.AssignVariableOp(resource=resource, value=state, name=name)

    def create() -> tf.Operation:
        return tf.group(tf.raw_ops.AssignVariableOp(resource=resource, value=state))

    return tf.group(
        tf.cond(tf.raw_ops.VarIsInitializedOp(resource=resource), tf.no_op, create), name=name
    )


def handle(values: dict[str, Any], name: str) -> list[tf.Tensor]:
    """Makes the handle of a resource."""
    return [
        tf.raw_ops.VarHandleOp(
            dtype=tf.string,
            shape=[],
            container=values["container"],
            shared_name=values["shared_name"],
            name=name,
        )
    ]


def is_initialized(tensors: list[tf.Tensor], name: str) -> list[tf.Tensor]:
    """Tells whether a resource was created."""
    return [tf.raw_ops.VarIsInitializedOp(resource=tensors[0], name=name)]


def assign(tensors: list[tf.Tensor], name: str) -> tf.Operation:
    """Sets a resource to a text."""
    return tf.raw_ops.AssignVariableOp(resource=tensors[0], value=tensors[1], name=name)


def read(tensors: list[tf.Tensor], name: str) -> list[tf.Tensor]:
    """Reads the text of a resource."""
    return [tf.raw_ops.ReadVariableOp(resource=tensors[0], dtype=tf.string, name=name)]


def as_bytes(attribute: str) -> bytes:
    """Returns the serialized message that an attribute holds."""
    return attribute.encode("utf-8", "surrogateescape")


def original(path: str) -> Any:
    """Returns an original module with the classes of messages."""
    return raw_ops.original(path)

"""Converts attributes of nodes to Python values,
and names the function of an op with certain attributes.
"""

from __future__ import annotations

import hashlib
from typing import Any, Mapping

from tf1grad._compat import tf
from tf1grad.run.gone_ops.signatures import Attribute, OpSignature


def read_node(signature: OpSignature, node: tf.NodeDef) -> dict[str, Any]:
    """Returns the values of all attributes of a `NodeDef`."""
    values = {
        each.name: _value(node.attr[each.name])
        for each in signature.attributes
        if each.name in node.attr
    }
    return complete(signature, values)


def complete(signature: OpSignature, values: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the values as their attributes' kinds have them,
    with the default for those that are missing or None.
    """
    return {
        each.name: default(each)
        if values.get(each.name) is None
        else _as_kind(each.kind, values[each.name])
        for each in signature.attributes
    }


def _as_kind(kind: str, value: Any) -> Any:
    if kind == "list(type)":
        return list(map(tf.as_dtype, value))
    if kind == "type":
        return tf.as_dtype(value)
    return value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else value


def default(attribute: Attribute) -> Any:
    """Returns the usual value of an attribute of an op that is provided."""
    return tf.as_dtype(attribute.default) if attribute.kind == "type" else attribute.default


def _value(attribute: Any) -> Any:
    kind = attribute.WhichOneof("value")
    if kind == "list":
        return next(([*items] for _, items in attribute.list.ListFields()), [])
    return kind and getattr(attribute, kind)


def function_name(signature: OpSignature, values: Mapping[str, Any]) -> str:
    """Returns the name of the function for certain attributes:
    the op's where they have their usual values.
    """
    unusual = [
        f"{each.name}={values[each.name]!r}"
        for each in signature.attributes
        if values[each.name] != default(each)
    ]
    if not unusual:
        return signature.op
    return f"{signature.op}_{hashlib.sha1(' '.join(unusual).encode('utf-8', 'surrogateescape')).hexdigest()[:8]}"

"""Reads TensorFlow's messages by the table of the fields that model files are read for."""

from __future__ import annotations

import functools
from typing import Any, Dict, List, Mapping, Optional, Tuple

from tf1grad.old_programs.models.wire_format import LENGTH, VARINT, Bytes, Damaged, fields, packed, signed

# The name and kind of each field, by message and number. A kind is "varint", "text", "bytes" (left unread), or a
# message; "*" is a list of them, and "{}" a dict by text.
SCHEMAS: Dict[str, Dict[int, Tuple[str, str]]] = {
    "SavedModel": {1: ("version", "varint"), 2: ("graphs", "MetaGraph*")},
    "MetaGraph": {1: ("info", "Info"), 2: ("graph", "Graph"), 4: ("collections", "Collection{}"),
                  5: ("signatures", "Signature{}"), 6: ("assets", "Asset*")},
    "Info": {4: ("tags", "text*"), 5: ("tensorflow", "text")},
    "Collection": {5: ("any", "AnyList")},
    "AnyList": {1: ("value", "Any*")},
    "Any": {2: ("value", "bytes")},
    "Asset": {2: ("filename", "text")},
    "Signature": {1: ("inputs", "TensorInfo{}"), 2: ("outputs", "TensorInfo{}"), 3: ("method", "text")},
    "TensorInfo": {1: ("name", "text"), 2: ("dtype", "varint"), 3: ("shape", "Shape"), 4: ("sparse", "SparseInfo")},
    "SparseInfo": {1: ("values", "text")},
    "Shape": {2: ("dims", "Dimension*"), 3: ("unknown_rank", "varint")},
    "Dimension": {1: ("size", "varint")},
    "Graph": {1: ("nodes", "Node*"), 2: ("library", "Library"), 3: ("version", "varint"), 4: ("versions", "Versions")},
    "Versions": {1: ("producer", "varint")},
    "Library": {1: ("functions", "Function*")},
    "Function": {1: ("signature", "FunctionSignature"), 3: ("nodes", "Node*")},
    "FunctionSignature": {1: ("name", "text")},
    "Node": {1: ("name", "text"), 2: ("op", "text"), 3: ("inputs", "text*"), 5: ("attributes", "bytes{}")},
    "Attribute": {1: ("list", "ListOfShapes"), 6: ("dtype", "varint"), 7: ("shape", "Shape"),
                  8: ("tensor", "Tensor"), 10: ("function", "FunctionName")},
    "ListOfShapes": {6: ("dtypes", "varint*"), 7: ("shapes", "Shape*"), 9: ("functions", "FunctionName*")},
    "FunctionName": {1: ("name", "text")},
    "Tensor": {1: ("dtype", "varint"), 2: ("shape", "Shape")},
    "BundleHeader": {1: ("shards", "varint")},
    "BundleEntry": {1: ("dtype", "varint"), 2: ("shape", "Shape")},
    "SavedSlices": {1: ("meta", "SavedSliceMeta")},
    "SavedSliceMeta": {1: ("tensors", "SavedTensor*")},
    "SavedTensor": {1: ("name", "text"), 2: ("shape", "Shape"), 3: ("dtype", "varint")},
}
# The numbers of `DataType` in types.proto.
DTYPES = {1: "float32", 2: "float64", 3: "int32", 4: "uint8", 5: "int16", 6: "int8", 7: "string", 8: "complex64",
          9: "int64", 10: "bool", 11: "qint8", 12: "quint8", 13: "qint32", 14: "bfloat16", 15: "qint16", 16: "quint16",
          17: "uint16", 18: "complex128", 19: "float16", 20: "resource", 21: "variant", 22: "uint32", 23: "uint64"}
REFERENCE = 100  # what the number of a reference's dtype has more

Shape = Optional[List[Optional[int]]]


def read(data: Bytes, kind: str) -> Dict[str, Any]:
    """Returns the fields of the message `kind` by name; lists and dicts are there even if they are empty.

    Raises:
        Damaged: the bytes end early, or a known field has another form.
    """
    return _read(data, SCHEMAS[kind])


def _read(data: Bytes, schema: Mapping[int, Tuple[str, str]]) -> Dict[str, Any]:
    found: Dict[str, Any] = {name: [] for name, kind in schema.values() if kind.endswith("*")}
    found.update((name, {}) for name, kind in schema.values() if kind.endswith("{}"))
    for number, wire_type, value in fields(data):
        name, kind = schema.get(number, ("", ""))
        one = kind.rstrip("*{}")
        if kind.endswith("{}"):
            entry = _read(_value(value, "bytes", wire_type), {1: ("key", "text"), 2: ("value", one)})
            found[name][entry.get("key", "")] = entry["value"] if "value" in entry else _value(b"", one, LENGTH)
        elif kind == "varint*" and wire_type == LENGTH:
            found[name] += packed(value)
        elif kind.endswith("*"):
            found[name].append(_value(value, one, wire_type))
        elif kind:
            found[name] = _value(value, one, wire_type)
    return found


def _value(value: Any, kind: str, wire_type: int) -> Any:
    if wire_type != (VARINT if kind == "varint" else LENGTH):
        raise Damaged("it is not the message that it should be")
    if kind == "varint":
        return signed(value)
    if kind == "text":
        try:
            return bytes(value).decode("utf-8")
        except UnicodeDecodeError as error:
            raise Damaged("a name in it is not UTF-8") from error
    return value if kind == "bytes" else read(value, kind)


def attribute(node: Dict[str, Any], name: str) -> Dict[str, Any]:
    """Returns the attribute of a node; a dict without fields where the node does not have it."""
    return read(node["attributes"].get(name, b""), "Attribute")


def dtype_name(number: Optional[int]) -> str:
    """Returns the name of a dtype, such as "float32"; a reference's is that of its values."""
    number = number or 0
    return DTYPES.get(number - REFERENCE if number > REFERENCE else number, "unknown")


def shape_of(shape: Optional[Dict[str, Any]]) -> Shape:
    """Returns the dimensions of a shape, None for an unknown one; None for an unknown rank."""
    if shape is None or shape.get("unknown_rank"):
        return None
    return [None if dimension.get("size", 0) < 0 else dimension.get("size", 0) for dimension in shape["dims"]]


def elements(shape: Shape) -> int:
    """Returns the number of elements of a shape; unknown dimensions count as 1."""
    return functools.reduce(lambda product, size: product * (1 if size is None else size), shape or [], 1)

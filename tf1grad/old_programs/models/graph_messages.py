"""Holds the fields of TensorFlow's messages that model files are read for, by message and number."""

from __future__ import annotations

import functools
from typing import Any, Dict, List, Optional

from tf1grad.old_programs.models import wire_format
from tf1grad.old_programs.models.wire_format import Bytes, Field

SCHEMAS = {
    "SavedModel": {1: Field("version", "varint"), 2: Field("graphs", "MetaGraph", True)},
    "MetaGraph": {1: Field("info", "Info"), 2: Field("graph", "Graph"),
                  4: Field("collections", "map:Collection", True), 5: Field("signatures", "map:Signature", True),
                  6: Field("assets", "Asset", True)},
    "Info": {4: Field("tags", "text", True), 5: Field("tensorflow", "text")},
    "Collection": {5: Field("any", "AnyList")},
    "AnyList": {1: Field("value", "Any", True)},
    "Any": {2: Field("value", "bytes")},
    "Asset": {1: Field("tensor", "TensorInfo"), 2: Field("filename", "text")},
    "Signature": {1: Field("inputs", "map:TensorInfo", True), 2: Field("outputs", "map:TensorInfo", True),
                  3: Field("method", "text")},
    "TensorInfo": {1: Field("name", "text"), 2: Field("dtype", "varint"), 3: Field("shape", "Shape"),
                   4: Field("sparse", "SparseInfo")},
    "SparseInfo": {1: Field("values", "text")},
    "Shape": {2: Field("dims", "Dimension", True), 3: Field("unknown_rank", "varint")},
    "Dimension": {1: Field("size", "varint")},
    "Graph": {1: Field("nodes", "Node", True), 2: Field("library", "Library"), 3: Field("version", "varint"),
              4: Field("versions", "Versions")},
    "Versions": {1: Field("producer", "varint")},
    "Library": {1: Field("functions", "Function", True)},
    "Function": {1: Field("signature", "FunctionSignature"), 3: Field("nodes", "Node", True)},
    "FunctionSignature": {1: Field("name", "text")},
    "Node": {1: Field("name", "text"), 2: Field("op", "text"), 3: Field("inputs", "text", True),
             5: Field("attributes", "map:bytes", True)},
    "Attribute": {1: Field("list", "ListOfShapes"), 6: Field("dtype", "varint"), 7: Field("shape", "Shape"),
                  8: Field("tensor", "Tensor"), 10: Field("function", "FunctionName")},
    "ListOfShapes": {6: Field("dtypes", "varint", True), 7: Field("shapes", "Shape", True),
                     9: Field("functions", "FunctionName", True)},
    "FunctionName": {1: Field("name", "text")},
    "Tensor": {1: Field("dtype", "varint"), 2: Field("shape", "Shape")},
    "Variable": {1: Field("name", "text"), 2: Field("initializer", "text"), 3: Field("snapshot", "text")},
    "BundleHeader": {1: Field("shards", "varint")},
    "BundleEntry": {1: Field("dtype", "varint"), 2: Field("shape", "Shape")},
    "SavedSlices": {1: Field("meta", "SavedSliceMeta")},
    "SavedSliceMeta": {1: Field("tensors", "SavedTensor", True)},
    "SavedTensor": {1: Field("name", "text"), 2: Field("shape", "Shape"), 3: Field("dtype", "varint")},
}
# The numbers of `DataType` in types.proto.
DTYPES = {1: "float32", 2: "float64", 3: "int32", 4: "uint8", 5: "int16", 6: "int8", 7: "string", 8: "complex64",
          9: "int64", 10: "bool", 11: "qint8", 12: "quint8", 13: "qint32", 14: "bfloat16", 15: "qint16", 16: "quint16",
          17: "uint16", 18: "complex128", 19: "float16", 20: "resource", 21: "variant", 22: "uint32", 23: "uint64"}
REFERENCE = 100  # what the number of a reference's dtype has more
BYTES = {"float64": 8, "complex64": 8, "complex128": 16, "int64": 8, "uint64": 8, "int16": 2, "uint16": 2, "int8": 1,
         "uint8": 1, "bool": 1, "float16": 2, "bfloat16": 2, "string": 24, "qint8": 1, "quint8": 1}

Shape = Optional[List[Optional[int]]]


def read(data: Bytes, kind: str) -> Dict[str, Any]:
    """Returns the fields of the message `kind`, a key of `SCHEMAS`."""
    return wire_format.message(data, kind, SCHEMAS)


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

"""Reads TensorFlow's messages, which are protocol buffers, from bytes, by a table of the fields that are needed."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple, Union

Bytes = Union[bytes, memoryview]
Shape = Optional[List[Optional[int]]]
VARINT, FIXED_64, LENGTH, FIXED_32 = 0, 1, 2, 5  # the types of fields
# The name and kind of each field, by message and number. A kind is "varint", "text", "bytes" (left unread), or a
# message; "*" is a list of them, and "{}" a dict by text.
SCHEMAS: Dict[str, Dict[int, Tuple[str, str]]] = {
    "SavedModel": {1: ("version", "varint"), 2: ("graphs", "MetaGraph*")},
    "MetaGraph": {
        1: ("info", "Info"),
        2: ("graph", "Graph"),
        4: ("collections", "Collection{}"),
        5: ("signatures", "Signature{}"),
        6: ("assets", "Asset*"),
    },
    "Info": {4: ("tags", "text*"), 5: ("tensorflow", "text")},
    "Collection": {5: ("any", "AnyList")},
    "AnyList": {1: ("value", "Any*")},
    "Any": {2: ("value", "bytes")},
    "Asset": {2: ("filename", "text")},
    "Signature": {
        1: ("inputs", "TensorInfo{}"),
        2: ("outputs", "TensorInfo{}"),
        3: ("method", "text"),
    },
    "TensorInfo": {
        1: ("name", "text"),
        2: ("dtype", "varint"),
        3: ("shape", "Shape"),
        4: ("sparse", "SparseInfo"),
    },
    "SparseInfo": {1: ("values", "text")},
    "Shape": {2: ("dims", "Dimension*"), 3: ("unknown_rank", "varint")},
    "Dimension": {1: ("size", "varint")},
    "Graph": {
        1: ("nodes", "Node*"),
        2: ("library", "Library"),
        3: ("version", "varint"),
        4: ("versions", "Versions"),
    },
    "Versions": {1: ("producer", "varint")},
    "Library": {1: ("functions", "Function*")},
    "Function": {1: ("signature", "FunctionSignature"), 3: ("nodes", "Node*")},
    "FunctionSignature": {1: ("name", "text")},
    "Node": {
        1: ("name", "text"),
        2: ("op", "text"),
        3: ("inputs", "text*"),
        5: ("attributes", "bytes{}"),
    },
    "Attribute": {
        1: ("list", "AttributeList"),
        6: ("dtype", "varint"),
        7: ("shape", "Shape"),
    },
    "AttributeList": {6: ("dtypes", "varint*"), 7: ("shapes", "Shape*")},
    "BundleHeader": {1: ("shards", "varint")},
    "BundleEntry": {1: ("dtype", "varint"), 2: ("shape", "Shape")},
    "SavedSlices": {1: ("meta", "SavedSliceMeta")},
    "SavedSliceMeta": {1: ("tensors", "SavedTensor*")},
    "SavedTensor": {1: ("name", "text"), 2: ("shape", "Shape"), 3: ("dtype", "varint")},
}
# By the numbers of `DataType` in types.proto.
DTYPES = (
    "unknown",
    "float32",
    "float64",
    "int32",
    "uint8",
    "int16",
    "int8",
    "string",
    "complex64",
    "int64",
    "bool",
    "qint8",
    "quint8",
    "qint32",
    "bfloat16",
    "qint16",
    "quint16",
    "uint16",
    "complex128",
    "float16",
    "resource",
    "variant",
    "uint32",
    "uint64",
)
DEFAULTS = {"varint": 0, "text": "", "bytes": b""}
REFERENCE = 100  # what the number of a reference's dtype has more


class Damaged(Exception):
    """Raised for bytes that are not the message they should be; the message says why, without naming the file."""


class Message(Dict[str, Any]):
    """The fields of a message by name; `message[name]` is the default of a missing field, and `get` returns None."""

    def __init__(self, schema: Mapping[int, Tuple[str, str]]) -> None:
        super().__init__()
        self._schema = schema

    def __missing__(self, name: str) -> Any:
        kind = next(kind for field, kind in self._schema.values() if field == name)
        if kind.endswith("*"):
            return []
        if kind.endswith("{}"):
            return {}
        return DEFAULTS[kind] if kind in DEFAULTS else read(b"", kind)


def read(data: Bytes, kind: str) -> Message:
    """Returns the message `kind` in bytes.

    Raises:
        Damaged: the bytes end early, or a known field has another form.
    """
    return _read(data, SCHEMAS[kind])


def _read(data: Bytes, schema: Mapping[int, Tuple[str, str]]) -> Message:
    found = Message(schema)
    for number, wire_type, value in _fields(data):
        name, kind = schema.get(number, ("", ""))
        one = kind.rstrip("*{}")
        if kind.endswith("{}"):
            entry = _read(
                _value(value, "bytes", wire_type), {1: ("key", "text"), 2: ("value", one)}
            )
            found.setdefault(name, {})[entry["key"]] = entry["value"]
        elif kind == "varint*" and wire_type == LENGTH:
            found.setdefault(name, []).extend(_packed(value))
        elif kind.endswith("*"):
            found.setdefault(name, []).append(_value(value, one, wire_type))
        elif kind:
            found[name] = _value(value, one, wire_type)
    return found


def _value(value: Any, kind: str, wire_type: int) -> Any:
    if wire_type != (VARINT if kind == "varint" else LENGTH):
        raise Damaged("it is not the message that it should be")
    if kind == "varint":
        return _signed(value)
    if kind == "text":
        try:
            return bytes(value).decode("utf-8")
        except UnicodeDecodeError as error:
            raise Damaged("a name in it is not UTF-8") from error
    return value if kind == "bytes" else read(value, kind)


def varint(data: Bytes, position: int) -> Tuple[int, int]:
    """Returns the number at `position` and the position after it."""
    value = shift = 0
    while True:
        if position >= len(data) or shift > 63:
            raise Damaged("it is cut off, or not a protocol buffer")
        byte = data[position]
        position += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value & (1 << 64) - 1, position
        shift += 7


def _signed(value: int) -> int:
    """Returns the int64 of a varint's 64 bits."""
    return value - (1 << 64) if value >> 63 else value


def _fields(data: Bytes) -> Iterator[Tuple[int, int, Any]]:
    """Yields (number, wire type, value) of each field; a value with a length is a slice of `data`."""
    position, size = 0, len(data)
    while position < size:
        key, position = varint(data, position)
        number, wire_type = key >> 3, key & 7
        value: Any = None
        if wire_type == VARINT:
            value, position = varint(data, position)
        elif wire_type in (LENGTH, FIXED_32, FIXED_64):
            length = 4 if wire_type == FIXED_32 else 8
            if wire_type == LENGTH:
                length, position = varint(data, position)
            value, position = data[position : position + length], position + length
        else:
            raise Damaged("it is not a protocol buffer")
        if number == 0 or position > size:
            raise Damaged("it is cut off, or not a protocol buffer")
        yield number, wire_type, value


def _packed(data: Bytes) -> List[int]:
    """Returns the int64 numbers of a repeated field that is written as one value."""
    numbers, position = [], 0
    while position < len(data):
        number, position = varint(data, position)
        numbers.append(_signed(number))
    return numbers


def attribute(node: Dict[str, Any], name: str) -> Message:
    """Returns the attribute of a node, or one without fields."""
    return read(node["attributes"].get(name, b""), "Attribute")


def dtype_name(number: int) -> str:
    """Returns the name of a dtype, such as "float32"; a reference's is that of its values."""
    number = number - REFERENCE if number > REFERENCE else number
    return DTYPES[number] if 0 < number < len(DTYPES) else DTYPES[0]


def shape_of(shape: Optional[Message]) -> Shape:
    """Returns the dimensions of a shape, None for an unknown one; None for an unknown rank."""
    if shape is None or shape["unknown_rank"]:
        return None
    return [None if dimension["size"] < 0 else dimension["size"] for dimension in shape["dims"]]


def elements(shape: Shape) -> int:
    """Returns the number of elements of a shape; unknown dimensions count as 1."""
    product = 1
    for size in shape or []:
        product *= 1 if size is None else size
    return product

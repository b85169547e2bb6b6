"""Reads protocol buffers from bytes, by tables of their fields: what model files hold, without TensorFlow."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Tuple, Union

Bytes = Union[bytes, memoryview]
VARINT, FIXED_64, LENGTH, FIXED_32 = 0, 1, 2, 5


class Damaged(Exception):
    """Raised for bytes that are not the message they should be; the message says why, without naming the file."""


class Field(NamedTuple):
    """Describes a field: its name, its kind, and whether it repeats.

    kind: "varint", "text", "bytes" (left unread), the name of a message, or "map:" and the kind of the values, whose
        keys are text.
    """

    name: str
    kind: str
    repeated: bool = False


Schemas = Mapping[str, Mapping[int, Field]]


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


def varint_bytes(number: int) -> bytes:
    """Returns the bytes of a number that is at least 0."""
    written = bytearray()
    while number > 127:
        written.append(number & 127 | 128)
        number >>= 7
    return bytes(written + bytes([number]))


def signed(value: int) -> int:
    """Returns the int64 of a varint's 64 bits."""
    return value - (1 << 64) if value >> 63 else value


def fields(data: Bytes) -> Iterator[Tuple[int, int, Any]]:
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
            value, position = data[position:position + length], position + length
        else:
            raise Damaged("it is not a protocol buffer")
        if number == 0 or position > size:
            raise Damaged("it is cut off, or not a protocol buffer")
        yield number, wire_type, value


def message(data: Bytes, kind: str, schemas: Schemas) -> Dict[str, Any]:
    """Returns the fields of a message by name; repeated fields and maps are there even if they are empty.

    Raises:
        Damaged: the bytes end early, or a known field has another form.
    """
    schema = schemas[kind]
    found: Dict[str, Any] = {field.name: {} if field.kind.startswith("map:") else []
                             for field in schema.values() if field.repeated}
    for number, wire_type, value in fields(data):
        field = schema.get(number)
        if field is None:
            continue
        if field.kind.startswith("map:"):
            key, item = _entry(value, field.kind[len("map:"):], wire_type, schemas)
            found[field.name][key] = item
        elif field.repeated and wire_type == LENGTH and field.kind == "varint":
            found[field.name] += _packed(value)
        elif field.repeated:
            found[field.name].append(_value(value, field.kind, wire_type, schemas))
        else:
            found[field.name] = _value(value, field.kind, wire_type, schemas)
    return found


def _entry(data: Any, kind: str, wire_type: int, schemas: Schemas) -> Tuple[str, Any]:
    if wire_type != LENGTH:
        raise Damaged("it is not the message that it should be")
    key: Any = ""
    item: Any = None
    for number, inner, value in fields(data):
        if number == 1:
            key = _value(value, "text", inner, schemas)
        elif number == 2:
            item = _value(value, kind, inner, schemas)
    return key, _value(b"", kind, LENGTH, schemas) if item is None else item


def _value(value: Any, kind: str, wire_type: int, schemas: Schemas) -> Any:
    if wire_type != (VARINT if kind == "varint" else LENGTH):
        raise Damaged("it is not the message that it should be")
    if kind == "varint":
        return signed(value)
    if kind == "text":
        try:
            return bytes(value).decode("utf-8")
        except UnicodeDecodeError as error:
            raise Damaged("a name in it is not UTF-8") from error
    return value if kind == "bytes" else message(value, kind, schemas)


def _packed(data: Bytes) -> List[int]:
    numbers, position = [], 0
    while position < len(data):
        number, position = varint(data, position)
        numbers.append(signed(number))
    return numbers

"""Reads the numbered fields of protocol buffers from bytes, without TensorFlow."""

from __future__ import annotations

from typing import Any, Iterator, List, Tuple, Union

Bytes = Union[bytes, memoryview]
VARINT, FIXED_64, LENGTH, FIXED_32 = 0, 1, 2, 5


class Damaged(Exception):
    """Raised for bytes that are not the message they should be; the message says why, without naming the file."""


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


def packed(data: Bytes) -> List[int]:
    """Returns the int64 numbers of a repeated field that is written as one value."""
    numbers, position = [], 0
    while position < len(data):
        number, position = varint(data, position)
        numbers.append(signed(number))
    return numbers

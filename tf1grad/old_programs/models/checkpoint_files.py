"""Reads the names, dtypes and shapes of a checkpoint's variables, in the formats of TensorFlow 0.x and of 1.x."""

from __future__ import annotations

import glob
import os
import re
import struct
from typing import Iterator, List, NamedTuple, Optional, Tuple

from tf1grad.old_programs.models import graph_messages
from tf1grad.old_programs.models.graph_messages import Bytes, Damaged, Shape, varint

MAGIC = 0xDB4775248B80FB57
FOOTER = 48
TRAILER = 5  # after each block: its compression and its checksum


class Variable(NamedTuple):
    """Describes a variable: the dtype's name, and the shape with None for what is unknown."""

    name: str
    dtype: str
    shape: Shape


def is_table(data: Bytes) -> bool:
    """Says whether the bytes end as a sorted table does: a checkpoint of version 1, or the index of a newer one."""
    return len(data) >= FOOTER and struct.unpack("<Q", data[-8:])[0] == MAGIC


def variables(data: Bytes) -> Tuple[List[Variable], Optional[int]]:
    """Returns the variables of a table, by name, and the number of data files; None where the table holds the data."""
    entries = dict(_entries(data))
    header = entries.pop(b"", None)
    if header is None:
        raise Damaged("it is a table without the header of a checkpoint")
    shards: Optional[int] = None
    if header[:1] == b"\n":  # a message, where newer headers begin with a number
        found = {
            each["name"]: each
            for each in graph_messages.read(header, "SavedSlices")["meta"]["tensors"]
        }
    else:
        shards = graph_messages.read(header, "BundleHeader")["shards"]
        # Slices of partitioned variables.
        found = {
            key.decode("utf-8", "backslashreplace"): graph_messages.read(value, "BundleEntry")
            for key, value in entries.items()
            if not key.startswith(b"\0")
        }
    return [
        Variable(
            name,
            graph_messages.dtype_name(each["dtype"]),
            graph_messages.shape_of(each.get("shape")),
        )
        for name, each in sorted(found.items())
    ], shards


def latest_prefix(folder: str) -> Optional[str]:
    """Returns the prefix of the newest checkpoint in a folder: the one that its file `checkpoint` names, else the last.

    A name that leads out of the folder is not followed.
    """
    inside = {
        path[: -len(".index")] for path in glob.glob(os.path.join(glob.escape(folder), "*.index"))
    }
    try:
        with open(os.path.join(folder, "checkpoint"), encoding="utf-8", errors="replace") as file:
            match = re.match(r'model_checkpoint_path:\s*"(.*)"', file.read())
    except OSError:
        match = None
    named = os.path.join(folder, os.path.basename(match.group(1))) if match else None
    if named and (named in inside or os.path.isfile(named)):
        return named
    return max(inside, key=lambda prefix: os.path.getmtime(prefix + ".index")) if inside else None


def _entries(data: Bytes) -> Iterator[Tuple[bytes, Bytes]]:
    """Yields the keys and values of a table."""
    footer = data[-FOOTER:-8]
    _, position = varint(footer, 0)
    _, position = varint(footer, position)
    start, position = varint(footer, position)
    size, _ = varint(footer, position)
    for _, handle in _block(data, start, size):
        first, after = varint(handle, 0)
        yield from _block(data, first, varint(handle, after)[0])


def _block(data: Bytes, start: int, size: int) -> Iterator[Tuple[bytes, Bytes]]:
    if start + size + TRAILER > len(data) or size < 4:
        raise Damaged("its table is cut off")
    if data[start + size]:
        raise Damaged("its table is compressed, which TensorFlow does not do")
    block = data[start : start + size]
    end = size - 4 - 4 * struct.unpack("<I", block[-4:])[0]
    key, position = b"", 0
    while position < end:
        shared, position = varint(block, position)
        fresh, position = varint(block, position)
        length, position = varint(block, position)
        key = key[:shared] + bytes(block[position : position + fresh])
        position += fresh
        yield key, block[position : position + length]
        position += length
    if position != end:
        raise Damaged("a block of its table is cut off")

"""Reads and writes the manifest of a part, and finds what is damaged.

The manifest has a line for each file: its size in bytes, its time in whole seconds, which archives
keep, the CRC-32 of its content, and its path. The first line counts the others.
"""

from __future__ import annotations

import contextlib
import os
import pathlib
import zlib
from typing import Iterator, NamedTuple

NAME = "tf1grad.txt"
# How folders begin that Python and tf1grad make while a program runs.
MADE_LATER = ("__pycache__", ".tf1grad-")


class Contents(NamedTuple):
    """Describes a part on the disk: its folder, the number and the size of its files,
    and what is damaged, or None.

    Files that Python and tf1grad made later are counted.
    """

    place: str
    files: int
    bytes: int
    damage: str | None


def read_contents(place: str) -> Contents:
    """Returns the `Contents` of the part in the folder `place`,
    for which all of its files are read.
    """
    files = [os.path.join(path, name) for path, _, names in os.walk(place) for name in names]
    sizes = list(map(os.path.getsize, files))
    return Contents(place, len(sizes), sum(sizes), find_damage(place, reads_all=True))


def find_damage(place: str, reads_all: bool = False) -> str | None:
    """Returns which file of the part in the folder `place` is damaged and how, or None.

    Sizes and times are compared, which takes milliseconds. Unless `reads_all`, a file is read only
    if its time differs, as in a copied layer.
    """
    written = read(place)
    if written is None:
        return f"{os.path.join(place, NAME)} is missing or incomplete"
    root, is_copy = os.path.join(place, ""), False
    for size, time, checksum, name in written:
        path = root + name
        try:
            found = os.stat(path)
        except OSError as error:
            return f"{path}: {error.strerror}"
        if str(found.st_size) != size:
            return f"{path} has {found.st_size} bytes instead of {size}"
        has_other_time = str(int(found.st_mtime)) != time
        if (has_other_time or reads_all) and str(_checksum(path)) != checksum:
            return f"{path} has another content"
        is_copy = is_copy or has_other_time
    if is_copy:
        with contextlib.suppress(OSError):  # the files are read at each start then
            write(place)
    return None


def read(place: str) -> list[list[str]] | None:
    """Returns the size, time, checksum and path of each file in a folder's manifest,
    or None if it is incomplete.
    """
    try:
        count, *lines = pathlib.Path(place, NAME).read_text(encoding="utf-8").splitlines()
        files = [line.split(" ", 3) for line in lines]
        is_whole = len(files) == int(count) and all(len(file) == 4 for file in files)
        return files if is_whole else None
    except (OSError, ValueError):
        return None


def write(place: str) -> None:
    """Writes the manifest of the files that are in `place` now, in one piece."""
    lines = [_line(place, path) for path in _paths(place)]
    temporary = os.path.join(place, f"{NAME}.{os.getpid()}")
    pathlib.Path(temporary).write_text("\n".join([str(len(lines)), *lines]), encoding="utf-8")
    os.replace(temporary, os.path.join(place, NAME))


def is_part(place: str) -> bool:
    """Says whether a folder holds a part that tf1grad wrote."""
    return os.path.isfile(os.path.join(place, NAME))


def _line(place: str, path: str) -> str:
    found = os.stat(path)
    name = os.path.relpath(path, place).replace(os.sep, "/")
    return f"{found.st_size} {int(found.st_mtime)} {_checksum(path)} {name}"


def _checksum(path: str) -> int:
    return zlib.crc32(pathlib.Path(path).read_bytes())


def _paths(place: str) -> Iterator[str]:
    """Yields the paths of the files of a part."""
    for path, folders, names in os.walk(place):
        folders[:] = [name for name in folders if not name.startswith(MADE_LATER)]
        yield from (os.path.join(path, name) for name in names if not name.startswith("tf1grad."))

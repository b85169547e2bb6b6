"""Writes upgraded files, completely or not at all, and keeps the old ones beside them."""

import contextlib
import itertools
import os
import shutil
import tempfile
from typing import BinaryIO

from tf1grad.programs import _systems

BACKUP = ".orig"


def write(path: str, data: bytes, backup: bool) -> None:
    """Replaces the content of the file at `path`,
    or of the file that a link there leads to; its mode stays.

    The old content goes to `.orig`, or if that exists to `.orig.1`, and so on. If the file cannot
    be written, it is unchanged, and no other file is left beside it. A file with several names
    (hard links) is written in its place, so that all of them have the new content.
    """
    path = os.path.realpath(path)
    if not os.access(path, os.W_OK):
        raise PermissionError("the file is write-protected")
    old = _read(path)
    number, temporary = tempfile.mkstemp(
        prefix=os.path.basename(path) + ".", suffix=".tmp", dir=os.path.dirname(path)
    )
    made = [temporary]
    try:
        with os.fdopen(number, "wb") as file:
            file.write(data)
        shutil.copymode(path, temporary)
        _systems.copy_owner(path, temporary)
        if backup:
            made.append(_free_name(path + BACKUP))
            shutil.copy2(path, made[-1])
        if os.stat(path).st_nlink > 1:
            _write_in_place(path, data, old)
            os.remove(temporary)
        else:
            os.replace(temporary, path)
    except BaseException:
        # Ctrl-C may end this after the file is replaced: then its backup alone has the old content.
        for each in made if _read(path) == old else [temporary]:
            with contextlib.suppress(OSError):
                os.remove(each)
        raise


def _free_name(path: str) -> str:
    names = itertools.chain([path], (f"{path}.{number}" for number in itertools.count(1)))
    return next(name for name in names if not os.path.lexists(name))


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _write_in_place(path: str, data: bytes, old: bytes) -> None:
    """Writes a file through the name that it has; the old content comes back if that fails."""
    with open(path, "r+b") as file:
        try:
            _put(file, data)
        except BaseException:
            _put(file, old)
            raise


def _put(file: BinaryIO, data: bytes) -> None:
    file.seek(0)
    file.write(data)
    file.truncate()
    file.flush()

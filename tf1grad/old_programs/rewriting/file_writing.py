"""Writes upgraded files, completely or not at all, and keeps the old ones beside them."""

import contextlib
import os
import pathlib
import shutil
import tempfile

BACKUP = ".orig"


def write(path: str, data: bytes, backup: bool = True) -> None:
    """Replaces the content of the file at `path`, or of the file that a link there leads to; its mode stays.

    An existing `.orig` stays. If the file cannot be written, it is unchanged, and no other file is left beside it.
    """
    path = os.path.realpath(path)
    if not os.access(path, os.W_OK):
        raise PermissionError("the file is write-protected")
    kept = backup and not os.path.lexists(path + BACKUP)
    if kept:
        _place(path + BACKUP, pathlib.Path(path).read_bytes(), path)
    try:
        _place(path, data, path)
    except BaseException:
        if kept:
            os.remove(path + BACKUP)
        raise


def _place(path: str, data: bytes, model: str) -> None:
    """Writes a file beside `path` with the mode of `model`, and moves it there in one step."""
    number, temporary = tempfile.mkstemp(prefix=os.path.basename(path) + ".", suffix=".tmp",
                                         dir=os.path.dirname(path))
    try:
        with os.fdopen(number, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        shutil.copymode(model, temporary)
        with contextlib.suppress(OSError, AttributeError):  # not on every system, and only for root
            os.chown(temporary, os.stat(model).st_uid, os.stat(model).st_gid)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.remove(temporary)
        raise

"""Installs and removes the originals, completely or not at all."""

from __future__ import annotations

import contextlib
import errno
import glob
import os
import shutil
import signal
import uuid
from typing import Any, Callable, ContextManager, Iterator, List

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

from tf1grad.old_programs.originals import folder, manifest
from tf1grad.old_programs.originals.wheel_sources import Failed, Source

LICENSE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "apache-2.0.txt")
COPYRIGHT = "Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.\n\n"  # as their files have it
NOT_WRITABLE = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR)

SourceIn = Callable[[str], ContextManager[Source]]
Progress = Callable[[int, int], Any]


class _NotWritable(Failed):
    """The folder beside the originals' folder is not writable."""


def install(source_in: SourceIn, progress: Progress) -> manifest.Contents:
    """Installs the originals into the first of the `folder.places()` that is writable.

    Args:
        source_in: a function from a temporary folder to a context with the `wheel_sources.Source`.
        progress: a function that is called after each file, with the number of files written and of all files.

    Returns:
        The `manifest.Contents` of the folder.

    Raises:
        Failed, WrongSource: the installation failed. After these and any other exception nothing has changed.
    """
    refused = []
    for place in folder.places():
        try:
            with _explained_errors(place), _staging_folder(place) as staging:
                return _install(place, staging, source_in, progress)
        except _NotWritable as error:
            refused.append(str(error))
    raise Failed(f"{'; '.join(refused)}. Set {folder.VARIABLE} to a folder that you can write.")


def remove() -> List[str]:
    """Removes what `install` put into any of the `folder.places()`, and returns the removed paths.

    Raises:
        Failed: a folder cannot be removed, or holds originals that `install` did not put there.
    """
    removed = []
    for place in folder.places():
        if manifest.read(place) is not None:
            with _explained_errors(place), _staging_folder(place) as staging:
                os.rename(place, os.path.join(staging, "old"))
            if os.path.basename(os.path.dirname(place)) == "tf1grad":
                with contextlib.suppress(OSError):  # it holds other files
                    os.rmdir(os.path.dirname(place))
            removed.append(place)
        elif manifest.contents(place) is not None:
            raise Failed(f"{place} was not installed by `tf1grad contrib install`, so it is left in place.")
    return removed


def _install(place: str, staging: str, source_in: SourceIn, progress: Progress) -> manifest.Contents:
    old = manifest.read(place)
    if old is None and os.path.isdir(place) and os.listdir(place):
        raise Failed(f"{place} holds other files. Move them away, or set {folder.VARIABLE} to another folder.")
    new = os.path.join(staging, "new")
    os.mkdir(new)
    with source_in(staging) as source:
        _fill(new, source, progress)
    if old is not None:
        os.rename(place, os.path.join(staging, "old"))
    try:
        os.rename(new, place)
    except OSError:
        if manifest.read(place) is None:  # with a manifest, another install was faster
            raise
    found = manifest.contents(place)
    if found is None:
        raise Failed(f"another process removed {place} right after it was installed.")
    return found


def _fill(new: str, source: Source, progress: Progress) -> None:
    size = 0
    for done, name in enumerate(source.names, 1):
        path = os.path.join(new, *name.split("/"))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        data = source.read(name)
        with open(path, "wb") as file:
            file.write(data)
        size += len(data)
        progress(done, len(source.names))
    with open(LICENSE, encoding="utf-8") as text, open(os.path.join(new, "LICENSE"), "w", encoding="utf-8") as file:
        file.write(COPYRIGHT + text.read())
    manifest.write(new, source.version, source.sha256, len(source.names), size)


@contextlib.contextmanager
def _staging_folder(place: str) -> Iterator[str]:
    """Makes a temporary folder beside `place`, and removes it at the end with the parent folders made for it.

    It first removes the staging folders of processes that were killed.
    """
    _remove_abandoned(place)
    staging = f"{place}.{uuid.uuid4().hex[:12]}.tmp"
    made = [path for path in _parents(place) if not os.path.lexists(path)]
    try:
        try:
            os.makedirs(staging)
        except OSError as error:
            if error.errno in NOT_WRITABLE:
                raise _NotWritable(f"no permission to write {place} ({error.strerror})") from error
            raise
        with _locked(staging):
            yield staging
    finally:
        with _uninterrupted():
            shutil.rmtree(staging, ignore_errors=True)
            for parent in made:
                with contextlib.suppress(OSError):  # it holds the installed folder now
                    os.rmdir(parent)


def _remove_abandoned(place: str) -> None:
    """Removes the staging folders of dead processes: folders that are not empty and that no process has locked."""
    for staging in glob.glob(glob.escape(place) + ".*.tmp") if fcntl else ():
        with contextlib.suppress(OSError), _locked(staging, fcntl.LOCK_NB):
            if os.listdir(staging):  # a new one is locked before it is filled
                shutil.rmtree(staging, ignore_errors=True)


@contextlib.contextmanager
def _locked(staging: str, how: int = 0) -> Iterator[None]:
    """Holds the lock of a staging folder; does nothing on systems without such locks."""
    if fcntl is None:
        yield
        return
    handle = os.open(staging, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | how)
        except OSError:
            if how:
                raise  # another process holds the lock, or the disk does not support locks: remove nothing
        yield
    finally:
        os.close(handle)


@contextlib.contextmanager
def _explained_errors(place: str) -> Iterator[None]:
    """Turns a failed system call into a `Failed` that names the file."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise Failed(f"the disk of {place} is full: 30 MB are needed there, and 220 MB more for the "
                         "download.") from error
        raise Failed(f"{error.filename or place}: {error.strerror or error}") from error


@contextlib.contextmanager
def _uninterrupted() -> Iterator[None]:
    """Ignores Ctrl-C and SIGTERM until the block has finished."""
    previous = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def _parents(path: str) -> Iterator[str]:
    """Yields the folders above `path`, the nearest first."""
    parent = os.path.dirname(path)
    while parent != os.path.dirname(parent):
        yield parent
        parent = os.path.dirname(parent)

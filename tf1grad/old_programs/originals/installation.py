"""Putting the originals in their place and taking them away: whole, or not at all."""

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
    """Nothing can be made beside a place."""


def install(source_in: SourceIn, progress: Progress) -> manifest.Contents:
    """Puts the originals into the first of the `folder.places()` that can be written.

    Args:
        source_in: a function of a folder for its own use that gives the `sources.Source`, as a context.
        progress: a function that is called with the number of files that are written and of all, after each.

    Returns:
        The `manifest.Contents` that are there now.

    Raises:
        Failed, WrongSource: it cannot be done; then everything is as it was, as after any other exception.
    """
    refused = []
    for place in folder.places():
        try:
            with _explained(place), _workshop(place) as workshop:
                return _install(place, workshop, source_in, progress)
        except _NotWritable as error:
            refused.append(str(error))
    raise Failed(f"{'; '.join(refused)}. Set {folder.VARIABLE} to a folder of yours.")


def remove() -> List[str]:
    """Takes away what `install` put into any of the `folder.places()`, and returns their paths.

    Raises:
        Failed: a place cannot be removed, or holds originals that `install` did not put there.
    """
    removed = []
    for place in folder.places():
        if manifest.read(place) is not None:
            with _explained(place), _workshop(place) as workshop:
                os.rename(place, os.path.join(workshop, "old"))
            if os.path.basename(os.path.dirname(place)) == "tf1grad":
                with contextlib.suppress(OSError):  # something else is there, too
                    os.rmdir(os.path.dirname(place))
            removed.append(place)
        elif manifest.contents(place) is not None:
            raise Failed(f"{place} was not put there by `tf1grad contrib install`, and stays.")
    return removed


def _install(place: str, workshop: str, source_in: SourceIn, progress: Progress) -> manifest.Contents:
    old = manifest.read(place)
    if old is None and os.path.isdir(place) and os.listdir(place):
        raise Failed(f"{place} holds something else. Move that away, or set {folder.VARIABLE} to another folder.")
    new = os.path.join(workshop, "new")
    os.mkdir(new)
    with source_in(workshop) as source:
        _fill(new, source, progress)
    if old is not None:
        os.rename(place, os.path.join(workshop, "old"))
    try:
        os.rename(new, place)
    except OSError:
        if manifest.read(place) is None:  # otherwise another install was faster
            raise
    found = manifest.contents(place)
    if found is None:
        raise Failed(f"{place} was removed by another process as soon as it was there.")
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
def _workshop(place: str) -> Iterator[str]:
    """A folder beside `place`, gone at the end with all that is in it and the folders above that were made for it.

    Those of processes that were killed go first.
    """
    _remove_left(place)
    workshop = f"{place}.{uuid.uuid4().hex[:12]}.tmp"
    made = [path for path in _parents(place) if not os.path.lexists(path)]
    try:
        try:
            os.makedirs(workshop)
        except OSError as error:
            if error.errno in NOT_WRITABLE:
                raise _NotWritable(f"no permission to write {place} ({error.strerror})") from error
            raise
        with _locked(workshop):
            yield workshop
    finally:
        with _uninterrupted():
            shutil.rmtree(workshop, ignore_errors=True)
            for parent in made:
                with contextlib.suppress(OSError):  # the place itself is in it now
                    os.rmdir(parent)


def _remove_left(place: str) -> None:
    """Removes the workshops of processes that are gone: they have something in them, and nobody holds their locks."""
    for workshop in glob.glob(glob.escape(place) + ".*.tmp") if fcntl else ():
        with contextlib.suppress(OSError), _locked(workshop, fcntl.LOCK_NB):
            if os.listdir(workshop):  # one that has just been made is locked before it is filled
                shutil.rmtree(workshop, ignore_errors=True)


@contextlib.contextmanager
def _locked(workshop: str, how: int = 0) -> Iterator[None]:
    """A context in which no other process has the lock of a workshop; where the system has no such locks, any."""
    if fcntl is None:
        yield
        return
    handle = os.open(workshop, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | how)
        except OSError:
            if how:
                raise  # somebody has it; or the disk has no locks, and nothing there is removed
        yield
    finally:
        os.close(handle)


@contextlib.contextmanager
def _explained(place: str) -> Iterator[None]:
    """Says of a failed call of the system what was tried."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise Failed(f"the disk of {place} is full: 30 MB are kept there, and 220 MB more are needed to "
                         "download.") from error
        raise Failed(f"{error.filename or place}: {error.strerror or error}") from error


@contextlib.contextmanager
def _uninterrupted() -> Iterator[None]:
    """Lets what is begun be finished, also when Ctrl-C comes again."""
    previous = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def _parents(path: str) -> Iterator[str]:
    """The folders above `path`, the nearest first."""
    parent = os.path.dirname(path)
    while parent != os.path.dirname(parent):
        yield parent
        parent = os.path.dirname(parent)

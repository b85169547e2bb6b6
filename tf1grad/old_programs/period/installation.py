"""Installs and removes parts, each of them completely or not at all.

Processes may install at the same time: one of them fetches, under the lock of the folder that holds the parts, and the
others wait for it.
"""

from __future__ import annotations

import compileall
import contextlib
import errno
import glob
import os
import pathlib
import shutil
import signal
import threading
import uuid
import warnings
from typing import Any, Callable, Iterator, List, Sequence

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

from tf1grad.old_programs.period import folder, manifest, parts
from tf1grad.old_programs.period.parts import Part
from tf1grad.old_programs.period.sources import Failed, Source

LICENSE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "apache-2.0.txt")
COPYRIGHT = (
    "Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.\n\n"  # as their files have it
)
TEMPORARY = ".tmp"


def install(wanted: Sequence[Part], source: Source, tell: Callable[[str], Any]) -> None:
    """Installs those of the parts that are missing or damaged into the first of the `folder.places` that is writable.

    `tell` gets a line before a part is fetched, and before the process waits for another. Where it fails, or is
    interrupted, nothing of an incomplete part is left.
    """
    place = next(filter(_is_writable, folder.places()), None)
    if place is None:
        raise Failed(
            f"no permission to write {' or '.join(folder.places())}. Set {folder.VARIABLE} to a folder that "
            "you can write."
        )
    # SIGTERM ends it as Ctrl-C does.
    with _signals(signal.default_int_handler, signal.SIGTERM), _explained_errors(place), _locked(
        place, tell
    ):
        missing = [part for part in wanted if not _is_whole(part)]
        if missing:
            tell(_announcement(missing, place))
        for part in missing:
            _install(part, place, source)
    folder.damage.cache_clear()


def _is_writable(place: str) -> bool:
    """Says whether a folder can be written, or made."""
    nearest = next(path for path in _with_parents(place) if os.path.lexists(path))
    return os.path.isdir(nearest) and os.access(nearest, os.W_OK)


def _with_parents(place: str) -> List[str]:
    return [place, *map(str, pathlib.Path(place).parents)]


def remove(names: Sequence[str]) -> List[str]:
    """Removes the parts of these `names` from all of the `folder.places`, and returns the removed paths.

    Parts of other versions of tf1grad are removed too: their names differ in the digest alone.
    """
    removed = []
    stems = [name.partition(parts.MARK)[0] for name in names]
    around = [glob.escape(os.path.join(place, stem)) for place in folder.places() for stem in stems]
    for path in [
        path
        for stem in around
        for path in sorted(glob.glob(stem) + glob.glob(f"{stem}{parts.MARK}*"))
    ]:
        if manifest.is_part(path):
            place = os.path.dirname(path)
            with _explained_errors(place), _locked(place, lambda line: None):
                _set_aside(path)
                with contextlib.suppress(OSError):  # it holds other parts
                    os.rmdir(place)
            removed.append(path)
    folder.damage.cache_clear()
    return removed


def _is_whole(part: Part) -> bool:
    return any(manifest.contents(place).damage is None for place in folder.having(part.name))


def _announcement(missing: Sequence[Part], place: str) -> str:
    *first, last = [part.title for part in missing]
    titles = f"{', '.join(first)} and {last}" if first else last
    return (
        f"fetching what TensorFlow 1.15 came with, once: {titles} ({sum(part.download for part in missing)} MB to "
        f"download, {sum(part.on_disk for part in missing)} MB on disk), into {place}"
    )


def _install(part: Part, place: str, source: Source) -> None:
    path, staging = (
        os.path.join(place, part.name),
        os.path.join(place, uuid.uuid4().hex[:12] + TEMPORARY),
    )
    new = os.path.join(staging, "new")
    os.makedirs(new)
    try:
        for name, read in source(part, staging):
            file = os.path.join(new, *name.split("/"))
            os.makedirs(os.path.dirname(file), exist_ok=True)
            with open(file, "wb") as opened:
                opened.write(read())
        _complete(part, new)
        if os.path.isdir(path):
            os.rename(path, os.path.join(staging, "old"))
        os.rename(new, path)
    finally:
        with _uninterrupted():
            shutil.rmtree(staging, ignore_errors=True)


def _complete(part: Part, new: str) -> None:
    """Adds what the wheels do not have: the licence of TensorFlow, compiled modules, and the manifest as the last."""
    if part is parts.TENSORFLOW:
        with open(LICENSE, encoding="utf-8") as text, open(
            os.path.join(new, "LICENSE"), "w", encoding="utf-8"
        ) as file:
            file.write(COPYRIGHT + text.read())
    else:  # users who cannot write the folder would compile them at each start
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compileall.compile_dir(os.path.join(new, parts.PACKAGES), quiet=2)
    manifest.write(new)


def _set_aside(path: str) -> None:
    """Removes a folder, which no process finds incomplete meanwhile."""
    staging = os.path.join(os.path.dirname(path), uuid.uuid4().hex[:12] + TEMPORARY)
    with _uninterrupted():
        os.rename(path, staging)
        shutil.rmtree(staging, ignore_errors=True)


@contextlib.contextmanager
def _locked(place: str, tell: Callable[[str], Any]) -> Iterator[None]:
    """Makes the folder `place`, and holds its lock; an empty folder and what killed processes left are removed."""
    made = [path for path in _with_parents(place) if not os.path.lexists(path)]
    os.makedirs(
        place, 0o700 if place.endswith(f"-{getattr(os, 'getuid', int)()}") else 0o777, exist_ok=True
    )
    handle = _lock(place, tell)
    try:
        for abandoned in glob.glob(os.path.join(glob.escape(place), "*" + TEMPORARY)):
            shutil.rmtree(abandoned, ignore_errors=True)
        yield
    finally:
        for path in made:
            with contextlib.suppress(OSError):  # it holds parts now
                os.rmdir(path)
        if handle is not None:
            os.close(handle)


def _lock(place: str, tell: Callable[[str], Any]) -> Any:
    """Waits for the lock of a folder and returns its handle; None on systems without such locks."""
    while fcntl is not None:
        os.makedirs(place, exist_ok=True)  # the process that held the lock may have removed it
        handle = os.open(place, os.O_RDONLY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            tell(f"waiting for another process that fetches into {place}")
            fcntl.flock(handle, fcntl.LOCK_EX)
        except OSError:  # a network disk without locks
            os.close(handle)
            return None
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(handle), os.stat(place)):
                return handle
        os.close(handle)
    return None


@contextlib.contextmanager
def _explained_errors(place: str) -> Iterator[None]:
    """Turns a failed system call into a `Failed` that names the file."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            needed = sum(2 * part.download + part.on_disk for part in parts.every_part())
            raise Failed(
                f"the disk of {place} is full: {needed} MB are needed there for a moment. {folder.VARIABLE} "
                "names another folder."
            ) from error
        raise Failed(f"{error.filename or place}: {error.strerror or error}") from error


@contextlib.contextmanager
def _signals(handler: Any, *numbers: int) -> Iterator[None]:
    """Lets `handler` have these signals until the block has finished; only the main thread can."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, before in previous.items():
            signal.signal(number, before)


def _uninterrupted() -> Any:
    """Returns a context that ignores Ctrl-C and SIGTERM until the block has finished."""
    return _signals(signal.SIG_IGN, signal.SIGINT, signal.SIGTERM)

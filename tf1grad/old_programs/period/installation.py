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
import threading
import uuid
import warnings
from typing import Any, Callable, Iterator, Sequence

from tf1grad.old_programs import _systems
from tf1grad.old_programs.period import folder, manifest, parts, sources
from tf1grad.old_programs.period.parts import Part
from tf1grad.old_programs.period.sources import Failed, Source
from tf1grad.old_programs.process import messages

LICENSE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "apache-2.0.txt")
COPYRIGHT = (
    "Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.\n\n"  # as their files have it
)
TEMPORARY = ".tmp"
_held: set[tuple[str, int]] = set()  # each folder that is locked here, and the thread


def install(wanted: Sequence[Part], source: Source, print_line: Callable[[str], Any]) -> None:
    """Installs those of the parts that are missing or damaged into the first of the `folder.places` that is writable.

    `print_line` gets a line before a part is fetched, and before the process waits for another. Where it fails, or is
    interrupted, nothing of an incomplete part is left.
    """
    place = writable_place()
    with _explained_errors(place), _locked(place, print_line):
        missing = [part for part in wanted if not _is_whole(part)]
        if missing:
            print_line(_announcement(missing, place))
        for part in missing:
            _install(part, place, source)
    folder.damage.cache_clear()


def rehearse(wanted: Sequence[Part]) -> None:
    """Raises `Failed` for what would stop the fetch of parts: no permission, a full disk, no pip, no package index.

    It asks the index for a small wheel, and keeps nothing.
    """
    sources.refuse_offline(wanted[0])
    place = writable_place()
    with scratch_folder() as scratch:
        sources.refuse_full_disk(parts.peak(wanted), _existing(place))
        sources.ask_index(scratch)


@contextlib.contextmanager
def scratch_folder() -> Iterator[str]:
    """Yields a temporary folder, which is removed at the end, or by the next process if this one is killed.

    It holds the lock of the folder that it is in: no part can be fetched meanwhile.
    """
    place = writable_place()
    is_new = not os.path.isdir(place)
    with _explained_errors(place), _locked(place, messages.say):
        staging = _staging(place)
        os.makedirs(staging)
        try:
            yield staging
        finally:
            shutil.rmtree(staging, ignore_errors=True)
    if is_new:
        with contextlib.suppress(OSError):  # another process put something there
            os.rmdir(place)


def writable_place() -> str:
    """Returns the first of the `folder.places` that can be written, or made; raises `Failed` if none can."""
    place = next(filter(_is_writable, folder.places()), None)
    if place is None:
        raise Failed(
            f"no permission to write {' or '.join(folder.named_places())}.\nSet {folder.VARIABLE} to a folder that "
            "you can write."
        )
    return place


def _is_writable(place: str) -> bool:
    place = _existing(place)
    return os.path.isdir(place) and os.access(place, os.W_OK)


def _existing(place: str) -> str:
    """Returns the path itself, or the nearest folder above that exists."""
    while not os.path.lexists(place):
        place = os.path.dirname(place)
    return place


def remove(names: Sequence[str]) -> list[str]:
    """Removes the parts of these `names` from all of the `folder.places`, and returns the removed paths.

    Parts of other versions of tf1grad are removed too: their names differ in the digest alone.
    """
    removed = []
    stems = [name.partition(parts.MARK)[0] for name in names]
    for place in folder.places():
        names_there = sorted(os.listdir(place)) if os.path.isdir(place) else []
        for path in [os.path.join(place, name) for name in names_there]:
            is_asked = os.path.basename(path).partition(parts.MARK)[0] in stems
            if is_asked and manifest.is_part(path):
                with _explained_errors(place), _locked(place, lambda line: None):
                    staging = _staging(place)  # so no process finds an incomplete part
                    os.rename(path, staging)
                    shutil.rmtree(staging, ignore_errors=True)
                removed.append(path)
    folder.damage.cache_clear()
    return removed


def _is_whole(part: Part) -> bool:
    return any(manifest.contents(place).damage is None for place in folder.having(part.name))


def _announcement(missing: Sequence[Part], place: str) -> str:
    titles = ", ".join(part.title for part in missing)
    download, on_disk = (sum(sizes) for sizes in zip(*((p.download, p.on_disk) for p in missing)))
    if not download:
        return f"fetching {titles}, once, into {place}"
    return (
        f"fetching what TensorFlow 1.15 came with, once: {titles} ({download} MB to download, {on_disk} MB on disk, "
        f"for a moment {parts.peak(missing)} MB), into {place}"
    )


def _install(part: Part, place: str, source: Source) -> None:
    path, staging = os.path.join(place, part.name), _staging(place)
    new = os.path.join(staging, "new")
    os.makedirs(new)
    try:
        for name, read in source(part, staging):
            file = os.path.join(new, *name.split("/"))
            os.makedirs(os.path.dirname(file), exist_ok=True)
            pathlib.Path(file).write_bytes(read())
            if name.startswith("bin/"):
                os.chmod(file, 0o755)
        _complete(part, new)
        if os.path.isdir(path):
            os.rename(path, os.path.join(staging, "old"))
        os.rename(new, path)
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _staging(place: str) -> str:
    """Returns the path of a new temporary folder, which `_locked` removes if this process dies."""
    return os.path.join(place, uuid.uuid4().hex[:12] + TEMPORARY)


def _complete(part: Part, new: str) -> None:
    """Adds what the wheels do not have: the licence of TensorFlow, compiled modules, and the manifest as the last."""
    if part is parts.TENSORFLOW:
        text = COPYRIGHT + pathlib.Path(LICENSE).read_text(encoding="utf-8")
        pathlib.Path(new, "LICENSE").write_text(text, encoding="utf-8")
    else:  # users who cannot write the folder would compile them at each start
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compileall.compile_dir(os.path.join(new, parts.PACKAGES), quiet=2)
    manifest.write(new)


@contextlib.contextmanager
def _locked(place: str, print_line: Callable[[str], Any]) -> Iterator[None]:
    """Makes the folder `place`, holds its lock, and removes what killed processes left.

    Raises:
        RuntimeError: this thread holds the lock.
    """
    is_private = place == _systems.private_temporary("tf1grad")
    os.makedirs(place, 0o700 if is_private else 0o777, exist_ok=True)
    holder = (place, threading.get_ident())
    if holder in _held:
        raise RuntimeError(
            f"{place} is locked by this thread: a part that needs another is fetched after it"
        )
    _held.add(holder)
    waiting = f"waiting for another process that fetches into {place}"
    try:
        with _systems.locked_folder(place, lambda: print_line(waiting)):
            for abandoned in glob.glob(os.path.join(glob.escape(place), "*" + TEMPORARY)):
                shutil.rmtree(abandoned, ignore_errors=True)
            yield
    finally:
        _held.discard(holder)


@contextlib.contextmanager
def _explained_errors(place: str) -> Iterator[None]:
    """Turns a failed system call into a `Failed` that names the file."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            free = shutil.disk_usage(_existing(place)).free / 1e6
            raise Failed(
                f"the disk of {place} is full: fetching everything needs {parts.peak(parts.every_part())} MB for a "
                f"moment, and {free:.0f} MB are free.\n{folder.VARIABLE} names another folder."
            ) from error
        raise Failed(f"{error.filename or place}: {error.strerror or error}") from error

"""Installs and removes parts, each of them completely or not at all.

Processes may install at the same time: of those that want a part, one fetches it, and the others
wait for it. Parts do not wait for each other.
"""

from __future__ import annotations

import compileall
import contextlib
import errno
import functools
import glob
import os
import pathlib
import shutil
import threading
import uuid
import warnings
from typing import Any, Callable, Iterator, Sequence

from tf1grad.programs import _systems
from tf1grad.programs.period import folder, manifest, parts, sources
from tf1grad.programs.period.parts import PeriodPart
from tf1grad.programs.period.sources import Failed, Source

LICENSE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "apache-2.0.txt")
# As TensorFlow's files have it.
COPYRIGHT = "Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.\n\n"
CAN_WRITE = f"Set {folder.VARIABLE} to a folder that you can write."
_held: set[tuple[str, int]] = set()  # each part that is locked here, and the thread


def install(
    wanted: Sequence[PeriodPart],
    source: Source,
    print_line: Callable[[str], Any],
    is_announced: bool = False,
) -> None:
    """Installs those of the parts that are missing or damaged into the first of the
    `folder.places` that is writable.

    `print_line` gets a line before parts are fetched, unless that `is_announced`, and before the
    process waits for another. Where it fails, or is interrupted, nothing of an incomplete part is
    left.

    Raises:
        RuntimeError: this thread fetches one of the parts.
    """
    place = find_writable_place()
    with _explained_errors(place):
        missing = [part for part in wanted if not _is_whole(part)]
        for part in missing:
            waiting = f"waiting for another process that fetches {part.title} into {place}"
            with _staged(place, part.name, functools.partial(print_line, waiting)) as staging:
                if _is_whole(part):
                    continue  # another process fetched it meanwhile
                if not is_announced:
                    print_line(_announcement(missing, place))
                    is_announced = True
                _install(part, place, staging, source)
    folder.find_damage.cache_clear()


def rehearse(wanted: Sequence[PeriodPart]) -> None:
    """Raises `Failed` for what would stop the fetch of parts:
    no permission, a full disk, no pip, no package index.

    It asks the index for a small wheel, and keeps nothing.
    """
    sources.refuse_offline(wanted[0])
    place = find_writable_place()
    with scratch_folder() as scratch:
        sources.refuse_full_disk(parts.peak(wanted), _existing(place))
        sources.ask_index(scratch)


@contextlib.contextmanager
def scratch_folder() -> Iterator[str]:
    """Yields a temporary folder, which is removed at the end,
    or by the next process if this one is killed.
    """
    place = find_writable_place()
    is_new = not os.path.isdir(place)
    with _explained_errors(place), _staged(place, uuid.uuid4().hex, lambda: None) as staging:
        yield staging
    if is_new:
        with contextlib.suppress(OSError):  # another process put something there
            os.rmdir(place)


def find_writable_place() -> str:
    """Returns the first of the `folder.places` that can be written, or made;
    raises `Failed` if none can.
    """
    place = next(filter(_is_writable, folder.places()), None)
    if place is None:
        named = folder.named_places()
        is_folder = any(os.path.isdir(_existing(each)) for each in named)
        fault = "no permission to write {}" if is_folder else "{} is not a folder"
        raise Failed(f"{fault.format(' or '.join(named))}.\n{CAN_WRITE}")
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
    """Removes the parts of these `names` from all of the `folder.places`,
    and returns the removed paths.

    Parts of other versions of tf1grad are removed too: their names differ in the digest alone.
    """
    removed = []
    stems = [name.partition(parts.MARK)[0] for name in names]
    for place in folder.places():
        names_there = sorted(os.listdir(place)) if os.path.isdir(place) else []
        for path in [os.path.join(place, name) for name in names_there]:
            is_asked = os.path.basename(path).partition(parts.MARK)[0] in stems
            if is_asked and manifest.is_part(path):
                name = os.path.basename(path)
                with _explained_errors(place), _staged(place, name, lambda: None) as staging:
                    # so no process finds an incomplete part
                    os.rename(path, os.path.join(staging, "old"))
                removed.append(path)
    folder.find_damage.cache_clear()
    return removed


def _is_whole(part: PeriodPart) -> bool:
    return any(manifest.read_contents(place).damage is None for place in folder.having(part.name))


def _announcement(missing: Sequence[PeriodPart], place: str) -> str:
    titles = ", ".join(part.title for part in missing)
    download, on_disk = (sum(sizes) for sizes in zip(*((p.download, p.on_disk) for p in missing)))
    if not download:
        return f"fetching {titles}, once, into {place}"
    return (
        f"fetching what TensorFlow 1.15 came with, once: {titles} ({download} MB to download, {on_disk} MB on disk, "
        f"for a moment {parts.peak(missing)} MB), into {place}"
    )


def _install(part: PeriodPart, place: str, staging: str, source: Source) -> None:
    path, new = os.path.join(place, part.name), os.path.join(staging, "new")
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


def _complete(part: PeriodPart, new: str) -> None:
    """Adds what the wheels do not have: the licence of TensorFlow, compiled modules,
    and the manifest as the last.
    """
    if part is parts.TENSORFLOW:
        text = COPYRIGHT + pathlib.Path(LICENSE).read_text(encoding="utf-8")
        pathlib.Path(new, "LICENSE").write_text(text, encoding="utf-8")
    else:  # users who cannot write the folder would compile them at each start
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compileall.compile_dir(os.path.join(new, parts.PACKAGES), quiet=2)
    manifest.write(new)


@contextlib.contextmanager
def _staged(place: str, name: str, tell_waiting: Callable[[], Any]) -> Iterator[str]:
    """Makes the folder `place`, and in it a temporary one for a part, which one process has;
    removes that at the end.

    What killed processes left is removed before.

    Raises:
        RuntimeError: this thread has it.
    """
    is_private = place == _systems.private_temporary("tf1grad")
    os.makedirs(place, 0o700 if is_private else 0o777, exist_ok=True)
    staging = os.path.join(place, name + folder.TEMPORARY)
    holder = (staging, threading.get_ident())
    if holder in _held:
        raise RuntimeError(f"{staging} is locked by this thread: a part cannot fetch itself")
    for abandoned in glob.glob(os.path.join(glob.escape(place), "*" + folder.TEMPORARY)):
        if abandoned != staging:
            _systems.remove_abandoned(abandoned)
    _held.add(holder)
    try:
        with _systems.temporary_folder(staging, tell_waiting):
            yield staging
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
        raise Failed(
            f"{error.filename or place}: {error.strerror or error}.\n{CAN_WRITE}"
        ) from error

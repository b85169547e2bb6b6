"""Downloads the files of releases, checks them and unpacks them; nothing of them is executed.

A wheel is unpacked as pip would do it, but only what can be imported is kept. Of a source package
its metadata is read, which its author's setuptools wrote, and its modules are kept
(`source_packages`): no build is started.
"""

from __future__ import annotations

import errno
import functools
import hashlib
import http.client
import os
import re
import shutil
import tarfile
import tempfile
import zipfile
import zlib
from typing import IO, Callable, Iterable, Iterator, Tuple

from tf1grad.programs.names import packages
from tf1grad.programs.names.packages import normalized
from tf1grad.programs.process import messages
from tf1grad.run.packages import releases, source_packages, uv_errors
from tf1grad.run.packages.indexes import Opener
from tf1grad.run.packages.releases import File, NoSolution, Release

# What a file of a package may unpack to: this many times its own size, and at least so many bytes.
MOST_TIMES, LEAST_LIMIT = 20, 100 * 10**6
MOST_FILES = 100_000
TOO_LARGE = "its {:.1f} MB unpack to more than {:.0f} MB, or to more than {} files: it is left out"
DOWNLOADED = "{}: {:.1f} of {:.1f} MB"  # on a terminal
_BLOCK = 1 << 16
# Folders that careless packages install beside their own.
_STRAY = ("bin", "demo", "docs", "examples", "test", "tests")
# Modules that every Python imports when it starts.
_AT_START = ("sitecustomize", "usercustomize")
# Modules that `run` imports before the program, which TensorFlow does not need.
_OF_OTHERS = ("tf1grad", "packaging", "fissix", "appdirs", "tomli", "pkg_resources", "uv")
# The name of a module, of the libraries beside it, or of the metadata.
_KEPT = re.compile(r"[^\W\d]\w*(\.[\w.-]+)?|.*\.dist-info")

# The path of a file in an archive, its size, and what opens it.
_Entry = Tuple[str, int, Callable[[], IO[bytes]]]


def unpack(wanted: Iterable[Release], target: str, opener: Opener) -> None:
    """Downloads releases and unpacks them into the folder `target`.

    Raises `NoSolution` where one cannot be unpacked, and `sources.Failed` where one does not come.
    """
    os.makedirs(target, exist_ok=True)
    for release in wanted:
        file = releases.best_file(release.files)
        if file is None:
            raise NoSolution(
                f"{release.pin} has no wheel for this Python, and no source package with a checksum"
            )
        with tempfile.TemporaryDirectory(dir=os.path.dirname(target)) as scratch:
            archive = os.path.join(scratch, "archive")
            _download(release, file, archive, opener)
            try:
                _unpack_file(release, file, archive, target, os.path.join(scratch, "source"))
            except NoSolution as error:
                raise NoSolution(f"{file.name}: {error}") from error


def _download(release: Release, file: File, path: str, opener: Opener) -> None:
    """Downloads a file, and checks it against the checksum that the index,
    or the lock file, gives.
    """
    digest = ""
    for attempt in range(opener.attempts):
        try:
            digest = _copied(release.pin, file, path, opener)
            break
        except (OSError, http.client.HTTPException, ValueError) as error:
            if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise
            if attempt == opener.attempts - 1:
                raise uv_errors.failed_now(f"{release.pin}, {file.url}: {error}") from error
    if digest != file.sha256:
        raise uv_errors.failed_now(
            f"Hash mismatch for {release.pin}: {file.url} has the sha256 {digest}, not {file.sha256}"
        )


def _copied(title: str, file: File, path: str, opener: Opener) -> str:
    digest = hashlib.sha256()
    done = 0
    try:
        with opener.open(file.url) as answer, open(path, "wb") as copy:
            for block in iter(lambda: answer.read(_BLOCK), b""):
                digest.update(block)
                copy.write(block)
                done += len(block)
                messages.show(DOWNLOADED.format(title, done / 1e6, max(done, file.size) / 1e6))
    finally:
        messages.clear()
    return digest.hexdigest()


def _unpack_file(release: Release, file: File, archive: str, target: str, scratch: str) -> None:
    try:
        if file.name.endswith(".whl"):
            _unpack_wheel(release, archive, target)
        else:
            is_zip = file.name.endswith(".zip")
            _write(_of_zip(archive) if is_zip else _of_tar(archive), archive, scratch)
            keeps = functools.partial(is_kept, release)
            source_packages.keep(release, scratch, target, keeps)
    except (zipfile.BadZipFile, tarfile.TarError, EOFError, zlib.error, UnicodeError) as error:
        raise NoSolution(f"it is damaged: {error}") from error
    except (NotImplementedError, RuntimeError) as error:  # of zipfile: a password, another method
        raise NoSolution(f"it cannot be unpacked: {error}") from error
    except (FileExistsError, NotADirectoryError, IsADirectoryError) as error:
        raise NoSolution(f"it has a file and a folder of one name: {error}") from error


def _unpack_wheel(release: Release, archive: str, target: str) -> None:
    with zipfile.ZipFile(archive) as opened:
        entries = opened.infolist()
        _check_size(archive, sum(entry.file_size for entry in entries), len(entries))
        infos = {name.partition("/")[0] for name in opened.namelist()}
        infos = {name for name in infos if name.endswith(".dist-info")}
        if len(infos) != 1 or f"{min(infos)}/METADATA" not in opened.namelist():
            raise NoSolution("it is a malformed wheel, without its metadata")
        text = opened.read(f"{min(infos)}/METADATA").decode("utf-8", errors="replace")
    releases.check_metadata(release, text)
    _write(_of_wheel(release, archive), archive, target)


def _check_size(archive: str, size: int, count: int) -> None:
    """Raises `NoSolution` where files of an archive, so many and with so many bytes in all,
    are more than allowed.
    """
    packed = os.path.getsize(archive)
    limit = max(LEAST_LIMIT, MOST_TIMES * packed)
    if size > limit or count > MOST_FILES:
        raise NoSolution(TOO_LARGE.format(packed / 1e6, limit / 1e6, MOST_FILES))


def _of_wheel(release: Release, archive: str) -> Iterator[_Entry]:
    """Yields the files of a wheel, those that are left out with the path ""."""
    for name, size, opens in _of_zip(archive):
        top, _, rest = name.partition("/")
        if top.endswith(".data"):
            kind, _, name = rest.partition("/")
            name = name if kind in ("purelib", "platlib") else ""
        yield (name if is_kept(release, name.partition("/")[0]) else ""), size, opens


def is_kept(release: Release, top: str) -> bool:
    """Says whether a file or folder at the top of a package is kept:
    what can be imported, and not by every process.

    Modules of Python, TensorFlow and tf1grad are not replaced by a package that has another name. A
    file .pth, whose lines every Python executes, is not kept.
    """
    module = top.partition(".")[0]
    is_of_others = module in _OF_OTHERS or packages.is_left_out(module)
    is_left_out = top in _STRAY or top.endswith(".pth") or module in _AT_START
    is_left_out = is_left_out or is_of_others and normalized(module) != release.name
    return bool(_KEPT.fullmatch(top)) and not is_left_out


def _of_zip(path: str) -> Iterator[_Entry]:
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            if not info.is_dir():
                yield _inside(info.filename), info.file_size, functools.partial(archive.open, info)


def _of_tar(path: str) -> Iterator[_Entry]:
    """Yields the files; links and devices are left out."""
    with tarfile.open(path) as archive:
        for member in archive:
            if member.isreg():
                yield _inside(member.name), member.size, functools.partial(_opened, archive, member)


def _opened(archive: tarfile.TarFile, member: tarfile.TarInfo) -> IO[bytes]:
    opened = archive.extractfile(member)
    assert opened is not None  # it is a file
    return opened


def _inside(name: str) -> str:
    """Returns the path of a file in an archive; `NoSolution` where that leads out of it."""
    parts = name.replace("\\", "/").split("/")
    if parts[0] == "" or ".." in parts or re.match(r"\w:", name):
        raise NoSolution(f"it has a file whose path leads out of it, {name!r}")
    return "/".join(part for part in parts if part not in ("", "."))


def _write(entries: Iterable[_Entry], archive: str, target: str) -> None:
    """Writes files below a folder, but those whose path is "";
    `NoSolution` where they are larger than allowed.
    """
    size = 0
    for count, (name, of_file, opens) in enumerate(entries, 1):
        size += of_file
        _check_size(archive, size, count)
        if name:
            path = os.path.join(target, *name.split("/"))
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with opens() as opened, open(path, "wb") as copy:
                shutil.copyfileobj(opened, copy)

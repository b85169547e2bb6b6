"""Describes releases: their files, and the one that suits this Python best."""

from __future__ import annotations

from email.parser import HeaderParser
from typing import Iterable, NamedTuple, Sequence

from packaging.tags import sys_tags
from packaging.utils import InvalidWheelFilename, parse_wheel_filename
from packaging.version import InvalidVersion, Version

from tf1grad.programs.names.packages import normalized

SOURCES = (".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar", ".zip")


class File(NamedTuple):
    """Describes a file of a release: a wheel or a source package.
    `size` is in bytes, or 0 if the index has none.
    """

    name: str
    url: str
    sha256: str
    size: int


class Release(NamedTuple):
    """Describes a release that uv chose: `uploaded` is a date such as 2019-06-12,
    `size` its file to download in bytes.

    `is_compiled` is True where it has wheels, but none for every system. A release of a lock file
    has no `files` yet.
    """

    name: str
    version: str
    uploaded: str
    size: int
    is_compiled: bool
    hashes: Sequence[str]
    files: Sequence[File] = ()

    @property
    def pin(self) -> str:
        """The release as pip's requirement."""
        return f"{self.name}=={self.version}"


class NoSolution(Exception):
    """There are no releases that fit, or one cannot be unpacked here: asking again changes nothing.

    The text says why in a line, and `packages` are those that uv names for it. Of those that are
    `absent` it saw no such version at all. A fault of the moment is a `sources.Failed`.
    """

    def __init__(self, why: str, packages: Iterable[str] = (), absent: Iterable[str] = ()) -> None:
        super().__init__(why)
        self.packages = set(packages)
        self.absent = set(absent)


def best_file(files: Sequence[File]) -> File | None:
    """Returns the file that suits this Python best: a wheel, else the source package, else None.

    A file without a checksum is not taken.
    """
    order = {tag: number for number, tag in enumerate(sys_tags())}
    ranked = []
    files = [file for file in files if file.sha256]
    for file in files:
        try:
            tags = parse_wheel_filename(file.name)[3]
        except (InvalidWheelFilename, InvalidVersion):
            continue
        ranked += [(order[tag], file) for tag in tags if tag in order]
    if ranked:
        return min(ranked, key=lambda each: each[0])[1]
    return next((file for file in files if file.name.endswith(SOURCES)), None)


def check_metadata(release: Release, metadata: str) -> None:
    """Raises `NoSolution` where the text of a package's metadata is that of another release."""
    headers = HeaderParser().parsestr(metadata)
    name, version = headers["Name"] or "", headers["Version"] or ""
    try:
        is_version = Version(version) == Version(release.version)
    except InvalidVersion:
        is_version = version == release.version
    if not is_version or normalized(name) != release.name:
        raise NoSolution(
            f"its metadata are of {name or 'no package'} {version}, not of {release.pin}"
        )

"""Finds the packages that were brought: each release lies in a part of its own,
which all programs share.

The part is named after the checksums of its files, as a lock file has them. So a program, the lock
file that its run wrote, and another program that needs the same release take the same folder.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
from typing import TYPE_CHECKING, NamedTuple, Sequence

from tf1grad.programs.names.packages import normalized
from tf1grad.programs.period import folder, parts
from tf1grad.programs.source import library_text
from tf1grad.run.packages import OF_THEN_TITLE, TITLES

if TYPE_CHECKING:
    from tf1grad.run.packages.releases import Release

PREFIX = "package-"  # of the names of these parts
_FORMAT = "1"  # of the parts; another one is fetched anew
_LINE = re.compile(r"([\w.-]+)==(\S+)")
_HASH = re.compile(r"--hash=sha256:(\w+)")
_NAME = re.compile(PREFIX + r"(.+)-([^-]+)-\w+-\w+$")


class Stored(NamedTuple):
    """Describes a release that the text of a lock file names:
    its part, and the title of its section.
    """

    part: parts.PeriodPart
    section: str

    @property
    def is_of_then(self) -> bool:
        """True where it is of the program's date."""
        return self.section == OF_THEN_TITLE


def in_lock(text: str) -> list[Stored]:
    """Returns the releases in the text of a lock file."""
    found, section = [], ""
    for line in map(str.strip, text.splitlines()):
        match = _LINE.match(line)
        if line[2:] in TITLES:
            section = line[2:]
        elif match:
            part = _part(normalized(match.group(1)), match.group(2), _HASH.findall(line))
            found.append(Stored(part, section))
    return found


def part_of(release: Release) -> parts.PeriodPart:
    """Returns the part in which a release lies, or will lie."""
    return _part(release.name, release.version, release.hashes)


def packages_of(part: parts.PeriodPart) -> str:
    """Returns the folder of a part that is put on the path."""
    return os.path.join(folder.find(part.name) or "", parts.PACKAGES)


def title_of(place: str) -> str:
    """Returns the release that lies in the folder of a part."""
    found = _NAME.match(os.path.basename(place))
    return f"{found.group(1)} {found.group(2)}" if found else os.path.basename(place)


def is_pure(place: str) -> bool:
    """Says whether the release in the folder of a part is pure Python."""
    packages = os.path.join(place, parts.PACKAGES)
    infos = [name for name in os.listdir(packages) if name.endswith(".dist-info")]
    texts = [library_text.text_in_file(packages, name, "WHEEL") for name in infos]
    return not any("Root-Is-Purelib: false" in text for text in texts)


def _part(name: str, version: str, hashes: Sequence[str]) -> parts.PeriodPart:
    digest = hashlib.sha256(" ".join([_FORMAT, *sorted(hashes)]).encode()).hexdigest()[:12]
    python = "cp{}{}".format(*sys.version_info)
    plain = re.sub(r"[^\w.]", "_", version)
    title = f"{name} {version}"
    return parts.PeriodPart(f"{PREFIX}{name}-{plain}-{python}-{digest}", title, (), 0, 0, str)

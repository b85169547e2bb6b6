"""Tells apart why uv failed: because the index has no such release, or by a fault of the moment.

The first holds and is kept. The second is never kept: the next run asks again.
"""

from __future__ import annotations

import errno
import os
import re

from tf1grad.programs.names.packages import normalized
from tf1grad.programs.period import sources

# The index answered and has nothing that fits, or no index can have what is asked for.
_NO_RELEASE = re.compile("No solution found|parse requirement")
# The files came, and the release is not one that can be unpacked.
_UNUSABLE = re.compile("The wheel is invalid|malformed wheel")
# uv reports an index that refuses to answer as one without the package.
_REFUSED = re.compile(r"^hint: (An index .*)", re.M)
_NOT_FOUND = re.compile(r"([\w.-]+) was not found in the package registry")
_LISTS_NOTHING = re.compile(r"there (?:is no version|are no versions) of ([\w.-]*\w)")
# The packages of the requirements that cannot be met, and files without a date of an index or a
# folder.
_ASKED = re.compile(
    r"you\s+require\s+([\w.-]*\w)|\band ([\w.-]*\w)[<>=!~]=? ?\S+, which are incompatible"
)
_UNDATED = re.compile(r"`([\w.]+)-[^`]+` is missing an upload date")
# uv's words for bounds of one package that no version can meet.
CONTRADICTION = "which are incompatible"
_OF_ANOTHER_DATE = re.compile(r"`([\w.-]+)` was filtered by")
FAILED_NOW = (
    "a package could not be fetched: {}. Nothing of it is kept, and the next run asks again. `--packages installed` "
    "runs the program with the packages that are installed"
)
EMPTY_PAGE = "the page of {} lists no file, as a login page does, at {}"
LENGTH = 400  # of a reason


def is_lasting(stderr: str) -> bool:
    """Says whether uv failed because of the releases that there are,
    so that asking again changes nothing.
    """
    is_known = _NO_RELEASE.search(stderr) or _UNUSABLE.search(stderr)
    return bool(is_known) and not _REFUSED.search(stderr)


def failed_now(reason: str) -> sources.Failed:
    """Returns the error of a fault of the moment."""
    return sources.Failed(FAILED_NOW.format(reason))


def refuse_full_disk(stderr: str, folder: str) -> None:
    """Raises the error of a full disk, for a folder on it, where uv failed because of that."""
    if os.strerror(errno.ENOSPC) in stderr:
        raise sources.full_disk(folder)


def without_files(stderr: str) -> set[str]:
    """Returns the packages of which uv saw no release at all, or none that it names."""
    return set(_LISTS_NOTHING.findall(stderr)) - set(_OF_ANOTHER_DATE.findall(stderr))


def asked(stderr: str) -> set[str]:
    """Returns the packages that uv names as required, where it has no solution."""
    return {normalized(name) for names in _ASKED.findall(stderr) for name in names if name}


def without_dates(stderr: str) -> set[str]:
    """Returns the packages of which uv has no release, and saw files without an upload time."""
    undated = set(map(normalized, _UNDATED.findall(stderr)))
    return undated.intersection(map(normalized, _LISTS_NOTHING.findall(stderr)))


def reason(stderr: str) -> str:
    """Returns why uv failed: the causes that it names, in one line,
    the last of which is the deepest.
    """
    refused = _REFUSED.search(stderr)
    if refused:
        return ", ".join([*sorted(set(_NOT_FOUND.findall(stderr))), refused.group(1).rstrip(".")])
    lines = [line.strip() for line in stderr.strip().splitlines() if line.strip()]
    causes = [re.sub(r"^(cause|error): *|^[^\w`]*", "", line) for line in lines]
    unsaid = (
        "hint",
        "warning",
        "No solution found",
        "Using ",
        "Resolved ",
        "Building ",
        "Prepared ",
    )
    text = " ".join(cause for cause in causes if not cause.startswith(unsaid)).rstrip(".")
    if len(text) > LENGTH:
        text = f"{text[: LENGTH // 2]} ... {text[-LENGTH // 2 :]}"
    return text or "it gave no reason"

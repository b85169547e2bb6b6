"""What is at a place of the originals, and whether it is all that was put there."""

from __future__ import annotations

import json
import os
from typing import Any, Dict, List, NamedTuple, Optional

from tf1grad.old_programs.originals import folder

SERVED = tuple(folder.ROOT + top for top in ("/_api/v1/", "/contrib/", "/python/"))
NAME = "tf1grad.json"  # written last, so that it tells whole folders of ours from all others


class Contents(NamedTuple):
    """What is at a place.

    Attributes:
        place: the folder that holds `tensorflow_core`.
        version: of what was installed there; None where somebody else put it there.
        sha256: of the wheel that it came from; None where it came from elsewhere.
        files, bytes: of the files that are served.
        whole: False when they are not those that were installed.
    """

    place: str
    version: Optional[str]
    sha256: Optional[str]
    files: int
    bytes: int
    whole: bool


def is_served(name: str) -> bool:
    """True for the files that are kept of a TensorFlow 1.15: Python, and the small tables that `contrib.learn` reads.

    Args:
        name: the path from `tensorflow_core` on, with slashes.
    """
    return name.startswith(SERVED) and name.endswith((".py", ".csv"))


def served(parent: str) -> List[str]:
    """The names of the files below the folder `parent` that are served, in order."""
    found = []
    for top in SERVED:
        for path, _, names in os.walk(os.path.join(parent, *top.strip("/").split("/"))):
            inner = os.path.relpath(path, parent).replace(os.sep, "/")
            found += [f"{inner}/{name}" for name in names]
    return sorted(filter(is_served, found))


def contents(place: str) -> Optional[Contents]:
    """The `Contents` of a place, with all its files counted; None when it holds neither originals nor a manifest."""
    written = read(place)
    if written is None and not folder.holds(place):
        return None
    names = served(place)
    size = sum(os.path.getsize(os.path.join(place, name)) for name in names)
    if written is None:
        return Contents(place, None, None, len(names), size, True)
    whole = (len(names), size) == (written["files"], written["bytes"])
    return Contents(place, written["version"], written["sha256"], len(names), size, whole)


def read(place: str) -> Optional[Dict[str, Any]]:
    """What `write` wrote at a place, or None."""
    try:
        with open(os.path.join(place, NAME), encoding="utf-8") as file:
            written: Dict[str, Any] = json.load(file)
            return written
    except (FileNotFoundError, NotADirectoryError):
        return None


def write(place: str, version: str, sha256: Optional[str], files: int, size: int) -> None:
    """Says at a place what was put there: the version, the wheel's sha256 or None, the number of files and bytes."""
    with open(os.path.join(place, NAME), "w", encoding="utf-8") as file:
        json.dump({"version": version, "sha256": sha256, "files": files, "bytes": size}, file)

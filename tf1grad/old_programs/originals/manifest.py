"""Reads and writes the manifest of a folder of originals, and checks whether the folder is complete."""

from __future__ import annotations

import json
import os
from typing import Any, Dict, List, NamedTuple, Optional

from tf1grad.old_programs.originals import folder

SERVED = (*(folder.ROOT + top for top in ("/_api/v1/", "/contrib/", "/core/kernels/", "/python/")),
          folder.ESTIMATOR + "/")
NAME = "tf1grad.json"  # written last, so that only folders that tf1grad filled completely have it


class Contents(NamedTuple):
    """Describes the files in a folder of originals.

    Attributes:
        place: the folder that holds `tensorflow_core`.
        version: the version that tf1grad installed there; None where tf1grad did not install it.
        sha256: the checksum of TensorFlow's wheel that the files came from; None without a wheel.
        files, bytes: the number and the size of the files that are served.
        whole: False where these differ from the manifest.
        estimator: whether the files of tensorflow-estimator are among them.
    """

    place: str
    version: Optional[str]
    sha256: Optional[str]
    files: int
    bytes: int
    whole: bool
    estimator: bool


def is_served(name: str) -> bool:
    """Says whether a file of TensorFlow 1.15 is kept: Python, and the small tables that `contrib.learn` reads.

    Args:
        name: the path from the package on, with slashes.
    """
    return name.startswith(SERVED) and name.endswith((".py", ".csv"))


def served(parent: str) -> List[str]:
    """Returns the names of the files below the folder `parent` that are served, sorted."""
    found = []
    for top in SERVED:
        for path, _, names in os.walk(os.path.join(parent, *top.strip("/").split("/"))):
            inner = os.path.relpath(path, parent).replace(os.sep, "/")
            found += [f"{inner}/{name}" for name in names]
    return sorted(filter(is_served, found))


def contents(place: str) -> Optional[Contents]:
    """Returns the `Contents` of a folder, or None where it holds neither originals nor a manifest."""
    written = read(place)
    if written is None and not folder.holds(place):
        return None
    names = served(place)
    size = sum(os.path.getsize(os.path.join(place, name)) for name in names)
    whole = written is None or (len(names), size) == (written["files"], written["bytes"])
    version, sha256 = (written["version"], written["sha256"]) if written else (None, None)
    estimator = any(name.startswith(folder.ESTIMATOR) for name in names)
    return Contents(place, version, sha256, len(names), size, whole, estimator)


def read(place: str) -> Optional[Dict[str, Any]]:
    """Returns the manifest that `write` wrote into a folder, or None."""
    try:
        with open(os.path.join(place, NAME), encoding="utf-8") as file:
            written: Dict[str, Any] = json.load(file)
            return written
    except (FileNotFoundError, NotADirectoryError):
        return None


def write(place: str, version: str, sha256: Optional[str], files: int, size: int) -> None:
    """Writes a folder's manifest: the version, the wheel's sha256 or None, the number of files and of bytes."""
    with open(os.path.join(place, NAME), "w", encoding="utf-8") as file:
        json.dump({"version": version, "sha256": sha256, "files": files, "bytes": size}, file)

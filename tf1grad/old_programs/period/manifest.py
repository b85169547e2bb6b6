"""Reads and writes the manifest of a part, and checks whether the part is whole."""

from __future__ import annotations

import json
import os
from typing import Any, Dict, List, NamedTuple, Optional

from tf1grad.old_programs.period import folder

NAME = "tf1grad.json"
MADE_LATER = (
    "__pycache__",
    ".tf1grad-",
)  # how folders begin that Python and tf1grad make while a program runs


class Contents(NamedTuple):
    """Describes a part on the disk: its folder, the number and the size of its files, and whether they are whole."""

    place: str
    files: int
    bytes: int
    whole: bool


def contents(name: str) -> Optional[Contents]:
    """Returns the `Contents` of the part `name`; None where no folder has it."""
    place = folder.find(name)
    if place is None:
        return None
    sizes = _sizes(place)
    written = read(place)
    found = {"files": len(sizes), "bytes": sum(sizes)}
    whole = written is not None and all(written[key] == value for key, value in found.items())
    return Contents(place, found["files"], found["bytes"], whole)


def read(place: str) -> Optional[Dict[str, Any]]:
    """Returns the manifest that `write` wrote into a folder, or None."""
    try:
        with open(os.path.join(place, NAME), encoding="utf-8") as file:
            written: Dict[str, Any] = json.load(file)
            return written
    except (OSError, ValueError):
        return None


def write(place: str) -> None:
    """Writes the manifest of the files that are in `place` now."""
    sizes = _sizes(place)
    with open(os.path.join(place, NAME), "w", encoding="utf-8") as file:
        json.dump({"files": len(sizes), "bytes": sum(sizes)}, file)


def _sizes(place: str) -> List[int]:
    """Returns the sizes of the files of a part, in bytes."""
    found = []
    for path, folders, names in os.walk(place):
        folders[:] = [name for name in folders if not name.startswith(MADE_LATER)]
        found += [os.path.getsize(os.path.join(path, name)) for name in names if name != NAME]
    return found

"""Where TensorFlow 1.15's own Python files are, found without importing anything: `run` asks at every start."""

from __future__ import annotations

import os
import sys
from typing import List, Optional

RELEASE = "1.15.5"
NAME = "tensorflow-" + RELEASE
VARIABLE = "TF1GRAD_ORIGINALS"
ROOT = "tensorflow_core"  # what the wheel calls the package


def places() -> List[str]:
    """The folders that may hold the originals, in the order in which they are looked for.

    `TF1GRAD_ORIGINALS`, where it is set, is the only one.
    """
    if os.environ.get(VARIABLE):
        return [os.path.abspath(os.environ[VARIABLE])]
    return [os.path.join(data, "tf1grad", NAME) for data in (os.path.join(sys.prefix, "share"), _user_data())]


def holds(place: str) -> bool:
    """True for a folder with a `tensorflow_core` that has a `contrib`."""
    return os.path.isdir(os.path.join(place, ROOT, "contrib"))


def find() -> Optional[str]:
    """The first of the `places` that holds the originals, or None."""
    return next(filter(holds, places()), None)


def has_op_layer() -> bool:
    """True where the files are there in which TensorFlow 1.15 listed its public names, beside the originals."""
    place = find()
    return place is not None and os.path.isfile(os.path.join(place, ROOT, "_api", "v1", "v1.py"))


def _user_data() -> str:
    """The folder for data of the user's programs, as each system has it."""
    home = os.path.expanduser("~")
    if os.name == "nt":
        return os.environ.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local")
    if sys.platform == "darwin":
        return os.path.join(home, "Library", "Application Support")
    return os.environ.get("XDG_DATA_HOME") or os.path.join(home, ".local", "share")

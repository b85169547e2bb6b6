"""Finds the folder with TensorFlow 1.15's own Python files; it imports nothing, since every start of `run` uses it."""

from __future__ import annotations

import os
import sys
from typing import List, Optional

RELEASE = "1.15.5"
NAME = "tensorflow-" + RELEASE
VARIABLE = "TF1GRAD_ORIGINALS"
ROOT = "tensorflow_core"  # the name of the package in the wheel
ESTIMATOR = "tensorflow_estimator"  # the package that TensorFlow 1.15 required for `tf.estimator`


def places() -> List[str]:
    """Returns the folders that may hold the originals, in search order; only `TF1GRAD_ORIGINALS` where it is set."""
    if os.environ.get(VARIABLE):
        return [os.path.abspath(os.environ[VARIABLE])]
    return [os.path.join(data, "tf1grad", NAME) for data in (os.path.join(sys.prefix, "share"), _user_data())]


def holds(place: str) -> bool:
    """Says whether a folder has `tensorflow_core/contrib`."""
    return os.path.isdir(os.path.join(place, ROOT, "contrib"))


def find_originals() -> Optional[str]:
    """Returns the first of the `places` that holds the originals, or None."""
    return next(filter(holds, places()), None)


def has_op_layer() -> bool:
    """Says whether the originals include the files that list the public names of TensorFlow 1.15."""
    place = find_originals()
    return place is not None and os.path.isfile(os.path.join(place, ROOT, "_api", "v1", "v1.py"))


def has_estimator() -> bool:
    """Says whether the originals include TensorFlow 1.15's own package tensorflow-estimator."""
    place = find_originals()
    return place is not None and os.path.isdir(os.path.join(place, ESTIMATOR, "python", "estimator"))


def _user_data() -> str:
    """Returns the system's folder for the data of the user's programs."""
    home = os.path.expanduser("~")
    if os.name == "nt":
        return os.environ.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local")
    if sys.platform == "darwin":
        return os.path.join(home, "Library", "Application Support")
    return os.environ.get("XDG_DATA_HOME") or os.path.join(home, ".local", "share")

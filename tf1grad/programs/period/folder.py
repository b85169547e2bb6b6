"""Finds the parts of the period layer on the disk;
it imports nothing large, since every start of `run` uses it.
"""

from __future__ import annotations

import functools
import os
import sys

from tf1grad.programs import _installers, _systems
from tf1grad.programs.period import manifest
from tf1grad.programs.process import messages

RELEASE = "1.15.5"
NAME = "tensorflow-" + RELEASE  # the folder of TensorFlow's own files
VARIABLE = "TF1GRAD_PERIOD"
TEMPORARY = ".tmp"  # the end of names of folders in which parts are written
ROOT = "tensorflow_core"  # the name of the package in the wheel
OF_ANOTHER = "{} is not used, since it belongs to another user, {}. {} names another folder"
ESTIMATOR = "tensorflow_estimator"  # the package that TensorFlow 1.15 required for `tf.estimator`


def places() -> list[str]:
    """Returns the `named_places` that belong to nobody else: their files are executed.
    The others are said once.
    """
    return [place for place in named_places() if _is_own(place)]


def named_places() -> list[str]:
    """Returns the folders that may hold parts, in search order;
    only those of `TF1GRAD_PERIOD` where it is set.

    These are the environment's, which images of containers keep, the user's, and, for a home that
    cannot be written, one for this user beside the temporary files. An environment of `uvx` or
    `pipx run` is one of many and may be removed at any time, so its own folder is left out.
    """
    if os.environ.get(VARIABLE):
        return [os.path.abspath(place) for place in os.environ[VARIABLE].split(os.pathsep)]
    data = [os.path.join(sys.prefix, "share"), _systems.user_data()]
    if _installers.environment_tool() in _installers.TEMPORARY:
        data = data[1:]
    found = [os.path.join(each, "tf1grad") for each in data]
    temporary = _systems.private_temporary("tf1grad")
    return [*found, temporary] if temporary else found


def find(name: str) -> str | None:
    """Returns the folder of the part `name`, or None; a damaged part counts as missing."""
    return next((place for place in having(name) if find_damage(place) is None), None)


def having(name: str) -> list[str]:
    """Returns the folders of the part `name`, damaged ones as well, in search order."""
    parts = (os.path.join(place, name) for place in places())
    return [part for part in parts if os.path.isdir(part) and _is_own(part)]


def is_inside(file: str) -> bool:
    """Says whether a file is in one of the `named_places`."""
    return part_of(file) is not None


def part_of(file: str) -> str | None:
    """Returns the folder of the part that a file is in, or None."""
    for place in named_places():
        root = os.path.join(place, "")
        if file.startswith(root):
            return root + file[len(root) :].split(os.sep)[0]
    return None


def _is_own(path: str) -> bool:
    owner = _systems.stranger(path)
    if owner is not None:
        messages.warn_once(path, OF_ANOTHER.format(path, owner, VARIABLE))
    return owner is None


@functools.lru_cache(maxsize=None)
def find_damage(place: str) -> str | None:
    """Returns what is damaged in the part in the folder `place`, or None,
    as it was when first asked.
    """
    return manifest.find_damage(place)


def find_originals() -> str | None:
    """Returns the folder with TensorFlow 1.15's own Python files, or None."""
    return find(NAME)

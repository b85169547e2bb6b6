"""Finds pip, and starts it so that nothing of the current folder or of PYTHONPATH is executed.

That is the installed pip, else the one that Python brings for `ensurepip`. It reads the user's
configuration itself.
"""

from __future__ import annotations

import glob
import os
import site
import sys
import sysconfig
from importlib.machinery import PathFinder
from typing import Iterator


def find_command() -> list[str] | None:
    """Returns the words that start pip, or None where there is none.

    It is named by its path, since `python -m pip` would execute a folder `pip` of the current
    folder.
    """
    found = next(_every(), None)
    return [sys.executable, "-I", found] if found else None


def _every() -> Iterator[str]:
    """Yields the paths of this environment's pip, and of the one that `ensurepip` would install."""
    places = site.getsitepackages() + [site.getusersitepackages()] * bool(site.ENABLE_USER_SITE)
    yield from _folders("pip", places)
    # Debian has it in a package of its own.
    for folder in _folders("ensurepip", [sysconfig.get_path("stdlib")]):
        wheels = glob.glob(os.path.join(glob.escape(folder), "_bundled", "pip-*.whl"))
        yield from (os.path.join(wheel, "pip") for wheel in wheels)


def _folders(package: str, places: list[str]) -> list[str]:
    found = PathFinder.find_spec(package, places)
    return list(found.submodule_search_locations or ()) if found else []

"""Decides which installed packages are of TensorFlow 1's time,
and serves them as the script is served.

A package is decided when user code, or a package that is served, first imports it. One that imports
TensorFlow or Keras is of that time unless its metadata or its text show TensorFlow 2. A package
without TensorFlow that is of that time, or that a served package imports, gets only the names that
Python, NumPy and others dropped, if it uses them. Packages that other libraries import first keep
the installed TensorFlow.

Threads may import at the same time: each package is decided in the thread that imports it first.
"""

from __future__ import annotations

import glob
import importlib
import os
import re
from typing import Any, Callable, Iterable, NamedTuple

from tf1grad.programs import _compat
from tf1grad.programs.names import packages
from tf1grad.programs.process import messages, ownership
from tf1grad.programs.source import library_text

NEWEST_PYTHON = 8  # a package of TensorFlow 1's time names Python 3.8 as the newest, at most


class InstalledLibrary(NamedTuple):
    """Describes an installed package; one that `is_old` uses TensorFlow, or Keras,
    and is of TensorFlow 1's time.

    `newest_python` is the newest Python 3 that its metadata name, such as 7 for 3.7; 0 without one.
    """

    title: str
    is_old: bool
    uses_tensorflow: bool
    newest_python: int


class Libraries:
    """Decides each package once in this process,
    and calls `served` with the modules of those that are served.
    """

    def __init__(self, exclude: Iterable[str], served: Callable[[str], Any]) -> None:
        self._exclude = packages.FOR_INSTALLED.union(exclude)
        self._served = served
        self._decided: set[str] = set()

    def consider(self, file: str) -> None:
        """Decides the package of a module that is imported now, from `file`,
        unless it is decided already.
        """
        package = ownership.package_of(file)
        if package is None or package in self._decided or _compat.is_version_1_on_path():
            return
        self._decided.add(package)
        name = ownership.name_of_package(package)
        if (
            name in self._exclude
            or ownership.is_users_file(file)
            or ownership.is_called_by_library()
        ):
            return
        answer = answer_for(package)
        if answer.is_old:
            messages.say(
                f"{answer.title} is of TensorFlow 1's time and is served as the script is; "
                f"`--exclude {name}` leaves it out"
            )
        # Its text may use names that the installed Python, NumPy and others no longer have.
        if (
            answer.is_old
            or _may_be_repaired(answer)
            and not all(map(_exists, library_text.find_dropped_names(package)))
        ):
            ownership.include(name)
            self._served(name)


def advise(files: list[str]) -> str | None:
    """Returns a sentence on the package in which an error happened,
    if it uses TensorFlow and is not served.
    """
    for file in reversed(files):
        if ownership.is_users_file(file) or _compat.is_version_1_on_path():
            return None
        package = ownership.package_of(file)
        name = package and ownership.name_of_package(package)
        if package and name and name not in packages.FOR_INSTALLED and name != "keras":
            answer = answer_for(package)
            if not answer.uses_tensorflow:
                return None
            return (
                f"the error is in {answer.title}, which gets the installed TensorFlow and libraries unchanged. "
                f"If it is written for TensorFlow 1, try `--include {name}`"
            )
    return None


def _may_be_repaired(answer: InstalledLibrary) -> bool:
    is_of_that_time = 0 < answer.newest_python <= NEWEST_PYTHON or ownership.is_asked_by_library()
    return is_of_that_time and not answer.uses_tensorflow


def _exists(name: str) -> bool:
    """Says whether a module exists, or has an attribute without what `run` serves."""
    module, _, attribute = name.rpartition(".")
    try:
        found = importlib.import_module(module or name)
    except ImportError:
        return False
    return not module or attribute in vars(found)


def answer_for(package: str) -> InstalledLibrary:
    """Returns the `InstalledLibrary` for the installed package or module at a path,
    of its text and its metadata.
    """
    name, version, headers = _distribution(package)
    signs = library_text.read_signs(package)
    shown = packages.shows_version_2(name, version, headers)
    is_old = signs.uses_tensorflow and not (signs.is_version_2 if shown is None else shown)
    return InstalledLibrary(
        f"{name} {version}".rstrip(), is_old, signs.uses_tensorflow, packages.newest_python(headers)
    )


def _distribution(package: str) -> tuple[str, str, str]:
    """Returns the name, version and metadata of the distribution that brought a package;
    its own name without one.
    """
    around, module = os.path.dirname(package), ownership.name_of_package(package)
    for info in glob.glob(os.path.join(glob.escape(around), "*.*-info")):
        if _brings(info, module):
            name, version = f"{os.path.basename(info)[: -len('.dist-info')]}-".split("-")[:2]
            headers = library_text.text_in_file(info, "METADATA") or library_text.text_in_file(
                info, "PKG-INFO"
            )
            return name.replace("_", "-"), version, headers.partition("\n\n")[0]
    return module, "", ""


def _brings(info: str, module: str) -> bool:
    """Says whether the distribution with its metadata in the folder `info` brought a module."""
    modules = library_text.text_in_file(info, "top_level.txt").split()
    if modules:
        return module in modules
    name = os.path.basename(info).partition("-")[0]
    files = library_text.text_in_file(info, "RECORD")
    return re.sub(r"[-_.]+", "_", name).lower() == module or bool(
        re.search(rf"^{re.escape(module)}(?:/__init__)?\.py,", files, re.M)
    )

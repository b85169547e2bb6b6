"""Whose file it is: the script's and what it brought along, or one that was installed, Python's own, or ours."""

from __future__ import annotations

import glob
import os
import sysconfig
from typing import Dict, Iterable, List, Optional, Union

from tf1grad.old_programs.originals import folder as originals

OLD_PROGRAMS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TF1GRAD = os.path.dirname(OLD_PROGRAMS)

# Libraries that TensorFlow 1.15 brought, and that are of its time: they are read as the user's files are.
OF_KERAS = ("keras_applications", "keras_preprocessing")

_known: List[Files] = []


def is_users_file(file: str) -> bool:
    """True for the script and what it brought along; False for what was installed, and for Python itself."""
    return any(files.are_users(file) for files in _known)


def remember(files: Files) -> None:
    """From now on `is_users_file` answers by the `Files` given."""
    _known.append(files)


class Files:
    """Tells the user's files from all others.

    Args:
        include: names of libraries that count as the user's.
        script_folder: the folder of the script; what is in it is the user's, whatever else is in there.
    """

    def __init__(self, include: Iterable[str] = (), script_folder: Optional[str] = None) -> None:
        self._include = set(include).union(OF_KERAS)
        self._script_folder = script_folder and os.path.realpath(script_folder)
        self._folders = {os.path.realpath(sysconfig.get_path(name)): True for name in
                         ("stdlib", "platstdlib", "purelib", "platlib")}
        served = [os.path.join(place, originals.ROOT) for place in originals.places()]
        self._ours = tuple(os.path.realpath(folder) + os.sep for folder in [TF1GRAD] + served)
        self._users: Dict[str, Union[bool, str]] = {}

    def are_users(self, file: str) -> bool:
        """True for a file of the user's."""
        folder, name = os.path.split(file)
        if folder not in self._users:
            self._users[folder] = self._ask(os.path.realpath(folder))
        package = self._users[folder]
        return package if isinstance(package, bool) else (package or os.path.splitext(name)[0]) in self._include

    def _ask(self, folder: str) -> Union[bool, str]:
        """True for a folder of the user's, False for one of ours; else the installed package, "" around them."""
        if (folder + os.sep).startswith(self._ours):
            return False
        inside = folder
        while inside != os.path.dirname(inside):
            if inside == self._script_folder:
                return True
            if self._is_installation(inside):
                return folder[len(inside) + 1:].split(os.sep)[0]
            inside = os.path.dirname(inside)
        return True

    def _is_installation(self, folder: str) -> bool:
        if folder not in self._folders:
            self._folders[folder] = (os.path.basename(folder) in ("site-packages", "dist-packages")
                                     or bool(glob.glob(os.path.join(glob.escape(folder), "*.dist-info"))))
        return self._folders[folder]

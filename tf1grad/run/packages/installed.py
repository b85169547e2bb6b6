"""Reads what installed packages need and whether they are compiled.

It reads their files itself: at each start of a process, `importlib.metadata` would cost a tenth of
a second.
"""

from __future__ import annotations

import glob
import os
import re
import sys
from typing import Iterable, NamedTuple

from tf1grad.programs.names import packages
from tf1grad.programs.names.packages import normalized
from tf1grad.programs.period import folder
from tf1grad.programs.source.library_text import text_in_file
from tf1grad.recipes.sessions.reached import reached

_NEED = re.compile(r"^Requires-Dist: ([\w.-]+)(?!.*;.*\bextra\b)", re.M)
_INFOS = (".dist-info", ".egg-info")
_NO_MODULES = ("-info", ".libs", ".pth")


class InstalledPackage(NamedTuple):
    """Describes an installed package: the folder of its metadata, what it needs,
    whether it is compiled.
    """

    folder: str
    needs: list[str]
    is_compiled: bool


def find_installed() -> dict[str, InstalledPackage]:
    """Returns the packages on the path by their normalized names;
    of two with one name, the one in front.
    """
    found: dict[str, InstalledPackage] = {}
    for place in sys.path:
        for path in glob.glob(os.path.join(glob.escape(place), "*.dist-info")):
            name = normalized(os.path.basename(path).partition("-")[0])
            if name not in found:
                head = text_in_file(path, "METADATA").partition("\n\n")[0]
                needs = list(map(normalized, _NEED.findall(head)))
                is_compiled = "Root-Is-Purelib: false" in text_in_file(path, "WHEEL")
                found[name] = InstalledPackage(path, needs, is_compiled)
    return found


def find_names() -> set[str]:
    """Returns the normalized names of the packages on the path; the period layer's do not count."""
    places = [place for place in sys.path if not folder.is_inside(place)]
    found = [name for place in places if os.path.isdir(place) for name in os.listdir(place)]
    infos = [os.path.splitext(name)[0] for name in found if name.endswith(_INFOS)]
    return {normalized(name.partition("-")[0]) for name in infos}


def closure(names: Iterable[str], installed: dict[str, InstalledPackage]) -> set[str]:
    """Returns those of these names that are installed, and all that they need, all the way down."""
    needed = reached(
        map(normalized, names), lambda name: installed[name].needs if name in installed else ()
    )
    return needed & installed.keys()


def needed_by_tensorflow(installed: dict[str, InstalledPackage]) -> set[str]:
    """Returns what the installed TensorFlow rests on: none of it is ever replaced, but NumPy."""
    return closure([*packages.TENSORFLOW, "keras"], installed)


def built_on_numpy(installed: dict[str, InstalledPackage]) -> dict[str, str]:
    """Returns the modules of packages that are compiled against the installed NumPy,
    each with its package.

    Those that TensorFlow itself needs are left out.
    """
    kept = needed_by_tensorflow(installed)
    return {
        module: name
        for name, each in installed.items()
        if each.is_compiled and "numpy" in each.needs and name not in kept
        if not folder.is_inside(each.folder)
        for module in _modules(each)
    }


def _modules(package: InstalledPackage) -> set[str]:
    """Returns the names of a package's modules and folders beside its metadata."""
    lines = [line.partition(",")[0] for line in text_in_file(package.folder, "RECORD").splitlines()]
    tops = {line.partition("/")[0] for line in lines}
    return {top.partition(".")[0] for top in tops if top and not top.endswith(_NO_MODULES)}

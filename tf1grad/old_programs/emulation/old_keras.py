"""Serves Keras 2 as `keras`, as programs and libraries of TensorFlow 1's time had it.

The first import of `keras` by code of that time decides, in whatever thread it happens; an installed Keras 2 stays. It
is Keras 2.3.1; or 2.2.4, if the library that imports it, or the program's requirements.txt, exclude 2.3, or their text
has what Keras 2.3 dropped.
"""

from __future__ import annotations

import glob
import os
from typing import Any, Callable, List

from tf1grad.old_programs import _compat
from tf1grad.old_programs.emulation import keras_order, old_libraries
from tf1grad.old_programs.names import packages
from tf1grad.old_programs.period import layer, parts
from tf1grad.old_programs.process import finder, messages, ownership
from tf1grad.old_programs.source import library_text

TOLD = "keras is {}, as programs of that time expect; `--exclude keras` leaves the installed one in its place"
NEEDS_SCIPY = "{} needs SciPy, which is not installed: `pip install scipy`"


def install(exclude: List[str], served: Callable[[str], Any]) -> None:
    """Lets the first import of `keras` decide; `served` is then called with "keras"."""
    decided: List[bool] = []

    def decide(name: str) -> None:
        if decided or "keras" in exclude or ownership.is_imported_by_library():
            return
        decided.append(True)
        release = _compat.installed_release("keras")
        if (_compat.installed_version() or (2,)) < (2,) or (release or (3,)) < (3,):
            return
        part = parts.KERAS_2_2 if _is_for_keras_2_2() else parts.KERAS
        layer.add_keras(part)
        ownership.include("keras")
        served("keras")
        messages.say((TOLD if _compat.is_installed("scipy") else NEEDS_SCIPY).format(part.title))

    finder.call_before("keras", decide, reason="programs of that time import Keras 2")
    keras_order.install()


def _is_for_keras_2_2() -> bool:
    """Says whether the library that imports a module now, or the script that does with what is beside it, needs 2.2."""
    place = ownership.place_of_user_code()
    if place is None:
        return False
    package, folder = ownership.package_of(place[0]), os.path.dirname(os.path.abspath(place[0]))
    if package:
        required, paths = packages.requirements(old_libraries.headers_of(package)), [package]
    else:
        required = packages.read(library_text.text_of(folder, "requirements.txt").splitlines())
        paths = glob.glob(f"{glob.escape(folder)}/*.py")
    return packages.excludes_keras_2_3(required) or any(map(library_text.is_for_keras_2_2, paths))

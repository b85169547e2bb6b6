"""Serves Keras 2.3.1 as `keras`, as programs and libraries of TensorFlow 1's time had it.

The first import of `keras` by code of that time decides, in whatever thread it happens; an installed Keras 2 stays.
"""

from __future__ import annotations

from typing import Any, Callable, List

from tf1grad.old_programs import _compat
from tf1grad.old_programs.period import layer
from tf1grad.old_programs.process import finder, messages, ownership

TOLD = "keras is Keras 2.3.1, as programs of that time expect; `--exclude keras` leaves the installed one in its place"
NEEDS_SCIPY = "Keras 2.3.1 needs SciPy, which is not installed: `pip install scipy`"


def install(exclude: List[str], served: Callable[[str], Any]) -> None:
    """Lets the first import of `keras` decide.

    Args:
        exclude: names of packages that stay as they are installed.
        served: called with "keras" when it is served.
    """
    decided: List[bool] = []

    def decide(name: str) -> None:
        if decided or "keras" in exclude or ownership.importing_package() is not None:
            return
        decided.append(True)
        release = layer.installed_release("keras")
        if (_compat.installed_version() or (2,)) < (2,) or (release or (3,)) < (3,):
            return
        layer.add_keras()
        ownership.include("keras")
        served("keras")
        messages.say(TOLD if _compat.is_installed("scipy") else NEEDS_SCIPY)

    finder.call_before("keras", decide, reason="programs of that time import Keras 2")

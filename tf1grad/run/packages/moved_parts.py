"""Serves modules that a compiled package of today has elsewhere:
those that its deprecation shims gave for a while.

Compiled packages are not of the program's date. A newer release has a module
`sklearn.ensemble.forest` as the private `sklearn.ensemble._forest`, or `numba.decorators` in
`numba.core`: of these forms were the shims of scikit-learn 0.22 to 0.23 and of numba 0.49 to 0.51.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from types import ModuleType
from typing import Iterable

from tf1grad.programs.process import finder, ownership


def install(packages: Iterable[str]) -> None:
    """Serves what these compiled packages, by the names of their modules, have elsewhere."""
    finder.serve(
        [f"{name}." for name in packages],
        _LOADER,
        reason="the compiled package of today has it elsewhere",
        applies=_is_moved,
    )


def _place_of(name: str) -> str | None:
    """Returns the name under which a missing module is there, or None."""
    parent, _, last = name.rpartition(".")
    top, _, rest = name.partition(".")
    for place in (f"{parent}._{last}", f"{top}.core.{rest}"):
        try:
            if importlib.util.find_spec(place) is not None:
                return place
        except ImportError:  # there is no `core`
            continue
    return None


def _is_moved(name: str) -> bool:
    is_private = name.rpartition(".")[2].startswith("_")
    return not is_private and ownership.is_asked_by_user() and _place_of(name) is not None


def _execute(module: ModuleType) -> None:
    place = _place_of(module.__name__)
    assert place is not None  # `_is_moved` said so
    sys.modules[module.__name__] = importlib.import_module(place)


_LOADER = finder.Loader(_execute)

"""Puts what surrounded TensorFlow 1.15 in front of the user's packages, for this process.

`put_on_path` comes before anything imports NumPy. One thread calls it, at the start of a process;
child processes do the same.
"""

from __future__ import annotations

import functools
import os
import sys
from typing import TYPE_CHECKING, Any

from tf1grad.programs import _compat
from tf1grad.programs.period import folder, numpy_1_behavior, parts
from tf1grad.programs.period.parts import PeriodPart
from tf1grad.programs.process import messages, ownership, patches

if TYPE_CHECKING:
    from tf1grad.programs.period.sources import Source

TOO_LATE = (
    "NumPy {} was imported before tf1grad, so the program computes, prints and sorts as that does, and not as "
    "NumPy 1 did. Restart the process, and let tf1grad come first (in a notebook: %load_ext tf1grad in the "
    "first cell)"
)


def put_on_path(numpy: str, position: int) -> str | None:
    """Puts the parts of the layer that this process needs in front; fetches those that are missing.

    Returns the version of the NumPy among them, or None. Nothing happens where TensorFlow is
    missing or is version 1. `numpy` is "layer", or "installed" for the user's own. The parts get
    this `position` in `sys.path`; 1 is behind the program's own folder.
    """
    of_numpy = _numpy_part() if numpy == "layer" else None
    needed = needed_parts(of_numpy)
    if not needed:
        return None
    fetch(needed)
    for part in needed:
        _put_on_path(part, position)
    release = parts.release(of_numpy) if of_numpy else None
    if release == parts.NUMPY_2:
        numpy_1_behavior.prepare()
    elif numpy == "layer":
        numpy_1_behavior.sort_as_then()
    return release


def needed_parts(of_numpy: PeriodPart | None) -> list[PeriodPart]:
    """Returns the parts that a `run` with this NumPy needs:
    none where TensorFlow is missing or is version 1.
    """
    if not _compat.is_installed("tensorflow") or _compat.is_version_1_on_path():
        return []
    return [parts.TENSORFLOW, parts.LIBRARIES, *([of_numpy] if of_numpy else [])]


def is_in_front(numpy: Any) -> bool:
    """Says whether the module `numpy` is that of the layer."""
    return folder.is_inside(numpy.__file__)


def add_keras(part: PeriodPart) -> None:
    """Puts a part with Keras in front of the user's packages."""
    fetch([part])
    _put_on_path(part, 1)


def add_readers() -> None:
    """Puts fissix, tomli and pkg_resources behind the user's packages;
    says so if they cannot be fetched.
    """
    from tf1grad.programs.period import sources

    try:
        fetch([parts.READERS])
        _put_on_path(parts.READERS, len(sys.path))
    except sources.Failed as error:
        messages.say(str(error))


def add_ipython() -> None:
    """Puts IPython in front of the user's packages, unless it is installed;
    raises `Failed` if it does not come.
    """
    if not _compat.is_installed("IPython"):
        fetch([parts.IPYTHON])
        _put_on_path(parts.IPYTHON, 1)


def fetch(needed: list[PeriodPart]) -> None:
    """Fetches the parts that no folder has whole;
    raises `Failed` where that is not possible, and ends on Ctrl-C.
    """
    missing = missing_parts(needed)
    if missing:
        from tf1grad.programs.period import sources

        for line in find_damages(missing):
            messages.say(line)
        sources.refuse_offline(missing[0])
        install(missing, sources.from_index)


def install(missing: list[PeriodPart], source: Source) -> None:
    """Fetches parts from a source, and ends on Ctrl-C."""
    from tf1grad.programs.period import installation

    try:
        with ownership.own_act():
            installation.install(missing, source, messages.say)
    except KeyboardInterrupt:
        messages.say("interrupted: the next run fetches it")
        sys.exit(130)


def missing_parts(needed: list[PeriodPart]) -> list[PeriodPart]:
    """Returns the parts that no folder has whole."""
    return [part for part in needed if folder.find(part.name) is None]


def find_damages(missing: list[PeriodPart]) -> list[str]:
    """Returns a line for each folder in which a part is damaged."""
    return [
        f"damaged: {part.title}: {folder.find_damage(place)}"
        for part in missing
        for place in folder.having(part.name)
    ]


def _numpy_part() -> PeriodPart | None:
    """Returns the part with NumPy; None where the installed one is of that time,
    or comes too late to be replaced.
    """
    part = numpy_in_place()
    if part is None:
        return None
    loaded = getattr(sys.modules.get("numpy"), "__version__", None)
    if loaded is None or loaded == parts.release(part):
        return part
    messages.say(TOO_LATE.format(loaded))
    return None


def numpy_in_place() -> PeriodPart | None:
    """Returns the part with NumPy that replaces the installed one;
    None where that is of the time of NumPy 1.
    """
    installed = _compat.installed_release("numpy") or (0, 0)
    return parts.numpy_of(sys.version_info[:2]) if installed >= (2, 0) else None


def numpy_version(numpy: str) -> str:
    """Returns the version of the NumPy that a process gets, as `put_on_path` chooses it,
    such as 1.26.4 or 2.3.*.
    """
    part = numpy_in_place() if numpy == "layer" else None
    if part:
        return parts.release(part)
    major, minor = _compat.installed_release("numpy") or (0, 0)
    return f"{major}.{minor}.*"


def _put_on_path(part: PeriodPart, position: int) -> None:
    packages = os.path.join(folder.find(part.name) or "", parts.PACKAGES)
    put_folder_on_path(packages, position, part.title)


def put_folder_on_path(packages: str, position: int, title: str) -> None:
    """Puts a folder of packages, if there is one, at this `position` in `sys.path`, once."""
    if os.path.isdir(packages) and packages not in sys.path:
        sys.path.insert(position, packages)
        undo = functools.partial(sys.path.remove, packages)
        patches.note(f"sys.path: {packages}", f"finds {title}", undo)

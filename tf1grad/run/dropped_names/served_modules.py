"""Serves names that modules have lost, and modules that are gone, as the user's code asks for them.

Existing names do not change, and libraries see what they would see without this: they test for such
names.

Threads may import at the same time: a module is changed in the thread that imports it, before
others get it.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import sys
from types import ModuleType
from typing import Any, Mapping

from tf1grad.programs.names import other_libraries
from tf1grad.programs.names.rows import does_nothing
from tf1grad.programs.process import finder, ownership, patches, run_record
from tf1grad.run.dropped_names import (
    library_calls,
    matplotlib_calls,
    renamed_keywords,
    user_properties,
)
from tf1grad.run.dropped_names.fix_messages import warn_unrecorded
from tf1grad.run.dropped_names.served_attributes import (
    ATTRIBUTES,
    announce,
    is_ours,
    path_of,
    resolve,
    summary_of,
)

# module that is gone -> the modules that can stand in, of which the first installed one does
SERVED = {
    row.old: row.run
    for row in other_libraries.select_rows("module", "submodule")
    if not does_nothing(row.run)
}
# These are served to files written for Python 2 only: other files ask for both names.
PYTHON_2 = {row.old for row in other_libraries.select_rows("module") if row.since == "Python 3.0"}
# method that a class has lost -> its name today, or a function of ours that does what it did
METHODS = {
    row.old: row.run
    for row in other_libraries.select_rows("method")
    if row.run == row.new or is_ours(row.run)
}
_PARENTS = {name.rpartition(".")[0] for name in SERVED if "." in name}
PATCHES = dict(matplotlib_calls.PATCHES, **library_calls.PATCHES)
CALLS: tuple[tuple[str, str, patches.Function], ...] = (
    *matplotlib_calls.CALLS,
    *library_calls.CALLS,
    *renamed_keywords.CALLS,
)
OPTION = "--no-dropped-names"
_CHANGED = {
    *ATTRIBUTES,
    *PATCHES,
    *(call[0] for call in CALLS),
    *_PARENTS,
    *(name.rsplit(".", 2)[0] for name in METHODS),
}


def install() -> None:
    """Enters what this package serves and changes in the finder, once,
    and changes modules that are imported.
    """
    if any(function is _change for function in finder.after("numpy")):
        return
    finder.call_after(
        sorted(_CHANGED),
        _change,
        reason=f"old scripts use names, methods and calls that it dropped (left out by {OPTION})",
    )
    finder.serve(
        SERVED,
        _loader,
        reason=f"they were removed, and user code gets their replacements (left out by {OPTION})",
        is_package=True,
        applies=_is_served,
    )
    for name in sorted(_CHANGED & set(sys.modules)):
        _change(sys.modules[name])


def _change(module: ModuleType) -> None:
    """Gives a module what it has lost, and lets its functions take old arguments."""
    name = module.__name__
    if name in ATTRIBUTES:
        _serve_missing(module, ATTRIBUTES[name])
    if name in _PARENTS and "__path__" not in vars(module):
        module.__path__ = []  # it was a package, and its submodules are asked for
    calls = [call[1:] for call in CALLS if call[0] == name]
    if calls or name in PATCHES:
        patches.note(f"calls of {name}", "old arguments and values are translated")
    if name in PATCHES:
        PATCHES[name](module)
    for attribute, around in calls:
        owner, _, function = attribute.rpartition(".")
        patches.wrap(getattr(module, owner) if owner else module, function, around, reason="")
    for method in METHODS:
        if method.rsplit(".", 2)[0] == name:
            _put_back(module, method)


def _serve_missing(module: ModuleType, targets: Mapping[str, str]) -> None:
    """Gives a module a `__getattr__` (or extends the one it has) that
    serves the names of `targets`.
    """
    own = vars(module).get("__getattr__")

    def __getattr__(name: str) -> Any:
        try:
            if own is None:
                raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
            return own(name)
        except AttributeError:
            if name not in targets or not ownership.is_asked_by_user():
                raise
        value = resolve(targets[name])
        announce(f"{module.__name__}.{name}", targets[name])
        return value

    module.__getattr__ = __getattr__  # type: ignore[method-assign]


def _put_back(module: ModuleType, name: str) -> None:
    """Gives a class the method `name`, with its module and class, where it has lost it."""
    owner, method = name.rsplit(".", 2)[1:]
    user_properties.add(getattr(module, owner), method, functools.partial(_lost, name))


def _lost(name: str, instance: object) -> Any:
    target = METHODS[name]
    announce(name, target)
    if is_ours(target):
        return functools.partial(resolve(target), instance)
    return getattr(instance, target)


def _is_served(fullname: str) -> bool:
    """Says whether the code that imports a missing module is to get the one
    that has its names today.
    """
    asked = ownership.is_asked_by_python_2 if fullname in PYTHON_2 else ownership.is_asked_by_user
    return asked() and _today(fullname) is not None


def _today(fullname: str) -> str | None:
    """Returns the module that has the names of one that is gone; None where it is not installed."""
    return next(
        (
            each
            for each in SERVED[fullname].split()
            if importlib.util.find_spec(path_of(each)) is not None
        ),
        None,
    )


def _stand_in(module: ModuleType) -> None:
    target = _today(module.__name__) or ""
    module.__getattr__ = functools.partial(_from, module.__name__, target)  # type: ignore[method-assign]
    if is_ours(target):  # told when the program takes a name of it
        run_record.note_repair(module.__name__)
    else:
        announce(module.__name__, target)


_loader = finder.Loader(_stand_in)


def _from(fullname: str, target: str, name: str) -> Any:
    if name.startswith("__") and name != "__all__":
        raise AttributeError(name)
    value = getattr(importlib.import_module(path_of(target)), name)
    if is_ours(target):
        warn_unrecorded(fullname, summary_of(target))
    return value

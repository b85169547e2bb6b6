"""Serves names that modules have lost, and modules that are gone, as the user's code asks for them.

Existing names do not change, and libraries see what they would see without this: they test for such names.

Threads may import at the same time: a module is changed in the thread that imports it, before others get it.
"""

import functools
import importlib
import importlib.util
import sys
import types
from typing import Any, Callable, Dict, List, Mapping, Optional

from tf1grad.old_programs.era import library_calls, lost_methods, matplotlib_calls, served_attributes
from tf1grad.old_programs.era.fix_messages import note, say, tell
from tf1grad.old_programs.names import other_libraries
from tf1grad.old_programs.names.rows import Row, does_nothing
from tf1grad.old_programs.process import finder, ownership, patches, random_states, run_notes

# module that is gone -> the modules that can stand in, of which the first installed one does. `era:` are ours.
SERVED: Dict[str, List[str]] = {
    row.old: row.run.replace("era.", "era:").split() for row in other_libraries.of_kind("module", "submodule")
    if not does_nothing(row.run)}
# Exports of notebooks import these, also where they are not installed.
SERVED.update({"IPython": ["era:ipython_display"], "IPython.display": ["era:ipython_display"]})
# These are served to files written for Python 2 only: other files ask for both names.
PYTHON_2 = {row.old for row in other_libraries.of_kind("module") if row.since == "Python 3.0"}


def _called_today(name: str, instance: Any, *arguments: Any, **options: Any) -> Any:
    return getattr(instance, name)(*arguments, **options)


def _method(row: Row) -> Callable[..., Any]:
    """Returns the function that does what a method did."""
    _, _, ours = row.run.partition("era.lost_methods:")
    return vars(lost_methods)[ours] if ours else functools.partial(_called_today, row.run)


# method that a class has lost -> its name today, and a function that does what it did
METHODS = {row.old: (row.new or "", _method(row)) for row in other_libraries.of_kind("method")
           if row.run == row.new or row.run.startswith("era.")}
_PARENTS = {name.rpartition(".")[0] for name in SERVED if "." in name}
PATCHES = dict(matplotlib_calls.PATCHES, **library_calls.PATCHES)
OPTION = "--no-era"
_OURS = "tf1grad.old_programs.era."
_CHANGED = set(served_attributes.ATTRIBUTES) | set(PATCHES) | _PARENTS | {name.rsplit(".", 2)[0] for name in METHODS}


def names() -> List[str]:
    """Returns the names of the modules that can be served, and of the methods that are put back."""
    return [*SERVED, *METHODS]


def install() -> None:
    """Enters what era serves and changes in the finder, and changes modules that are imported already, once."""
    if any(function is _change for function in finder.after("numpy")):
        return
    finder.call_after(sorted(_CHANGED), _change,
                      reason="old scripts use names, methods and calls that it dropped", option=OPTION)
    finder.serve(SERVED, _loader, reason="they were removed, and user code gets their replacements", is_package=True,
                 applies=_is_served, option=OPTION)
    for name in sorted(_CHANGED & set(sys.modules)):
        _change(sys.modules[name])


def _change(module: types.ModuleType) -> None:
    """Gives a module what it has lost, and lets its functions take old arguments."""
    name = module.__name__
    if name in served_attributes.ATTRIBUTES:
        _serve_missing(module, served_attributes.ATTRIBUTES[name])
    if name in _PARENTS and "__path__" not in vars(module):
        module.__path__ = []  # it was a package, and its submodules are asked for
    if name in PATCHES:
        PATCHES[name](module)
        patches.note(f"calls of {name}", "old arguments and values are translated", OPTION)
    for method in METHODS:
        if method.rsplit(".", 2)[0] == name:
            _put_back(module, method)


def _serve_missing(module: types.ModuleType, targets: Mapping[str, str]) -> None:
    """Gives a module a `__getattr__` (or extends the one it has) that serves the names of `targets`."""
    own = vars(module).get("__getattr__")

    def __getattr__(name: str) -> Any:
        try:
            if own is None:
                raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
            return own(name)
        except AttributeError:
            if name not in targets or not ownership.is_asked_by_user():
                raise
        value = served_attributes.resolve(targets[name])
        tell = say if served_attributes.is_ours(targets[name]) else note
        tell(f"{module.__name__}.{name}", served_attributes.effect_of(targets[name]))
        return value

    module.__getattr__ = __getattr__  # type: ignore[method-assign]


def _put_back(module: types.ModuleType, name: str) -> None:
    """Gives a class the method `name`, with its module and class, where it has lost it."""
    owner, method = name.rsplit(".", 2)[1:]
    if not hasattr(getattr(module, owner), method):
        setattr(getattr(module, owner), method, _Lost(name, *METHODS[name]))


class _Lost:
    """Gives a class a method for user code only."""

    def __init__(self, name: str, new: str, function: Callable[..., Any]) -> None:
        self._name, self._new, self._function = name, new, function

    def _effect(self) -> str:
        if isinstance(self._function, functools.partial):
            return f"is {self._new}"
        return served_attributes.summary_of(self._function)

    def __get__(self, instance: Any, owner: Optional[type] = None) -> Callable[..., Any]:
        if instance is None or not ownership.is_asked_by_user():
            owner_name, name = self._name.rsplit(".", 1)
            raise AttributeError(f"{owner_name!r} has no attribute {name!r}")
        tell_of = note if isinstance(self._function, functools.partial) else say
        tell_of(self._name, self._effect())
        return functools.partial(self._function, instance)


def _is_served(fullname: str) -> bool:
    """Says whether the code that imports a missing module is to get the one that has its names today.

    Installed packages do without IPython: they catch the ImportError.
    """
    if fullname.startswith("IPython") and ownership.is_asked_by_library():
        return False
    asked = ownership.is_asked_by_python_2 if fullname in PYTHON_2 else ownership.is_asked_by_user
    return asked() and _today(fullname) is not None


def _today(fullname: str) -> Optional[str]:
    """Returns the module that has the names of one that is gone; None where it is not installed."""
    for candidate in map(_module, SERVED[fullname]):
        if importlib.util.find_spec(candidate) is not None:
            return candidate
    return None


def _stand_in(fullname: str) -> types.ModuleType:
    module = types.ModuleType(fullname, "Stands in for a module that is gone.")
    module.__getattr__ = functools.partial(_from, fullname, _today(fullname) or "")  # type: ignore[method-assign]
    return module


def _begin(module: types.ModuleType) -> None:
    target = _today(module.__name__) or ""
    if target.startswith(_OURS):  # told when the program takes a name of it
        run_notes.note_repair(module.__name__)
    else:
        note(module.__name__, _effect(target))


_loader = finder.Loader(_begin, _stand_in)


def _from(fullname: str, target: str, name: str) -> Any:
    if name.startswith("__") and name != "__all__":
        raise AttributeError(name)
    with random_states.kept():
        value = getattr(importlib.import_module(target), name)
    if target.startswith(_OURS):
        tell(fullname, _effect(target))
    return value


def _module(target: str) -> str:
    return target.replace("era:", _OURS)


def _effect(target: str) -> str:
    if target.startswith(_OURS):
        return served_attributes.summary_of(importlib.import_module(target))
    return f"is {target}"

"""Finds modules for this process: the one finder that tf1grad has in `sys.meta_path`,
with a table of what it does.

A module can be served, before any other finder is asked or only where the others do not have it;
and functions can be called before a module is looked for and after it was executed. All other
modules are found as they are without this finder. It is installed, as the first of the finders,
when something is entered in its table, and not before.

Threads may import and enter at the same time: the table changes under a lock and is never changed
in place, and which search a finder is in belongs to its thread. A function that is called for a
module runs in the thread that imports it, under that module's import lock.
"""

from __future__ import annotations

import importlib.abc
import sys
import threading
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Callable, Iterable, NamedTuple, Sequence

from tf1grad.programs.process import ownership, patches, random_states

# Called with the name of a module.
Before = Callable[[str], Any]
# Called with a module that was executed.
After = Callable[[ModuleType], Any]


class Loader(importlib.abc.Loader):
    """Loads served modules with functions.

    `execute` fills the empty module, or puts another in its place in `sys.modules`. `create` makes
    the empty module of a full name; None for a plain one.
    """

    def __init__(
        self, execute: After, create: Callable[[str], ModuleType | None] | None = None
    ) -> None:
        self._execute, self._create = execute, create

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Returns the empty module; None for a plain one."""
        return self._create(spec.name) if self._create else None

    def exec_module(self, module: ModuleType) -> None:
        """Fills the module, or puts another in its place."""
        self._execute(module)


class _Service(NamedTuple):
    loader: Loader
    first: bool
    applies: Callable[[str], bool] | None
    is_package: bool


_services: dict[str, _Service] = {}
# When to call functions: before a module is looked for, and after it was executed. Each has a phase
# of the register.
_BEFORE, _AFTER = "prepared", "changed when imported"
_functions: dict[str, dict[str, dict[patches.Function, str]]] = {_BEFORE: {}, _AFTER: {}}
_lock = threading.RLock()


def serve(
    names: Iterable[str],
    loader: Loader,
    *,
    reason: str,
    first: bool = False,
    is_package: bool = False,
    applies: Callable[[str], bool] | None = None,
) -> None:
    """Serves modules; a second call with the same names and the same loader changes nothing.

    A name that ends in a dot stands for all modules below it. With `first` other finders are passed
    over; they are asked before if not. `applies` is asked with the full name whether to serve it
    now.
    """
    global _services
    names, service = list(names), _Service(loader, first, applies, is_package)
    with _lock:
        if not set(names) <= set(_services):
            undo = _undo()
            _services = dict(_services, **dict.fromkeys(names, service))
            _note(undo, names, "served" if first else "served if they are missing", reason)


def call_before(names: Iterable[str], function: Before, *, reason: str) -> None:
    """Calls `function(name)` each time that a module of these names is looked
    for, and enters it once.
    """
    _enter(_BEFORE, names, function, reason)


def prepare(name: str) -> None:
    """Calls what was entered for a module that is about to be looked for:
    for the program, whoever imports it.
    """
    for function in _functions[_BEFORE].get(name, ()):
        function(name)


def call_after(names: Iterable[str], function: After, *, reason: str = "") -> None:
    """Calls `function(module)` for modules of these names, each time that one was executed,
    before anybody gets it.

    The functions of a module are called in the order in which they were entered. Entering one again
    changes nothing. Without a `reason` the caller enters it in the register as part of a larger
    change.
    """
    _enter(_AFTER, names, function, reason)


def _enter(when: str, names: Iterable[str], function: patches.Function, reason: str) -> None:
    global _functions
    with _lock:
        known = _functions[when]
        new = [name for name in names if function not in known.get(name, {})]
        if new:
            undo, phase = _undo(), patches.current_phase()
            entered = {name: {**known.get(name, {}), function: phase} for name in new}
            _functions = {**_functions, when: {**known, **entered}}
            _note(undo, new, when, reason)


def call_now_and_after(name: str, function: After, *, reason: str) -> None:
    """Calls `function(module)` for the module `name` as `call_after` does,
    and at once if it is imported already.
    """
    call_after([name], function, reason=reason)
    if name in sys.modules:
        function(sys.modules[name])


def after(name: str) -> list[After]:
    """Returns the functions to call with the module `name` once it was executed,
    for loaders of our own.
    """
    return list(_functions[_AFTER].get(name, ()))


class Finder(importlib.abc.MetaPathFinder):
    """Finds modules as the table of this module says."""

    def __init__(self) -> None:
        self._here = threading.local()

    def find_spec(
        self,
        name: str,
        path: Sequence[str] | None = None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        """Returns the spec of a module that is served or changed; None for any other."""
        if name in _functions[_BEFORE] and not ownership.is_imported_by_tf1grad():
            prepare(name)
        service = _services.get(name) or next(
            (
                below
                for each, below in _services.items()
                if each[-1] == "." and name.startswith(each)
            ),
            None,
        )
        if service and service.first:
            spec = _spec(name, service)
            if spec:
                return spec
        is_changed = name in _functions[_AFTER]
        searching = vars(self._here).setdefault("searching", set())
        if not (service or is_changed) or name in searching:
            return None
        searching.add(name)
        try:
            found = self._elsewhere(name, path, target) or (
                _spec(name, service) if service and not service.first else None
            )
        finally:
            searching.discard(name)
        if found is not None and is_changed and getattr(found.loader, "exec_module", None):
            setattr(found, "loader", _Changing(found.loader))
        return found

    def _elsewhere(self, *asked: Any) -> ModuleSpec | None:
        """Returns the spec that the finders after this one give."""
        finders = list(sys.meta_path)
        finders = finders[finders.index(self) + 1 :] if self in finders else finders
        specs = (
            finder.find_spec(*asked) for finder in finders if getattr(finder, "find_spec", None)
        )
        return next(filter(None, specs), None)


class _Changing:
    """Loads a module with the module's own loader, puts that loader back,
    and changes the module.
    """

    def __init__(self, loader: Any) -> None:
        self._loader = loader

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def exec_module(self, module: ModuleType) -> None:
        name = module.__name__
        if module.__spec__ is not None:
            name, module.__spec__.loader = module.__spec__.name, self._loader
        module.__loader__ = self._loader
        with random_states.kept():
            self._loader.exec_module(module)
            for function, phase in _functions[_AFTER][name].items():
                with patches.phase(phase):
                    function(module)


_finder = Finder()


def _spec(name: str, service: _Service) -> ModuleSpec | None:
    if service.applies and not service.applies(name):
        return None
    return ModuleSpec(name, service.loader, is_package=service.is_package)


def _note(undo: Callable[[], None], names: Sequence[str], how: str, reason: str) -> None:
    """Enters in the register what the finder does, and puts the finder in its place."""
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)
        patches.note(
            "sys.meta_path", "one finder serves and changes modules, as the lines on imports say"
        )
    shown = sorted({name.rstrip(".") for name in names})
    patches.note(f"import {patches.first_of(shown)}", reason and f"{how}: {reason}", undo)


def _undo() -> Callable[[], None]:
    """Returns the function that puts the table back to what it is now."""
    before = _services, _functions

    def undo() -> None:
        global _services, _functions
        _services, _functions = before

    return undo

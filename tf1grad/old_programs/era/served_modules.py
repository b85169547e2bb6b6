"""Serves names that modules have lost, and modules that are gone, as the user's code asks for them.

No name that is there changes, and libraries see what they would see without this: they test for such names.
"""

import functools
import importlib
import importlib.abc
import importlib.util
import sys
import types
from importlib.machinery import ModuleSpec
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Set, Tuple

from tf1grad.old_programs.era import library_calls, lost_methods, matplotlib_calls, served_attributes
from tf1grad.old_programs.era.fix_messages import Fix, is_asked_by_python_2, is_asked_by_user, say
from tf1grad.old_programs.names import other_libraries
from tf1grad.old_programs.names.rows import Row, does_nothing

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
_WATCHED = set(served_attributes.ATTRIBUTES) | set(PATCHES) | _PARENTS | {name.rsplit(".", 2)[0] for name in METHODS}


def describe() -> Tuple[Fix, ...]:
    """Returns (name, effect) of every module that can be served, and of every method that is put back."""
    return tuple((name, _effect(targets[0])) for name, targets in SERVED.items()) + tuple(
        (name, _effect(new)) for name, (new, _) in METHODS.items())


def install() -> None:
    """Watches imports, and attends to the modules that are imported already; a second call changes nothing."""
    if any(isinstance(finder, _Watch) for finder in sys.meta_path):
        return
    sys.meta_path.insert(0, _Watch())
    sys.meta_path.append(_Gone())  # last: only for what nobody else has
    for name in _WATCHED & set(sys.modules):
        _attend(sys.modules[name])


class _Watch(importlib.abc.MetaPathFinder):
    """Finds nothing itself: lets the others find a module that is watched, and attends to it once it is executed."""

    def __init__(self) -> None:
        self._searching: Set[str] = set()

    def find_spec(self, fullname: str, path: Optional[Sequence[str]] = None,
                  target: Optional[types.ModuleType] = None) -> Optional[ModuleSpec]:
        if fullname not in _WATCHED or fullname in self._searching:
            return None
        self._searching.add(fullname)
        try:
            spec = _find(fullname, path)
        finally:
            self._searching.discard(fullname)
        if spec is not None and spec.loader is not None:
            _after_execution(spec.loader)
        return spec


def _find(fullname: str, path: Optional[Sequence[str]]) -> Optional[ModuleSpec]:
    for finder in list(sys.meta_path):
        spec = finder.find_spec(fullname, path) if not isinstance(finder, _Watch) else None
        if spec is not None:
            return spec
    return None


def _after_execution(loader: importlib.abc.Loader) -> None:
    execute = loader.exec_module

    @functools.wraps(execute)
    def exec_module(module: types.ModuleType) -> None:
        execute(module)
        _attend(module)

    try:
        loader.exec_module = exec_module  # type: ignore[method-assign]
    except AttributeError:  # a built-in loader: such modules are loaded already when `install` looks
        pass


def _attend(module: types.ModuleType) -> None:
    name = module.__name__
    if name in served_attributes.ATTRIBUTES:
        _serve_missing(module, served_attributes.ATTRIBUTES[name])
    if name in _PARENTS and "__path__" not in vars(module):
        module.__path__ = []  # it was a package, and its submodules are asked for
    if name in PATCHES:
        PATCHES[name](module)
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
            if name not in targets or not is_asked_by_user():
                raise
        value = served_attributes.resolve(targets[name])
        say(f"{module.__name__}.{name}", served_attributes.effect_of(targets[name]))
        return value

    module.__getattr__ = __getattr__  # type: ignore[method-assign]


def _put_back(module: types.ModuleType, name: str) -> None:
    """Gives a class the method `name`, with its module and class, where it has lost it."""
    owner, method = name.rsplit(".", 2)[1:]
    if method not in dir(getattr(module, owner)):
        setattr(getattr(module, owner), method, _Lost(name, *METHODS[name]))


class _Lost:
    """A method that a class has for the user's code, and for no other."""

    def __init__(self, name: str, new: str, function: Callable[..., Any]) -> None:
        self._name, self._new, self._function = name, new, function

    def __get__(self, instance: Any, owner: Optional[type] = None) -> Callable[..., Any]:
        if instance is None or not is_asked_by_user():
            owner_name, name = self._name.rsplit(".", 1)
            raise AttributeError(f"{owner_name!r} has no attribute {name!r}")
        say(self._name, _effect(self._new))
        return functools.partial(self._function, instance)


class _Gone(importlib.abc.MetaPathFinder):
    """Finds a module that is gone in the one that has its names today."""

    def find_spec(self, fullname: str, path: Optional[Sequence[str]] = None,
                  target: Optional[types.ModuleType] = None) -> Optional[ModuleSpec]:
        asked = is_asked_by_python_2 if fullname in PYTHON_2 else is_asked_by_user
        today = _today(fullname) if fullname in SERVED and asked() else None
        return None if today is None else ModuleSpec(fullname, _StandIn(today), is_package=True)


def _today(fullname: str) -> Optional[str]:
    """The module that has the names of one that is gone; None where none of them is installed."""
    for candidate in SERVED[fullname]:
        candidate = candidate.replace("era:", "tf1grad.old_programs.era.")
        if importlib.util.find_spec(candidate) is not None:
            return candidate
    return None


class _StandIn(importlib.abc.Loader):
    """Makes a module that is gone out of the one that has its names today."""

    def __init__(self, target: str) -> None:
        self._target = target

    def create_module(self, spec: ModuleSpec) -> types.ModuleType:
        module = types.ModuleType(spec.name, "Stands in for a module that is gone.")
        module.__getattr__ = functools.partial(_from, self._target)  # type: ignore[method-assign]
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        name = module.__name__
        say(name, _effect(self._target))
        if name in served_attributes.ATTRIBUTES:
            _serve_missing(module, served_attributes.ATTRIBUTES[name])


def _from(target: str, name: str) -> Any:
    if name.startswith("__") and name != "__all__":
        raise AttributeError(name)
    return getattr(importlib.import_module(target), name)


def _effect(target: str) -> str:
    return "replaced by " + target.replace("era:", "tf1grad.old_programs.era.")

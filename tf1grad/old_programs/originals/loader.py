"""Imports the originals: modules of TensorFlow 1.15, each executed once, over the TensorFlow that is installed.

They are found in `sys.modules` by the names that they had (`tensorflow.contrib.crf.python.ops.crf`), so that pickles
and `inspect` find them; the installed TensorFlow is not touched, and has no attribute `contrib`. What they import of
TensorFlow is looked for, in this order: among the originals that are served, in the tables of `moved`, in the installed
TensorFlow. What is nowhere is a `Missing`, which says so when it is used: it does not take its module down.

The originals are all of `contrib`, and the modules whose paths are in `SERVED`.
"""

from __future__ import annotations

import functools
import importlib
import importlib.machinery
import os
import sys
import threading
import types
from typing import Any, Callable, Dict, Iterable, List, Optional, Set, Union

import numpy as np

from tf1grad._compat import tf
from tf1grad.old_programs import _compat
from tf1grad.old_programs.originals import (
    estimator_package,
    folder,
    moved_modules,
    our_substitutes,
    raw_ops,
    rewritten_code,
)
from tf1grad.old_programs.originals.missing_name import Missing
from tf1grad.old_programs.process import finder

ROOT = "tensorflow"
# Modules outside of contrib that are served too, by their paths below `tensorflow`; those who know what they need add
# to it before the first import.
SERVED = {
    "python.data.experimental.ops.iterator_ops",
    "python.ops.distributions.transformed_distribution",
}

# Full paths of single functions that are TensorFlow 1.15's, in modules that are the installed ones for the rest.
PARTS: Set[str] = set()

# Path -> functions that are called before the original there is executed.
preparations: Dict[str, List[Callable[[], Any]]] = {
    # Or it imports the package half way, which no later import can mend.
    "contrib.estimator": [estimator_package.prepare],
}

# Path -> functions of the original there, called once it has been executed and before anybody imports from it.
changes: Dict[str, List[Callable[[Original], Any]]] = {}

# A function of the full name of what an original does not have: it gives the value, or raises AttributeError.
elsewhere: List[Callable[[str], Any]] = []

_lock = threading.RLock()
_modules: Dict[str, types.ModuleType] = {}
_users_modules: Dict[str, types.ModuleType] = {}
_broken: Dict[str, str] = {}
_settled: List[bool] = []


@functools.lru_cache(maxsize=None)
def home() -> str:
    """The folder that holds the originals; "" where there are none."""
    return folder.find() or ""


@functools.lru_cache(maxsize=None)
def source(path: str) -> Optional[str]:
    """The file of the original at `path`, such as "contrib.crf", from `tensorflow_core` on; None if it is none."""
    parts = path.split(".")
    if not home() or not (parts[0] == "contrib" and len(parts) > 1 or path in SERVED):
        return None
    base = os.path.join(*parts)
    candidates = (os.path.join(base, "__init__.py"), base + ".py")
    return next((file for file in candidates if os.path.isfile(os.path.join(home(), folder.ROOT, file))), None)


def serve(paths: Iterable[str], functions: Iterable[str]) -> None:
    """Makes the modules of `paths`, below `tensorflow`, originals too; before any of them is asked for.

    Of other modules it gives originals the single `functions`, by their full paths.

    Raises:
        RuntimeError: an original has been loaded already, bound to installed ones.
    """
    with _lock:
        if any(isinstance(each, Original) for each in _modules.values()):
            raise RuntimeError("originals were loaded before they were told which others there are")
        SERVED.update(paths)
        PARTS.update(functions)
        _modules.clear()
        source.cache_clear()


def settle() -> None:
    """Lets originals keep the functions that they find around them: it takes time to look for them at each call."""
    _settled.append(True)


def is_original(name: str) -> bool:
    """True for the name of a module, from `tensorflow` on, that is an original."""
    root, _, path = name.partition(".")
    return root == ROOT and source(path) is not None


def module(path: str) -> types.ModuleType:
    """The module at `path` below `tensorflow` ("" for the whole), as an original sees it.

    Raises:
        ImportError: there is none, or an original that does not load on this TensorFlow.
    """
    with _lock:
        if path not in _modules:
            file = source(path)
            if file:
                _load(path, file)
            elif path.startswith("contrib."):
                raise ImportError(f"No module named 'tensorflow.{path}'", name="tensorflow." + path)
            else:
                _modules[path] = Surroundings(path)
        return _modules[path]


def users_module(path: str) -> types.ModuleType:
    """The module at `path` below `tensorflow`, as a program sees it that was written for TensorFlow 1.15.

    Its names are from where originals have them, so that both derive from the same classes; what originals get that is
    not what its name says, such as registries that take no offence, is not in it. A module that the installed
    TensorFlow has no more is TensorFlow 1.15's.

    Raises:
        ImportError: as `module`.
    """
    with _lock:
        if source(path):
            return module(path)
        if path not in _users_modules:
            try:
                _users_modules[path] = Surroundings(path, for_users=True)
            except ImportError:
                if not (home() and os.path.isfile(os.path.join(home(), folder.ROOT, _file(path)))):
                    raise
                _users_modules[path] = part(path)
        return _users_modules[path]


@functools.lru_cache(maxsize=None)
def part(path: str) -> Original:
    """The original at `path`, also if originals and users get the installed module instead: for single names of it."""
    loaded = Original(path, os.path.join(home(), folder.ROOT, _file(path)))
    exec(rewritten_code.code(home(), _file(path)), vars(loaded))
    return loaded


def _file(path: str) -> str:
    return os.path.join(*path.split(".")) + ".py"


def name(path: str, attribute: str) -> Any:
    """What `from tensorflow.<path> import <attribute>` gives to an original; a `Missing` if nobody has it."""
    try:
        return getattr(module(path), attribute)
    except (ImportError, AttributeError) as error:
        return Missing(_join(ROOT, path, attribute), error)


def _load(path: str, file: str) -> None:
    """Executes the original at `path`, in the `file` from `tensorflow_core` on."""
    if path in _broken:
        raise ImportError(_broken[path])
    parent, _, last = path.rpartition(".")
    holder = module(parent)
    if path in _modules:  # the package around it has imported it
        return
    for prepare in preparations.get(path, ()):
        prepare()
    loaded = _modules[path] = Original(path, os.path.join(home(), folder.ROOT, file))
    if path.startswith("contrib."):
        sys.modules[loaded.__name__] = loaded
    try:
        exec(rewritten_code.code(home(), file), vars(loaded))
        _adapt(path, loaded)
    except Exception as error:
        del _modules[path]
        sys.modules.pop(loaded.__name__, None) if path.startswith("contrib.") else None
        _broken[path] = (f"{loaded.__name__} of TensorFlow 1.15 does not load on TensorFlow {_compat.release()}: "
                         f"{type(error).__name__}: {error}")
        raise ImportError(_broken[path], name=loaded.__name__) from error
    if isinstance(holder, Original) and last not in vars(holder):
        setattr(holder, last, loaded)


def _adapt(path: str, loaded: Original) -> None:
    place, names, _ = our_substitutes.OURS.get(path, (None, "", ""))
    vars(loaded).update((name, _compat.resolve(f"{place}.{name}")) for name in names.split())
    for change in (*finder.after(loaded.__name__), *changes.get(path, ())):
        change(loaded)


class Original(types.ModuleType):
    """A module of TensorFlow 1.15. What is below a package is imported when it is first asked for."""

    def __init__(self, path: str, file: str) -> None:
        super().__init__(_join(ROOT, path))
        is_package = os.path.basename(file) == "__init__.py"
        self.__file__ = file
        self.__package__ = self.__name__ if is_package else self.__name__.rpartition(".")[0]
        self.__spec__ = importlib.machinery.ModuleSpec(self.__name__, None, origin=file, is_package=is_package)
        if is_package:
            self.__path__ = []  # Python itself must not find the files, and execute them as they are
        setattr(self, rewritten_code.HELPER, _Helper)

    def __getattr__(self, name: str) -> Any:
        instead = moved_modules.INSTEAD.get(_join(_path(self), name))
        if instead:
            return _compat.resolve(instead)
        if not name.startswith("__") and source(_join(_path(self), name)):
            return module(_join(_path(self), name))
        if not name.startswith("__") and _path(self) in moved_modules.SHOWN:
            try:
                return getattr(module(moved_modules.SHOWN[_path(self)]), name)
            except (ImportError, AttributeError):
                pass  # it has it no more: the table may know where it is
        for find in [] if name.startswith("__") else elsewhere:
            return find(_join(self.__name__, name))
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")


class Surroundings(types.ModuleType):
    """A module that is no original, as originals see it: the installed one, with the names that were in it then.

    Nothing is copied before `settle` was called: a name that is replaced in the installed module is replaced here.
    From then on functions and classes are kept, and only who sets a name through one of these modules replaces it.

    Raises:
        ImportError: there is no such module, and none that has its names.
    """

    def __init__(self, path: str, for_users: bool = False) -> None:
        super().__init__(_join(ROOT, path))
        places, error = [], None
        for place in _places(path):
            if place.startswith(estimator_package.PACKAGE + "."):
                estimator_package.prepare()  # for whoever imports it, too: what was imported half way stays so
            try:
                found = _compat.resolve(place) if place != ROOT else _compat.version_1("")
            except (ImportError, AttributeError) as cause:
                error = error or cause
            else:
                if isinstance(found, types.ModuleType):  # and no name in one
                    places.append(found)
        if not places and not _is_around_originals(path):
            raise error or ImportError(f"No module named {self.__name__!r}", name=self.__name__)
        instead = moved_modules.CHANGED if for_users else dict(moved_modules.INSTEAD, **moved_modules.CHANGED)
        parts: Set[str] = set() if for_users else PARTS
        vars(self).update(__places__=places, __parts__=parts, __below__=users_module if for_users else module,
                          __instead__=instead, __before__={}, __path__=[])

    def __getattr__(self, name: str) -> Any:
        path = _path(self)
        full = _join(path, name)
        if full in vars(self)["__instead__"]:
            value = _compat.resolve(vars(self)["__instead__"][full])
        elif full in vars(self)["__parts__"]:
            value = getattr(part(path), name)
        elif source(full) or full == "contrib":
            return module(full)
        else:
            value = _first(vars(self)["__places__"], name)
            if value is _NOWHERE or _is_private(value):
                value = self._other(path, name, value)
        if _settled and (callable(value) or isinstance(value, (types.ModuleType, tf.DType))):
            vars(self)[name] = value
        return value

    def _other(self, path: str, name: str, value: Any) -> Any:
        """A module below this one, or a name that went from here."""
        full = _join(path, name)
        if not name.startswith("__"):
            try:
                return vars(self)["__below__"](full)
            except ImportError as error:
                cause = error
            if value is not _NOWHERE:  # a module that it has imported from elsewhere
                return value
            if full in moved_modules.NAMES:
                return _compat.resolve(moved_modules.NAMES[full])
            if path.startswith("python."):
                return _compat.moved_name(path, name)
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}") from cause
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        places = vars(self).get("__places__")
        if places and not name.startswith("__"):
            vars(self)["__before__"][name] = getattr(places[0], name, _NOWHERE)
            setattr(places[0], name, value)
        else:
            super().__setattr__(name, value)
        self._forget(name)

    def __delattr__(self, name: str) -> None:
        """Gives the installed module back what was there before `name` was set through this one, as mocks expect."""
        before, place = vars(self)["__before__"].pop(name, _NOWHERE), vars(self)["__places__"][0]
        if before is _NOWHERE:
            delattr(place, name)
        else:
            setattr(place, name, before)
        self._forget(name)

    def _forget(self, name: str) -> None:
        for twin in (_modules.get(_path(self)), _users_modules.get(_path(self))):
            if vars(self).get("__places__") and twin is not None:
                vars(twin).pop(name, None)

    def __dir__(self) -> List[str]:
        return sorted({name for place in vars(self)["__places__"] for name in dir(place)})


_NOWHERE = object()


def _first(places: Iterable[Any], name: str) -> Any:
    return next((value for value in (getattr(place, name, _NOWHERE) for place in places) if value is not _NOWHERE),
                _NOWHERE)


def _is_private(value: Any) -> bool:
    return isinstance(value, types.ModuleType) and value.__name__.startswith(_compat.PRIVATE)


def _is_around_originals(path: str) -> bool:
    return path in ("", "contrib", "python") or any(served.startswith(path + ".") for served in SERVED)


def _places(path: str) -> List[str]:
    """The modules that have the names of the one at `path`."""
    listed = moved_modules.MODULES.get(path, "").split()
    parts = path.split(".")
    for length in range(len(parts) - 1, 0, -1):
        package = moved_modules.PACKAGES.get(".".join(parts[:length]))
        if package:
            listed.append(_join(package, *parts[length:]))
    if path in moved_modules.PACKAGES:
        listed.append(moved_modules.PACKAGES[path])
    return [place.format(keras=_compat.keras_package()) for place in listed] + [_join(ROOT, path)]


def _path(module: types.ModuleType) -> str:
    return module.__name__.partition(".")[2]


def _join(*names: str) -> str:
    return ".".join(filter(None, names))


class _Helper:
    """What rewritten originals call, by full names."""

    @staticmethod
    def module(full_name: str) -> Union[types.ModuleType, Missing]:
        try:
            return module(full_name.partition(".")[2])
        except ImportError as error:
            return Missing(full_name, error)

    @staticmethod
    def name(full_name: str, attribute: str) -> Any:
        return name(full_name.partition(".")[2], attribute)

    @staticmethod
    def star(full_name: str, namespace: Dict[str, Any]) -> None:
        try:
            held = module(full_name.partition(".")[2])
        except ImportError:
            return  # who imports a name from there will be given a stand-in
        names = getattr(held, "__all__", None) or [key for key in dir(held) if not key.startswith("_")]
        values = [(key, getattr(held, key)) for key in names]
        # Not what the module that has the names now, if it is no original, calls `tf` or `np`.
        namespace.update((key, value) for key, value in values if isinstance(held, Original) or not (
            isinstance(value, types.ModuleType) and value.__name__.rpartition(".")[2] != key))

    @staticmethod
    def text(value: Union[str, bytes]) -> str:
        return value.decode("utf-8") if isinstance(value, bytes) else value

    @staticmethod
    def array(values: List[Any]) -> Any:
        """The array of `values`; of objects if they have different shapes."""
        try:
            return np.array(values)
        except ValueError:
            return np.array(values, dtype=object)

    @staticmethod
    def installed(name: str) -> Any:
        """What the installed TensorFlow has at `name` below `tensorflow.compat.v1`."""
        return _compat.resolve("tensorflow.compat.v1." + name)

    op = staticmethod(raw_ops.call)
    messages = staticmethod(_compat.build_messages)

"""Imports the originals, modules of TensorFlow 1.15, each executed once,
on top of the installed TensorFlow.

Originals of contrib are in `sys.modules` under their old names
(`tensorflow.contrib.crf.python.ops.crf`), so that pickles and `inspect` find them. The installed
TensorFlow does not change. The names that originals import from TensorFlow, and those that user
code imports from private modules, are looked up in this order:

1. the row of the name in `name_map`, if it applies to who asks,
2. the functions of generated modules, and the originals: all of `contrib`, and the modules in
   `SERVED`,
3. the installed module, or the modules that have its names now,
4. the modules of `name_map.MOVED_TO`, and at last the row of the name in any case
   (`moved_names.find`).

A name that originals do not find becomes a `MissingObject`. It raises an error when it is used, so
that the module around it still loads.
"""

from __future__ import annotations

import functools
import importlib
import importlib.machinery
import os
import sys
import threading
from types import FunctionType, ModuleType
from typing import Any, Callable

from tf1grad._compat import tf
from tf1grad.programs import _compat
from tf1grad.programs.names.dotted_names import join, prefixes, split
from tf1grad.programs.period import folder
from tf1grad.programs.process import finder
from tf1grad.run.gone_ops import raw_ops
from tf1grad.run.originals import modules_from_1_15, moved_names, name_map, rewritten_code
from tf1grad.run.originals.missing_objects import DoesNotLoad, MissingObject

ROOT, PYTHON = "tensorflow", "python"
# The originals outside of contrib, as paths below `tensorflow`; `serve` adds the op layer.
SERVED = {
    "core.kernels.boosted_trees.boosted_trees_pb2",
    "python.data.experimental.ops.iterator_ops",
    "python.ops.boosted_trees_ops",
    "python.ops.gen_boosted_trees_ops",
    "python.ops.distributions.transformed_distribution",
}

_lock = threading.RLock()
_modules: dict[str, ModuleType] = {}
_users_modules: dict[str, ModuleType] = {}
_broken: dict[str, str] = {}


def _no_earlier_name(full_name: str) -> Any:
    raise AttributeError("module {!r} has no attribute {!r}".format(*split(full_name)))


_earlier_name: Callable[[str], Any] = _no_earlier_name


@functools.lru_cache(maxsize=None)
def home() -> str:
    """Returns the folder that holds the originals; "" where they are not installed."""
    return folder.find_originals() or ""


@functools.lru_cache(maxsize=None)
def source(path: str) -> str | None:
    """Returns the file, from `tensorflow_core` on, of the original at `path`,
    such as "contrib.crf", or None.
    """
    is_served = path.startswith("contrib.") or path in SERVED
    return file_below(folder.ROOT, path.split(".")) if home() and is_served else None


def file_below(package: str, names: list[str]) -> str | None:
    """Returns the file, from an original `package` on,
    of the module with these `names` below it, or None.
    """
    base = os.path.join("", *names)
    candidates = (os.path.join(base, "__init__.py"), base + ".py")
    return next(
        (file for file in candidates if os.path.isfile(os.path.join(home(), package, file))), None
    )


def serve(earlier_name: Callable[[str], Any]) -> None:
    """Makes the modules of `modules_from_1_15` originals too;
    call it before any original is loaded.

    `earlier_name` returns the value of a name that an original had in an earlier release, by its
    full name, or raises AttributeError.
    """
    global _earlier_name
    with _lock:
        SERVED.update(modules_from_1_15.paths())
        _earlier_name = earlier_name
        _modules.clear()
        source.cache_clear()


def is_original(name: str) -> bool:
    """Says whether the module of this name, from `tensorflow` on, is an original."""
    root, _, path = name.partition(".")
    return root == ROOT and source(path) is not None


def module(path: str) -> ModuleType:
    """Returns the module at `path` below `tensorflow` ("" for `tensorflow` itself),
    as originals see it.

    An ImportError says that it does not exist; a `DoesNotLoad`, that it is an original that fails
    here.
    """
    with _lock:
        if path not in _modules:
            file = source(path)
            if file:
                _load(path, file)
            elif path.startswith("contrib."):
                raise ImportError(f"No module named 'tensorflow.{path}'", name="tensorflow." + path)
            else:
                _modules[path] = _installed_module(path)
        return _modules[path]


def users_module(path: str) -> ModuleType:
    """Returns the module at `path` below `tensorflow`,
    as user code written for TensorFlow 1.15 sees it.

    Its names are those that originals get, so that both derive from the same classes, without the
    stand-ins for originals, such as registries that ignore duplicates. A module that the installed
    TensorFlow lacks is TensorFlow 1.15's.
    """
    with _lock:
        if source(path):
            return module(path)
        if path not in _users_modules:
            _users_modules[path] = _installed_module(path, for_users=True)
        return _users_modules[path]


def _installed_module(path: str, for_users: bool = False) -> ModuleType:
    """Returns the installed module at `path`, or TensorFlow 1.15's where the
    installed TensorFlow lacks it.
    """
    try:
        return InstalledModule(path, for_users)
    except ImportError:
        if not (home() and os.path.isfile(kept(_file(path)))):
            raise
        return private_copy(path)


@functools.lru_cache(maxsize=None)
def private_copy(path: str) -> Original:
    """Executes and returns a separate copy of TensorFlow 1.15's module at `path`,
    to take single names from.
    """
    loaded = Original(path, kept(_file(path)))
    try:
        exec(rewritten_code.load_code(home(), _file(path)), vars(loaded))
    except ImportError:
        raise
    except Exception as error:
        raise DoesNotLoad(_load_error(loaded, error), name=loaded.__name__) from error
    return loaded


@functools.lru_cache(maxsize=None)
def names_of_python() -> dict[str, Any]:
    """Returns the names of `tensorflow.python` in TensorFlow 1.15, by its own file,
    as user code sees them.

    The name `platform` was Python's own module. It stays the package, whose modules earlier
    programs import.
    """
    if not home():
        return {}
    found = {}
    for name, value in list(vars(private_copy(PYTHON + ".__init__")).items()):
        value = _as_users_see(value)
        is_of_python = isinstance(value, ModuleType) and not _is_ours(value)
        if name[:2] != "__" and not (is_of_python and _is_package(name)):
            found[name] = value
    return found


def _as_users_see(value: object) -> Any:
    """Returns the user's module for one that an original sees, under whatever name;
    else the value itself.
    """
    if isinstance(value, InstalledModule) and vars(value)["__places__"]:
        root, _, path = vars(value)["__places__"][0].__name__.partition(".")
        return users_module(path) if root == ROOT else value
    return value


def _is_ours(value: object) -> bool:
    return isinstance(value, (Original, InstalledModule))


def _is_package(name: str) -> bool:
    return os.path.isdir(kept(PYTHON, name))


@functools.lru_cache(maxsize=None)
def _shadowed_packages() -> dict[str, str]:
    """Returns the packages of `tensorflow.python` whose name has a module there,
    by the path of the module.

    `tensorflow.python.ops` is the module `framework.ops`.
    """
    return {
        _path(value): name
        for name, value in names_of_python().items()
        if _is_ours(value) and _is_package(name) and _path(value) != join(PYTHON, name)
    }


def _of_shadowed_package(path: str, name: str) -> ModuleType | None:
    """Returns a module of the package that the module at `path` shadows, or None.

    `import tensorflow.python.ops.array_ops as array_ops` asks the module `framework.ops` for it.
    """
    if not names_of_python.cache_info().currsize or path not in _shadowed_packages():
        return None
    try:
        return users_module(join(PYTHON, _shadowed_packages()[path], name))
    except ImportError:
        return None


@functools.lru_cache(maxsize=None)
def _generated(path: str) -> set[str]:
    """Returns the names of the functions of TensorFlow 1.15 in a generated module;
    none of other modules.
    """
    if not (path.startswith("python.ops.gen_") and os.path.isfile(kept(_file(path)))):
        return set()
    return {
        name for name, value in vars(private_copy(path)).items() if isinstance(value, FunctionType)
    }


def kept(*parts: str) -> str:
    """Returns the path of a file of TensorFlow 1.15, given from `tensorflow_core` on."""
    return os.path.join(home(), folder.ROOT, *parts)


def _file(path: str) -> str:
    return os.path.join(*path.split(".")) + ".py"


def name(path: str, attribute: str) -> Any:
    """Returns the value of `from tensorflow.<path> import <attribute>` in an original,
    or a `MissingObject`.
    """
    try:
        return getattr(module(path), attribute)
    except (ImportError, AttributeError) as error:
        return MissingObject(join(ROOT, path, attribute), error)


def _load(path: str, file: str) -> None:
    """Executes the original at `path`; its `file` is a path from `tensorflow_core` on."""
    if path in _broken:
        raise DoesNotLoad(_broken[path])
    parent, _, last = path.rpartition(".")
    holder = module(parent)
    if path in _modules:  # its package has imported it
        return
    loaded = _modules[path] = Original(path, kept(file))
    if path.startswith("contrib."):
        sys.modules[loaded.__name__] = loaded
    try:
        exec(rewritten_code.load_code(home(), file), vars(loaded))
        _adapt(path, loaded)
    except Exception as error:
        del _modules[path]
        if path.startswith("contrib."):
            sys.modules.pop(loaded.__name__, None)
        _broken[path] = _load_error(loaded, error)
        raise DoesNotLoad(_broken[path], name=loaded.__name__) from error
    if isinstance(holder, Original) and last not in vars(holder):
        setattr(holder, last, loaded)


def _load_error(module: ModuleType, error: Exception) -> str:
    return (
        f"{module.__name__} of TensorFlow 1.15 does not load on TensorFlow {_compat.release()}: "
        f"{type(error).__name__}: {error}"
    )


def _adapt(path: str, loaded: Original) -> None:
    for function in finder.after(loaded.__name__):
        function(loaded)
    for name in name_map.names_in(path):
        setattr(loaded, name, _compat.resolve(name_map.rows()[join(path, name)]))
    for change in name_map.changes_of(path):
        _compat.resolve(change)(loaded)


class Original(ModuleType):
    """A module of TensorFlow 1.15. Submodules of a package are imported on first access."""

    def __init__(self, path: str, file: str) -> None:
        super().__init__(join(ROOT, path))
        is_package = os.path.basename(file) == "__init__.py"
        self.__file__ = file
        self.__spec__ = importlib.machinery.ModuleSpec(
            self.__name__, None, origin=file, is_package=is_package
        )
        self.__package__ = self.__spec__.parent
        if is_package:
            self.__path__ = []  # Python itself must not find the files, which it would execute unchanged
        setattr(self, rewritten_code.HELPER, Helper)

    def __getattr__(self, name: str) -> Any:
        path, full = _path(self), join(_path(self), name)
        if not name.startswith("__"):
            if source(full):
                return module(full)
            if path in name_map.REEXPORTED_MODULES:
                try:
                    return getattr(module(name_map.REEXPORTED_MODULES[path]), name)
                except DoesNotLoad:
                    raise
                except (ImportError, AttributeError):
                    pass  # an earlier release may have had it
            shadowed = _of_shadowed_package(path, name)
            if shadowed:
                return shadowed
            return _earlier_name(join(ROOT, full))
        return _no_earlier_name(join(ROOT, full))


class InstalledModule(ModuleType):
    """Shows an installed module with the names that it had in TensorFlow 1.15,
    to originals or to user code.

    Functions and classes that were looked up are kept: only setting the name through this module
    replaces them.
    """

    def __init__(self, path: str, for_users: bool = False) -> None:
        super().__init__(join(ROOT, path))
        places, error = [], None
        for place in _places(path):
            try:
                found = _compat.resolve(place) if place != ROOT else _compat.version_1("")
            except (ImportError, AttributeError) as cause:
                error = error or cause
            else:
                if isinstance(found, ModuleType):  # `place` may be a name in a module
                    places.append(found)
        has_originals_below = path in ("", "contrib", "python") or any(
            each.startswith(path + ".") for each in SERVED
        )
        if not places and not has_originals_below:
            raise error or ImportError(f"No module named {self.__name__!r}", name=self.__name__)
        vars(self).update(__places__=places, __for_users__=for_users, __path__=[])

    def __getattr__(self, name: str) -> Any:
        path = _path(self)
        value = self._find(path, name)
        if callable(value) or isinstance(value, (ModuleType, tf.DType)):
            vars(self)[name] = value
        return value

    def _find(self, path: str, name: str) -> Any:
        """Returns the value of a name, from the first source that has it."""
        for_users, full = vars(self)["__for_users__"], join(path, name)
        if for_users and path == PYTHON and name in names_of_python():
            return names_of_python()[name]
        now = name_map.find(full, for_users)
        if now == name_map.ORIGINAL:
            return getattr(private_copy(path), name)
        if now:
            return _compat.resolve(now)
        if name in _generated(path):
            return getattr(private_copy(path), name)
        see = users_module if for_users else module
        if source(full) or full in name_map.MODULES or full == "contrib":
            return see(full)
        value = self._installed(name)
        is_private_module = isinstance(value, ModuleType) and value.__name__.startswith(
            _compat.PRIVATE
        )
        if value is not _NOWHERE and not is_private_module:
            return value
        if name.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        try:
            return see(full)
        except ImportError as error:
            if is_private_module:  # another one, which the installed module imports
                return value
            if isinstance(error, ModuleNotFoundError) and not (error.name or ROOT).startswith(ROOT):
                raise  # 1.15's own module imports a package that is not installed
            return _of_shadowed_package(path, name) or moved_names.find(path, name)

    def _installed(self, name: str) -> Any:
        for place in vars(self)["__places__"]:
            if hasattr(place, name):
                return getattr(place, name)
        return _NOWHERE

    def __setattr__(self, name: str, value: object) -> None:
        places = vars(self)["__places__"]
        if places and not name.startswith("__"):
            setattr(places[0], name, value)
            self._forget(name)
        else:
            super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        delattr(vars(self)["__places__"][0], name)
        self._forget(name)

    def _forget(self, name: str) -> None:
        for twin in (_modules.get(_path(self)), _users_modules.get(_path(self))):
            if twin is not None:
                vars(twin).pop(name, None)

    def __dir__(self) -> list[str]:
        if _path(self) == PYTHON and vars(self)["__for_users__"]:
            return sorted(names_of_python())
        installed = {name for place in vars(self)["__places__"] for name in dir(place)}
        return sorted(installed.union(name_map.names_in(_path(self))))


_NOWHERE = object()


def _places(path: str) -> list[str]:
    """Returns the names of the modules that have the names of the module at
    `path`, in lookup order.
    """
    listed = [
        join(place, *rest)
        for start, rest in prefixes(path)
        for place in name_map.MODULES.get(start, [])
    ]
    return [*listed, join(ROOT, path)]


def _path(module: ModuleType) -> str:
    return module.__name__.partition(".")[2]


class Helper:
    """Holds the functions that rewritten originals call, with full names; see `rewritten_code`."""

    @staticmethod
    def module(full_name: str) -> ModuleType | MissingObject:
        try:
            return module(full_name.partition(".")[2])
        except ImportError as error:
            return MissingObject(full_name, error)

    @staticmethod
    def name(full_name: str, attribute: str) -> Any:
        return name(full_name.partition(".")[2], attribute)

    @staticmethod
    def star(full_name: str, namespace: dict[str, Any]) -> None:
        try:
            held = module(full_name.partition(".")[2])
        except DoesNotLoad:
            raise
        except ImportError:
            return  # an import of one of its names gives a `MissingObject`
        names = getattr(held, "__all__", None) or [
            key for key in dir(held) if not key.startswith("_")
        ]
        values = [(key, getattr(held, key)) for key in names]
        # Leave out the `tf`, `np` and `Any` of an installed module.
        namespace.update(
            (key, value)
            for key, value in values
            if isinstance(held, Original)
            or not (
                isinstance(value, ModuleType)
                and (key in namespace or value.__name__.rpartition(".")[2] != key)
            )
            and getattr(value, "__module__", None) != "typing"
        )

    is_installed = staticmethod(_compat.is_installed)
    resolve = staticmethod(_compat.resolve)
    op = staticmethod(raw_ops.call)
    messages = staticmethod(_compat.build_messages)


raw_ops.take_originals_from(module)

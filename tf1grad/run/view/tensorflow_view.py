"""Shows TensorFlow to user code as version 1.15 did:
compat.v1, and the names that have moved, looked up when used.

The view is in `sys.modules` as `tensorflow_1_15` (`ROOT`), beside the real `tensorflow`; its
modules call themselves `tensorflow`, `tensorflow.contrib.opt` and so on. The packages below
`contrib` are the originals. Names that TensorFlow 1.15 had dropped already, and programs of earlier
releases use, come from the table.

Threads may look up names at the same time: the value found last stays.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Callable

from tf1grad.programs import _compat
from tf1grad.programs.names import provisions
from tf1grad.programs.names.dotted_names import join, split
from tf1grad.programs.names.tensorflow_rows import CONTRIB_MODULES
from tf1grad.programs.process import finder
from tf1grad.run.originals.missing_objects import MissingObject
from tf1grad.run.view import pre_1_0_calls

ROOT = "tensorflow_1_15"
RELEASE, COMMIT = "1.15.5", "v1.15.4-39-g3db52be"


class View(ModuleType):
    """Shows a module of TensorFlow 1; `_path` is its name below `tensorflow`, "" for the whole."""

    def __init__(self, path: str) -> None:
        super().__init__(join(provisions.ROOT, path))
        self.__path__ = []
        self.__file__ = _compat.resolve("tensorflow").__file__
        self._path = path
        _found(self).update(OWN.get(path, {}))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name not in OF_THE_LIBRARY:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        value = pre_1_0_calls.taking_old_order(self._path, name, _value(self._path, name))
        _found(self)[name] = value
        return value

    @property
    def __dict__(self) -> dict[str, Any]:  # type: ignore[override]
        """Returns the names and values of the module, each looked up;
        1.15's modules have them all from the start.
        """
        for name in dir(self):
            getattr(self, name, None)
        return _found(self)

    def __dir__(self) -> list[str]:
        from tf1grad.run import op_layer  # it imports TensorFlow

        below = (
            CONTRIB_MODULES
            if self._path == "contrib"
            else [
                split(path)[1]
                for path in _views() - NOT_LISTED
                if path and split(path)[0] == self._path
            ]
        )
        return sorted({*_found(self), *op_layer.names_in(self._path), *below})

    @property
    def __all__(self) -> list[str]:
        return [name for name in dir(self) if not name.startswith("_")]

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[str]]:
        return importlib.import_module, (join(ROOT, self._path),)


# Returns the names of a view that were looked up so far.
_found: Callable[[ModuleType], dict[str, Any]] = vars(ModuleType)["__dict__"].__get__

# Facts on how the installed TensorFlow was built, which an op library that is loaded beside it has
# to match.
OF_THE_LIBRARY = ("__compiler_version__", "__cxx11_abi_flag__", "__monolithic_build__")
# Names that only views have.
OWN = {
    "": {
        "__version__": RELEASE,
        "VERSION": RELEASE,
        "__git_version__": COMMIT,
        "GIT_VERSION": COMMIT,
    },
    "version": {"VERSION": RELEASE, "GIT_VERSION": COMMIT},
    "keras": {"__version__": "2.2.4-tf"},
    "compat.v2": {"__version__": RELEASE, "__git_version__": COMMIT},
    "compat.v2.version": {"VERSION": RELEASE, "GIT_VERSION": COMMIT},
}
# Modules that `import tensorflow` did not bring, or that TensorFlow 1.15 had dropped.
NOT_LISTED = {
    "contrib.linalg",
    "contrib.lite",
    "examples",
    "examples.tutorials",
    "examples.tutorials.mnist",
    "models",
    "models.rnn",
    "tools",
    "tools.docs",
    "tools.graph_transforms",
}
# These are seen through views, because something in them is, or because TensorFlow 2 does not have
# them.
VIEWS = {
    "",
    "compat",
    "compat.v2",
    "compat.v2.compat",
    "compat.v2.version",
    "contrib",
    "keras",
    "version",
    *NOT_LISTED,
}
# Below these are private modules that commands of TensorFlow start, such as `tflite_convert` and
# `tf_upgrade_v2`.
_WITH_COMMANDS = ("lite", "tools")
# Modules that are seen as others are.
ALIASES = {
    "compat.v1": "",
    "compat.v2.compat.v1": "",
    "compat.v2.compat.v2": "compat.v2",
    "compat.v2.initializers": "compat.v2.keras.initializers",
    "compat.v2.losses": "compat.v2.keras.losses",
    "compat.v2.metrics": "compat.v2.keras.metrics",
    "compat.v2.optimizers": "compat.v2.keras.optimizers",
    "examples.tutorials.mnist.input_data": "contrib.learn.python.learn.datasets.mnist",
}


def install() -> None:
    """Makes `import tensorflow_1_15` work in this process."""
    finder.serve(
        [ROOT, ROOT + "."],
        _loader,
        first=True,
        is_package=True,
        reason="user code sees TensorFlow 1.15",
    )


def spec(fullname: str, name: str) -> ModuleSpec | None:
    """Returns the spec of the view's module `fullname`, under the user's name for it;
    None where it does not exist.
    """
    try:
        module = importlib.import_module(fullname)
    except ModuleNotFoundError:
        return None
    file = getattr(module, "__file__", None)
    return ModuleSpec(name, _loader, origin=file, is_package=hasattr(module, "__path__"))


@functools.lru_cache(maxsize=None)
def _views() -> set[str]:
    """Returns the paths of all modules that are seen through views."""
    from tf1grad.run import op_layer

    return VIEWS | pre_1_0_calls.MODULES | op_layer.modules()


def _value(path: str, name: str) -> Any:
    """Returns the value of `name` in the view `path`;
    an AttributeError where TensorFlow 1.15 had none either.

    It is looked up in this order: 1.15's contrib, the names of before 1.0, the op layer, modules,
    the installed compat.v1, and the names that 1.15 had dropped.
    """
    dotted = join(path, name)
    try:
        original = _original(dotted)
    except ImportError as error:
        return MissingObject(join(provisions.ROOT, dotted), error)
    if original:
        return original
    from tf1grad.run import op_layer

    for value_of in (pre_1_0_calls.value_of, op_layer.find):
        value = value_of(path, name)
        if value is not None:
            return value
    if dotted in _views() or dotted in ("python", "core", *ALIASES):
        return importlib.import_module(join(ROOT, dotted))
    from tf1grad.run.originals import former_signatures

    try:
        return former_signatures.of(getattr(_compat.version_1(path), name))
    except AttributeError:
        return from_table(join(provisions.ROOT, dotted))


def _original(dotted: str) -> ModuleType | None:
    """Returns the module of TensorFlow 1.15's contrib at `dotted`,
    or None where it does not exist.
    """
    from tf1grad.run.originals import loader

    return (
        loader.module(dotted) if dotted.startswith("contrib.") and loader.source(dotted) else None
    )


def from_table(full_name: str) -> Any:
    """Returns a name that TensorFlow 1.15 had removed already, from where it moved to;
    or raises AttributeError.
    """
    module, name = split(full_name)
    earlier = pre_1_0_calls.value_of(module.partition(".")[2], name)
    if earlier is not None:
        return earlier
    provision = provisions.provision_of(full_name)
    if provision and provision.target and not _is_stand_in(full_name, provision):
        with contextlib.suppress(ImportError, AttributeError):
            return _compat.resolve(provision.target)
    raise AttributeError(f"module {module!r} has no attribute {name!r}")


def _is_stand_in(full_name: str, provision: provisions.Provision) -> bool:
    """Says whether a provision is for programs that have no originals, and is not TensorFlow's own.

    The package of estimators is that of 1.15 under `run`.
    """
    if provision.kind == "original":
        return True
    is_tensorflows = provision.kind == "tensorflow" and provision.requirement is None
    is_own = is_tensorflows or provision.requirement == "tensorflow_estimator"
    return provisions.original_of(full_name) is not None and not is_own


def _create(fullname: str) -> ModuleType | None:
    """Returns the view of a module; None where something else stands there."""
    path = fullname.partition(".")[2]
    return View(path) if path in _views() else None


def _execute(module: ModuleType) -> None:
    """Puts what stands there in the place of an empty module."""
    if not isinstance(module, View):
        sys.modules[module.__name__] = _existing(module.__name__.partition(".")[2])


_loader = finder.Loader(_execute, _create)


def _existing(path: str) -> ModuleType:
    """Returns the module at `path`, where that is not a view."""
    if path in ALIASES:
        return importlib.import_module(join(ROOT, ALIASES[path]))
    # The original's package may have a function of the same name.
    found = pre_1_0_calls.module(path) or _original(path)
    if found:
        return found
    full_name = join(provisions.ROOT, path)
    root = path.partition(".")[0]
    if root == "core":
        with contextlib.suppress(ModuleNotFoundError):
            return importlib.import_module(full_name)
    if root in ("core", "python"):
        from tf1grad.run.originals import loader

        module = loader.users_module(path)
        if not isinstance(module, loader.Original):
            pre_1_0_calls.complete(path, module)
        return module
    parent, name = split(path)
    value = getattr(importlib.import_module(join(ROOT, parent)), name, None)
    if isinstance(value, ModuleType):
        return value
    if root in _WITH_COMMANDS:
        return importlib.import_module(full_name)
    raise ModuleNotFoundError(f"No module named {full_name!r}", name=full_name)

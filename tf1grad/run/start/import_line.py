"""Prepares a process at the line `import tf1grad.v1 as tf`:
the importing code and the program see TensorFlow 1.15.

The process is as under `tf1grad run` in all that concerns TensorFlow. Python, NumPy and child
processes stay as they are. One thread prepares the process: that which imports `tf1grad.v1` first.
"""

from __future__ import annotations

import functools
import sys
from types import FunctionType, ModuleType
from typing import Any, Callable

from tf1grad.programs import _compat
from tf1grad.programs._errors import UsageError
from tf1grad.programs.process import finder, messages, ownership, patches
from tf1grad.run.script import tracebacks
from tf1grad.run.start import startup, tensorflow_imports
from tf1grad.run.start.options import Options

TENSORFLOW = ("tensorflow", "tensorflow_estimator", "keras", "tf_keras")
# What the line leaves as it is.
UNCHANGED: dict[str, Any] = {"numpy": "installed", "dropped_names": False, "python": 3}
# joblib starts workers from it. They do not import the program's file, as those of multiprocessing
# do.
LOKY = ("joblib.externals.loky.backend.spawn", "loky.backend.spawn")


def provide_tensorflow(options: Options) -> ModuleType:
    """Returns TensorFlow 1.15 for the code that imports `tf1grad.v1` now;
    prepares the process if it is not.

    An ImportError says that a module of the program has imported TensorFlow
    before, or that the period layer is missing and cannot be fetched.
    """
    if _compat.is_version_1_on_path():
        return __import__("tensorflow")
    namespace = ownership.namespace_of_importer()
    if not startup.is_prepared():
        if "tensorflow" in sys.modules:
            __import__("tensorflow")  # another thread may be in the middle of it
            _refuse_early_imports()
        _prepare(options)
        tracebacks.hide_own_frames()
    ownership.include_package_of(namespace)
    return __import__("tensorflow", namespace)


def _prepare(options: Options) -> None:
    try:
        with tensorflow_imports.while_others_wait():
            startup.prepare(options._replace(**UNCHANGED, script_folder=None), only_tensorflow=True)
    except UsageError as error:
        raise ImportError(str(error)) from None
    reason = "workers of joblib find TensorFlow 1 too"
    for name in LOKY:
        finder.call_now_and_after(name, functools.partial(_prepare_workers, options), reason=reason)


class _Preparation:
    """Prepares the process that unpickles it."""

    def __init__(self, options: Options) -> None:
        self._options = options

    def __reduce__(self) -> tuple[Callable[..., None], tuple[Options]]:
        return _prepare, (self._options,)


def _prepare_workers(options: Options, spawn: ModuleType) -> None:
    """Adds a preparation to what a worker unpickles before anything else."""

    def data_of_worker(
        plain: Callable[..., dict[str, Any]], *arguments: object, **named: object
    ) -> Any:
        return {**plain(*arguments, **named), "tf1grad": _Preparation(options)}

    patches.wrap(spawn, "get_preparation_data", data_of_worker, reason="")


def _refuse_early_imports() -> None:
    """Raises an ImportError where a module of the program has TensorFlow already;
    says so where only a library has.
    """
    files = ownership.Files()
    for name, module in list(sys.modules.items()):
        names = dict(getattr(module, "__dict__", {}))
        file = names.get("__file__")
        is_users = files.are_users(file) if file else name == "__main__"
        if is_users and any(_package_of(value) in TENSORFLOW for value in names.values()):
            raise ImportError(
                f"{file or name} imported TensorFlow before the line `import tf1grad.v1 as tf`, and would keep "
                "TensorFlow 2. Put the line there, in the place of `import tensorflow` and before all other imports, "
                "and start the program again"
            )
    messages.say(
        "a library imported TensorFlow before the line `import tf1grad.v1 as tf`. If something differs from "
        "`tf1grad run`, put the line before all other imports"
    )


def _package_of(value: object) -> str:
    """Returns the top-level package of a module, class or function, "" for other objects."""
    if isinstance(value, ModuleType):
        return value.__name__.partition(".")[0]
    if isinstance(value, (type, FunctionType)):
        return str(value.__module__).partition(".")[0]
    return ""

"""Prepares a process at the line `import tf1grad.v1 as tf`: the importing code and the program see TensorFlow 1.15.

The process is as under `tf1grad run` in all that concerns TensorFlow. Python, NumPy and child processes stay as they
are. One thread prepares the process: that which imports `tf1grad.v1` first.
"""

import sys
from types import FunctionType, ModuleType
from typing import Any, Mapping

from tf1grad.old_programs import _compat
from tf1grad.old_programs._errors import UsageError
from tf1grad.old_programs.emulation import startup, tracebacks
from tf1grad.old_programs.process import messages, ownership

TENSORFLOW = ("tensorflow", "tensorflow_estimator", "keras", "tf_keras")
# What the line leaves as it is.
UNCHANGED = {"numpy": "installed", "dropped_names": False, "python": 3}


def tensorflow(options: Mapping[str, Any]) -> ModuleType:
    """Returns TensorFlow 1.15 for the code that imports `tf1grad.v1` now; prepares the process if it is not.

    `options` are those of `startup.prepare`. An ImportError says that a module of the program has imported TensorFlow
    before, or that the period layer is missing and cannot be fetched.
    """
    if _compat.is_version_1_on_path():
        return __import__("tensorflow")
    namespace = ownership.namespace_of_importer()
    if not startup.is_prepared():
        if "tensorflow" in sys.modules:
            _refuse_early_imports()
        try:
            startup.prepare({**options, **UNCHANGED, "script_folder": None}, only_tensorflow=True)
        except UsageError as error:
            raise ImportError(str(error)) from None
        tracebacks.hide_own_frames()
    ownership.include_package_of(namespace)
    return __import__("tensorflow", namespace)


def _refuse_early_imports() -> None:
    """Raises an ImportError where a module of the program has TensorFlow already; says so where only a library has."""
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


def _package_of(value: Any) -> str:
    """Returns the top-level package of a module, class or function, "" for other objects."""
    if isinstance(value, ModuleType):
        return value.__name__.partition(".")[0]
    if isinstance(value, (type, FunctionType)):
        return str(value.__module__).partition(".")[0]
    return ""

"""Serves TensorFlow 1.15's own Python files, the originals, on TensorFlow 2.

They come from the official wheel and are kept in a folder beside the environment's other data; this package does not
contain them. `run` and the command `tf1grad period install` fetch them (room `period`).
"""

from __future__ import annotations

import importlib
import types

from tf1grad.old_programs.period import folder

NOT_INSTALLED = (
    "tensorflow.contrib.%s is in TensorFlow 1.15's own contrib, which is not installed here: "
    "tf1grad period install"
)


def is_installed() -> bool:
    """Says whether the originals are installed."""
    return folder.find_originals() is not None


def contrib_module(path: str) -> types.ModuleType:
    """Returns the module of `tf.contrib` at `path`: TensorFlow's own on version 1, else the original."""
    from tf1grad.old_programs import _compat

    if _compat.is_version_1():
        return importlib.import_module("tensorflow.contrib." + path)
    from tf1grad.old_programs.originals import loader

    if not is_installed():
        raise ImportError(NOT_INSTALLED % path, name="tensorflow.contrib." + path)
    return loader.module("contrib." + path)

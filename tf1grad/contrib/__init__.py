"""The packages of `tf.contrib` at their old paths: on TensorFlow 1.15 its own, elsewhere TensorFlow 1.15's originals.

`contrib.seq2seq.BasicDecoder` is the original (`tf1grad contrib install` brings it). What tf1grad has itself, the names
that belong to gradients, needs no installation, and stands in the place of the original.
"""

from __future__ import annotations

import importlib
import sys
import types
from typing import Any, Callable

from tf1grad.old_programs.process import finder

OURS = ("estimator", "layers", "opt", "slim", "training")


def __getattr__(name: str) -> Any:
    if name in OURS:
        return importlib.import_module(f"{__name__}.{name}")
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return original(name)
    except ImportError as error:
        raise AttributeError(str(error)) from error


def original(path: str) -> types.ModuleType:
    """The module of contrib at `path`, such as "crf".

    Raises:
        ImportError: TensorFlow 1.15 had none, or has none that loads here, or is not installed.
    """
    from tf1grad.old_programs.originals import contrib_module
    return contrib_module(path)


def with_original(path: str, missing: str) -> Callable[[str], Any]:
    """The `__getattr__` of a module of ours: what it does not have itself is in the original at `path`.

    Args:
        path: below `contrib`.
        missing: the name of our module.
    """
    def find(name: str) -> Any:
        if not name.startswith("__"):
            try:
                return getattr(original(path), name)
            except ImportError as error:
                raise AttributeError(f"module {missing!r} has no attribute {name!r}: {error}") from error
        raise AttributeError(f"module {missing!r} has no attribute {name!r}")
    return find


def _put_original(module: types.ModuleType) -> None:
    """Puts the original in the place of an empty module, for import statements."""
    name = module.__name__
    sys.modules[name] = original(name[len(__name__) + 1:])


finder.serve([__name__ + "."], finder.Loader(_put_original), is_package=True,
             reason="tf1grad.contrib has TensorFlow 1.15's own modules where it has none itself")

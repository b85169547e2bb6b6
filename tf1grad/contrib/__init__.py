"""Provides the packages of `tf.contrib` at their old paths for upgraded programs; `run` serves the originals instead.

`contrib.seq2seq.BasicDecoder` is the original (`tf1grad period install` fetches it). Names that belong to gradients
are implemented in tf1grad and need no installation.
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
    """Returns the module of contrib at `path`, such as "crf"; an ImportError says why it is not to be had."""
    from tf1grad.old_programs.originals import contrib_module

    return contrib_module(path)


def with_original(path: str, missing: str) -> Callable[[str], Any]:
    """Returns a `__getattr__` for the tf1grad module `missing`: it takes other names from the original at `path`."""

    def find(name: str) -> Any:
        if not name.startswith("__"):
            try:
                return getattr(original(path), name)
            except ImportError as error:
                raise AttributeError(
                    f"module {missing!r} has no attribute {name!r}: {error}"
                ) from error
        raise AttributeError(f"module {missing!r} has no attribute {name!r}")

    return find


def _put_original(module: types.ModuleType) -> None:
    """Puts the original in the place of an empty module, for import statements."""
    name = module.__name__
    sys.modules[name] = original(name[len(__name__) + 1 :])


finder.serve(
    [__name__ + "."],
    finder.Loader(_put_original),
    is_package=True,
    reason="tf1grad.contrib has TensorFlow 1.15's own modules where it has none itself",
)

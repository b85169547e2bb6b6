"""Provides the packages of `tf.contrib` at their old paths, from TensorFlow 1.15 or from its original files.

`contrib.seq2seq.BasicDecoder` is the original (`tf1grad contrib install` fetches it). Names that belong to gradients
are implemented in tf1grad, need no installation, and replace the originals.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
import types
from typing import Any, Callable, Optional, Sequence

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
    """Returns the module of contrib at `path`, such as "crf".

    Raises:
        ImportError: TensorFlow 1.15 lacks it, it does not load here, or its files are not installed.
    """
    from tf1grad.old_programs.originals import contrib_module
    return contrib_module(path)


def with_original(path: str, missing: str) -> Callable[[str], Any]:
    """Returns a `__getattr__` for a tf1grad module that takes missing names from the original at `path`.

    Args:
        path: below `contrib`.
        missing: the name of the tf1grad module.
    """
    def find(name: str) -> Any:
        if not name.startswith("__"):
            try:
                return getattr(original(path), name)
            except ImportError as error:
                raise AttributeError(f"module {missing!r} has no attribute {name!r}: {error}") from error
        raise AttributeError(f"module {missing!r} has no attribute {name!r}")
    return find


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds `tf1grad.contrib.seq2seq`, and what is below it, for import statements."""

    def find_spec(self, name: str, path: Optional[Sequence[str]] = None,
                  target: Optional[types.ModuleType] = None) -> Optional[importlib.machinery.ModuleSpec]:
        """The spec of an original; None for all other modules."""
        if not name.startswith(__name__ + "."):
            return None
        return importlib.util.spec_from_loader(name, self, is_package=True)

    def exec_module(self, module: types.ModuleType) -> None:
        """Puts the original in the place of this empty module."""
        name = module.__name__
        sys.modules[name] = original(name[len(__name__) + 1:])


sys.meta_path.append(_Finder())  # the last to be asked: our own modules are found before

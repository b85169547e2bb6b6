"""Leaves SciPy to the functions that need it,
where TensorFlow's own modules import it in a `try` as they are loaded.

A program that only calls tf.layers has no use for its 37 MB.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any

from tf1grad.programs.process import finder, ownership

_OF_TENSORFLOW = ("keras_preprocessing", "tensorflow", "tensorflow_core")
_IMAGES = "keras_preprocessing.image."
# The modules, and the modules of SciPy that they have under a name.
_MODULES = {
    _IMAGES + "affine_transformations": {"scipy": "scipy", "ndimage": "scipy.ndimage"},
    _IMAGES + "image_data_generator": {"scipy": "scipy", "linalg": "scipy.linalg"},
}
_ENGINE = "tensorflow.python.keras.engine."
_TAKE_SPARSE = [_ENGINE + name for name in ("training", "training_arrays")]


def install() -> None:
    """Gives TensorFlow's own modules what imports SciPy when it is first used."""
    reason = "SciPy is fetched when a function needs it"
    finder.call_after(_MODULES, _give_modules, reason=reason)
    finder.call_after(_TAKE_SPARSE, _give_issparse, reason=reason)


def refuse_now(module: str) -> None:
    """Raises a `ModuleNotFoundError` where a module of TensorFlow imports SciPy in a `try`."""
    if module != "scipy":
        return
    name, (file, line) = ownership.importer()
    if name.partition(".")[0] not in _OF_TENSORFLOW:
        return
    from tf1grad.programs.source import files
    from tf1grad.run.packages import imported

    if line in imported.lines_of_guarded_imports(files.read(file).tree):
        raise ModuleNotFoundError("SciPy is imported when a function needs it", name=module)


class _Late(ModuleType):
    """Stands for a module that is imported when something of it is first used."""

    def __getattr__(self, name: str) -> Any:
        return getattr(importlib.import_module(self.__name__), name)


def _give_modules(module: ModuleType) -> None:
    for name, imported in _MODULES[module.__name__].items():
        if getattr(module, name, None) is None:
            setattr(module, name, _Late(imported))


def _give_issparse(module: ModuleType) -> None:
    if getattr(module, "issparse", None) is None:
        setattr(module, "issparse", _is_sparse)


def _is_sparse(value: object) -> bool:
    """Says whether a value is a sparse matrix: there is none before SciPy is imported."""
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and bool(sparse.issparse(value))

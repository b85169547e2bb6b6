"""Provides the functions of the module `imp` that scripts and packages used, by importlib."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import sys
import tokenize
import types
import warnings
from importlib import reload
from typing import IO, Any, Sequence, Tuple

__all__ = ["find_module", "load_module", "load_source", "new_module", "reload"]

PY_SOURCE, PY_COMPILED, C_EXTENSION, PKG_DIRECTORY, C_BUILTIN, PY_FROZEN = 1, 2, 3, 5, 6, 7
_INIT = "__init__.py"

# The end of a file's name, how it is opened, and one of the kinds above.
_Description = Tuple[str, str, int]


def find_module(
    name: str, path: Sequence[str] | None = None
) -> tuple[IO[Any] | None, str | None, _Description]:
    """Returns the open file of a module, its path and its description, for `load_module`;
    nothing is imported.

    A package has no file. Raises an `ImportError` where the module is not in the folders `path`, or
    in `sys.path`.
    """
    if path is None and name in sys.builtin_module_names:
        return None, None, ("", "", C_BUILTIN)
    spec = importlib.machinery.PathFinder.find_spec(name, path)
    if spec is None or spec.loader is None or spec.origin is None:
        raise ImportError(f"No module named {name!r}", name=name)
    if spec.submodule_search_locations:
        return None, spec.submodule_search_locations[0], ("", "", PKG_DIRECTORY)
    ends = importlib.machinery.SOURCE_SUFFIXES
    end = next((each for each in ends if spec.origin.endswith(each)), None)
    if end is not None:
        return tokenize.open(spec.origin), spec.origin, (end, "r", PY_SOURCE)
    end = os.path.basename(spec.origin)[len(name) :]
    return open(spec.origin, "rb"), spec.origin, (end, "rb", C_EXTENSION)  # noqa: SIM115


def load_module(
    name: str, file: IO[Any] | None, filename: str | None, details: _Description
) -> types.ModuleType:
    """Executes what `find_module` found as the module `name`, also again,
    and enters it in `sys.modules`.
    """
    if filename is None:
        return importlib.import_module(name)
    if details[2] == PY_SOURCE:
        return load_source(name, filename)
    is_package = details[2] == PKG_DIRECTORY
    spec = importlib.util.spec_from_file_location(
        name,
        os.path.join(filename, _INIT) if is_package else filename,
        submodule_search_locations=[filename] if is_package else None,
    )
    assert spec is not None and spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def load_source(name: str, pathname: str, file: object = None) -> types.ModuleType:
    """Executes a source file as the module `name`, and enters it in `sys.modules`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return importlib.machinery.SourceFileLoader(name, pathname).load_module()


def new_module(name: str) -> types.ModuleType:
    """Returns an empty module that is not entered in `sys.modules`."""
    return types.ModuleType(name)

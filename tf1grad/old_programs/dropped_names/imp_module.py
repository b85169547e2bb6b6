"""Provides the functions of the module `imp` that scripts used, by importlib."""

import importlib.machinery
import types
import warnings
from importlib import reload
from typing import Any

__all__ = ["load_source", "new_module", "reload"]


def load_source(name: str, pathname: str, file: Any = None) -> types.ModuleType:
    """Executes a source file as the module `name`, and enters it in `sys.modules`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return importlib.machinery.SourceFileLoader(name, pathname).load_module()


def new_module(name: str) -> types.ModuleType:
    """Returns an empty module that is not entered in `sys.modules`."""
    return types.ModuleType(name)

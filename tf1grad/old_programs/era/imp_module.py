"""Provides the functions of the module `imp` that scripts used, by importlib."""

import importlib.machinery
import importlib.util
import sys
import types
from importlib import reload
from typing import Any

__all__ = ["load_source", "new_module", "reload"]


def load_source(name: str, pathname: str, file: Any = None) -> types.ModuleType:
    """Executes a source file as the module `name`, and enters it in `sys.modules`."""
    loader = importlib.machinery.SourceFileLoader(name, pathname)
    spec = importlib.util.spec_from_file_location(name, pathname, loader=loader)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]  # a loader is given
    try:
        loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def new_module(name: str) -> types.ModuleType:
    """Returns an empty module that is not entered in `sys.modules`."""
    return types.ModuleType(name)

"""Finds names that TensorFlow 2 moved from one private module to another, and gives them to the installed modules.

Libraries that import the installed private modules under their names of TensorFlow 1, such as tf_slim, find them there.
"""

from __future__ import annotations

import functools
import importlib
import sys
import types
from typing import Any, Dict

from tf1grad._compat import tf
from tf1grad.old_programs import _compat
from tf1grad.old_programs.names.dotted_names import join
from tf1grad.old_programs.originals import border


def complete_private_modules() -> None:
    """Restores the old names of the private modules that are loaded."""
    for name in list(sys.modules):
        if name.startswith(_compat.PRIVATE):
            private_module(name)
    config: Any = importlib.import_module("tensorflow.core.protobuf.config_pb2")
    config.RPCOptions = type(config.ConfigProto().rpc_options)  # another file defines it now


def private_module(fullname: str) -> types.ModuleType:
    """Returns the module `tensorflow.python...`, with the names that later versions moved, looked up when used."""
    module = importlib.import_module(fullname)
    if "__getattr__" not in vars(module):
        setattr(module, "__getattr__", functools.partial(find, fullname.partition(".")[2]))
    return module


def find(path: str, name: str, for_users: bool = True) -> Any:
    """Returns the value that was `name` in the module at `path`, from the module that has it now."""
    now = border.find(join(path, name), for_users, is_missing=True)
    if now:
        return _compat.resolve(now)
    if path.startswith("python.") and not name.startswith("_"):
        try:
            return private_module(f"tensorflow.{path}.{name}")
        except ImportError:
            pass  # it is not a submodule
        for place in border.MOVED_TO:
            found = _names_of(_compat.PRIVATE + place).get(name)
            if found is not None and not isinstance(found, types.ModuleType):  # they import modules of such names
                return found
        if name in dir(tf):
            return getattr(tf, name)
    now = border.find(join(path, name))  # for originals only, if something else had the name
    if now:
        return _compat.resolve(now)
    raise AttributeError(f"module {join('tensorflow', path)!r} has no attribute {name!r}")


def _names_of(module: str) -> Dict[str, Any]:
    try:
        return vars(importlib.import_module(module))
    except ImportError:  # a later version added it
        return {}

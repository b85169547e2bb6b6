"""Adds dispatch to generated op functions, so that 1.15's ragged, sparse and linear-operator classes can override them.

The installed functions do not dispatch to 1.15's classes.
"""

from __future__ import annotations

import functools
import inspect
from typing import Any

from tf1grad.old_programs import _compat
from tf1grad.old_programs.originals import border, former_signatures
from tf1grad.old_programs.originals.op_layer.installed import dispatch

_MODULES = {name: module for module, names in border.DISPATCHED.items() for name in names.split()}
CHECKED = "gen_linalg_ops"


@functools.lru_cache(maxsize=None)
def __getattr__(name: str) -> Any:
    """Returns the function with dispatch; those of linear algebra also raise the errors of 1.15."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = _MODULES[name]
    place = "tf1grad.old_programs.originals.singular_matrices" if module == CHECKED else \
        "tensorflow.python.ops." + module
    function = _compat.resolve(f"{place}.{name}")
    former_signatures.remove_annotations(function)
    function.__signature__ = inspect.signature(function)  # of the function that AutoGraph's decorators wrap
    return dispatch.add_dispatch_support(function)

"""Holds the names that modules have lost, with what `run` serves for each, and resolves them."""

import builtins
import importlib
import sys
from typing import Any, Dict, List

from tf1grad.old_programs.names import other_libraries
from tf1grad.old_programs.names.rows import does_nothing
from tf1grad.old_programs.process import random_states

# module -> name -> target: "era.module:name" is ours, "module:" a module, anything else a dotted name.
ATTRIBUTES: Dict[str, Dict[str, str]] = {}
for _row in other_libraries.of_kind("name", "submodule"):
    _module, _, _name = _row.old.rpartition(".")
    if not does_nothing(_row.run):
        ATTRIBUTES.setdefault(_module, {})[_name] = _row.old + ":" if _row.kind == "submodule" else _row.run


def names() -> List[str]:
    """Returns every name that can be served."""
    return [f"{module}.{name}" for module, names in ATTRIBUTES.items() for name in names]


def effect_of(target: str) -> str:
    """Returns what serves a name, as a phrase."""
    return summary_of(resolve(target)) if is_ours(target) else f"is {target.rstrip(':')}"


def is_ours(target: str) -> bool:
    """Says whether a name is served by code of ours; otherwise it has only moved."""
    return target.startswith("era.")


def summary_of(served: Any) -> str:
    """Returns the first line of a docstring as a phrase."""
    summary: str = served.__doc__.split("\n")[0].rstrip(".")
    return summary[0].lower() + summary[1:]


def resolve(target: str) -> Any:
    """Imports and returns the object that a target names; `random` and `numpy.random` do not notice it."""
    with random_states.kept():
        return _resolve(target)


def _resolve(target: str) -> Any:
    module, colon, name = target.partition(":")
    if colon and name:
        return getattr(importlib.import_module("tf1grad.old_programs." + module), name)
    if colon:
        __import__(module)  # not `import_module`, whose frame would hide that the script asks
        return sys.modules[module]
    module, _, name = target.rpartition(".")
    if not module:
        return vars(builtins)[target] if target in vars(builtins) else importlib.import_module(target)
    return getattr(importlib.import_module(module), name)

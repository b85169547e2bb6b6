"""Puts functions in the place of TensorFlow's and Keras's own, for as long as the process lives."""

from __future__ import annotations

import functools
import importlib.abc
import importlib.machinery
import importlib.util
import sys
import types
from typing import Any, Callable, Dict, Mapping, Optional, Sequence, Tuple

from tf1grad.old_programs._compat import wrapped_module
from tf1grad.old_programs.originals import loader

# A function of the function so far.
Replacement = Callable[[Any], Any]

_HOLDERS = ("tensorflow", "tensorflow_core", "keras", "tf_keras", "tf_slim")


def replace_functions(replacements: Mapping[str, Replacement]) -> None:
    """Puts other functions in the place of functions of TensorFlow and Keras, in every module that holds the old one.

    In a module of TensorFlow 1.15 that is served in the place of an installed one they are replaced when it is loaded.

    Args:
        replacements: maps `module:name` or `module:Class.method` to a function of the function so far. A module that
            is not imported yet is changed when it is; one that this TensorFlow does not have never is.
    """
    by_module: Dict[str, Dict[str, Replacement]] = {}
    for path, replace in replacements.items():
        module, name = path.split(":")
        by_module.setdefault(module, {})[name] = replace
    for module, names in by_module.items():
        loader.changes.setdefault(module.partition(".")[2], []).append(functools.partial(_replace_in, names=names))
    late = {module: by_module.pop(module) for module in list(by_module) if module not in sys.modules}
    swapped = {}
    for module, names in by_module.items():
        swapped.update(_replace_in(sys.modules[module], names))
    for holder in [module for name, module in list(sys.modules.items()) if name.split(".")[0] in _HOLDERS and module]:
        members = vars(wrapped_module(holder))
        for name in [name for name, value in list(members.items()) if id(value) in swapped]:
            setattr(holder, name, swapped[id(members[name])][1])
    if late:
        sys.meta_path.insert(0, _LateReplacement(late))


def _replace_in(module: types.ModuleType, names: Mapping[str, Replacement]) -> Dict[int, Tuple[Any, Any]]:
    """The functions replaced and what replaced them, by the id of the former."""
    swapped = {}
    for name, replace in names.items():
        owner, _, attribute = name.rpartition(".")
        holder = getattr(module, owner, None) if owner else module
        function = getattr(holder, attribute, None)
        if function is not None:
            replacement = replace(function)
            setattr(holder, attribute, replacement)
            swapped[id(function)] = function, replacement
    return swapped


class _LateReplacement(importlib.abc.MetaPathFinder):
    """Replaces functions of modules right after they are imported."""

    def __init__(self, by_module: Dict[str, Dict[str, Replacement]]) -> None:
        self._by_module = by_module

    def find_spec(self, name: str, path: Optional[Sequence[str]] = None,
                  target: Optional[types.ModuleType] = None) -> Optional[importlib.machinery.ModuleSpec]:
        """The spec that the other finders give, with a loader that replaces after it has executed the module."""
        names = self._by_module.pop(name, {})
        spec = importlib.util.find_spec(name) if names else None
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def exec_module(module: types.ModuleType) -> None:
                execute(module)
                _replace_in(module, names)
            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec

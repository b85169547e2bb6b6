"""Replaces functions of TensorFlow and Keras, for as long as the process lives.

Threads may import at the same time; functions are replaced while TensorFlow loads, before other
threads call them.
"""

from __future__ import annotations

import functools
import sys
import types
from typing import Any, Callable, Mapping

from tf1grad.programs._compat import wrapped_module
from tf1grad.programs.process import finder, patches

# A function of the function so far.
Replacement = Callable[[Any], Any]

_HOLDERS = ("tensorflow", "tensorflow_core", "keras", "tf_keras", "tf_slim")


def replace_functions(replacements: Mapping[str, Replacement], reason: str) -> None:
    """Replaces functions of TensorFlow and Keras, in every module that holds them,
    each on top of earlier replacements.

    `replacements` maps `module:name` or `module:Class.method` to a function of the function so far.
    A module that is imported later, or 1.15's that is served in its place, is changed then. One
    that this TensorFlow lacks is left out.
    """
    by_module: dict[str, dict[str, Replacement]] = {}
    for path, replace in replacements.items():
        module, name = path.split(":")
        by_module.setdefault(module, {})[name] = replace
    swapped: dict[int, tuple[Any, Any]] = {}
    for module, names in by_module.items():
        if module in sys.modules:
            swapped.update(_replace_in(sys.modules[module], names))
        finder.call_after([module], functools.partial(_replace_in, names=names))
    for holder in [
        module
        for name, module in list(sys.modules.items())
        if name.split(".")[0] in _HOLDERS and module
    ]:
        for name, value in list(vars(wrapped_module(holder)).items()):
            if id(value) in swapped:
                setattr(holder, name, swapped[id(value)][1])
    patches.note(patches.first_of(list(replacements)), reason)


def _replace_in(
    module: types.ModuleType, names: Mapping[str, Replacement]
) -> dict[int, tuple[Any, Any]]:
    """Returns the functions replaced and what replaced them, by the id of the former."""
    swapped = {}
    for name, replace in names.items():
        owner, _, attribute = name.rpartition(".")
        holder = getattr(module, owner, None) if owner else module
        function = getattr(holder, attribute, None)
        if function is not None:
            swapped[id(function)] = function, replace(function)
            setattr(holder, attribute, swapped[id(function)][1])
    return swapped

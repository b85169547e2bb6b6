"""Gives functions of the installed TensorFlow the signatures that they had in TensorFlow 1.15.

TensorFlow 2 annotates functions, and adds arguments before `name`, which old code also passes by position. 1.15's own
files say which arguments generated functions had.
"""

from __future__ import annotations

import functools
import inspect
import os
import re
import types
from typing import Any, Callable, Dict, Set, Tuple

from tf1grad.old_programs.period import folder

_FUNCTION = re.compile(r"^def ([a-z]\w*)\(([^:]*)\):", re.MULTILINE)
_PARAMETER = re.compile(r"(?:^|, )\s*(\w+)(?==|,|$)")


def of(value: Any) -> Any:
    """Returns `value` with its former signature if it is a function of the installed TensorFlow, or unchanged."""
    if not isinstance(value, types.FunctionType) or not value.__module__.startswith(("tensorflow.", "tf1grad.")):
        return value
    remove_annotations(value)
    former = _former_parameters(value.__module__).get(value.__name__)
    added = set(inspect.signature(value).parameters) - former if former else None
    return _without(value, frozenset(added)) if added else value


@functools.lru_cache(maxsize=None)
def _former_parameters(module: str) -> Dict[str, Set[str]]:
    """Returns the parameters of each function in 1.15's file of a module with generated functions."""
    name = module.rpartition(".")[2]
    file = os.path.join(folder.find_originals() or "", folder.ROOT, "python", "ops", name + ".py")
    if not (name.startswith("gen_") or name == "script_ops") or not os.path.isfile(file):
        return {}
    with open(file, encoding="utf-8") as opened:
        return {function: set(_PARAMETER.findall(given)) for function, given in _FUNCTION.findall(opened.read())}


def remove_annotations(function: Any) -> None:
    """Removes the annotations, which 1.15's functions did not have, from a function and those that it wraps."""
    while function is not None:
        getattr(function, "__annotations__", {}).clear()
        if "__signature__" in vars(function):
            function.__signature__ = _plain(function.__signature__, set())
        function = getattr(function, "__wrapped__", None)


def _plain(signature: inspect.Signature, left_out: Set[str]) -> inspect.Signature:
    kept = [each.replace(annotation=inspect.Parameter.empty) for each in signature.parameters.values()
            if each.name not in left_out]
    return inspect.Signature(kept)


@functools.lru_cache(maxsize=None)
def _without(function: Callable[..., Any], added: Set[str]) -> Callable[..., Any]:
    """Returns a function without the `added` parameters, which keyword arguments may still set."""
    signature = inspect.signature(function)
    first = next(index for index, name in enumerate(signature.parameters) if name in added)
    former = _plain(signature, added)
    later: Tuple[str, ...] = tuple(former.parameters)[first:]

    def before(*arguments: Any, **options: Any) -> Any:
        if len(arguments) > first + len(later):
            former.bind(*arguments, **options)  # raises TypeError
        return function(*arguments[:first], **dict(zip(later, arguments[first:])), **options)

    functools.update_wrapper(before, function, updated=())
    vars(before).update({name: each for name, each in vars(function).items() if name != "_tf_decorator"})
    vars(before).pop("__wrapped__", None)
    setattr(before, "__signature__", former)
    return before

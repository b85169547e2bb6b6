"""Gives the program's `tf` what TensorFlow had before 1.0: names, and orders of arguments.

They are in one table, `names.pre_1_0`. A call with arguments in today's order does not change.
Summaries before 1.0 took their tag as given, whatever the name scope, so they do not call today's
summaries.
"""

from __future__ import annotations

import functools
import inspect
import numbers
from types import ModuleType
from typing import Any, Callable

from tf1grad.programs import _compat
from tf1grad.programs.names import pre_1_0 as table
from tf1grad.programs.names.dotted_names import join, split
from tf1grad.programs.process import patches
from tf1grad.run.dropped_names.fix_messages import warn_once

MODULES = {"", "image", "models", "models.rnn", "nn", "train"}


def value_of(path: str, name: str) -> Any:
    """Returns the pre-1.0 value of `name` in the module `path`;
    None for a name that it did not have, or still has.
    """
    value, old = _found(path, name), _gone(path, name)
    if old and value is not None and not isinstance(value, ModuleType):
        today = "the original" if name in _SUMMARIES else join("tf", old.target)
        warn_once(join("tf", path, name), f"a pre-1.0 name, replaced by {today}")
    return value


def _gone(path: str, name: str) -> table.Old | None:
    return table.find_gone(join("tensorflow", path, name))


def _found(path: str, name: str) -> Any:
    old = _gone(path, name)
    if old is None:
        return None
    if name in _SUMMARIES:
        return functools.partial(_summary, _SUMMARIES[name], old.old)
    target = _value(old.target)
    return _arranging(join("tf", path, name), old, target) if old.old else target


def taking_old_order(path: str, name: str, value: Any) -> Any:
    """Returns `value`, today's `name` in `path`,
    made to take its arguments in the pre-1.0 order as well.
    """
    _add_old_methods(join(path, name), value)
    old = table.find_kept(join("tensorflow", path, name))
    if old is None:
        return value
    return _arranging(join("tf", path, name), old, value)


def _add_old_methods(name: str, kind: object) -> None:
    for old, new in table.METHODS.get(name, {}).items():
        if not hasattr(kind, old):
            patches.patch(kind, old, getattr(kind, new), reason=f"before 1.0, {new} was {old}")


def module(path: str) -> ModuleType | None:
    """Returns the pre-1.0 module at `path` below `tensorflow`; None where there was not one."""
    value = _found(*split(path))
    return value if isinstance(value, ModuleType) else None


def complete(path: str, holder: ModuleType) -> None:
    """Gives `holder`, the installed module at `path`, the names that it had before 1.0;
    originals look them up.
    """
    for name in table.NAMES:
        parent, last = split(name)
        if parent == path and last not in dir(holder):
            setattr(holder, last, _found(parent, last))


def install_in_version_1() -> None:
    """Gives TensorFlow 1 itself, where that is installed,
    what it had before 1.0, in this process.
    """
    for path in MODULES - {"models", "models.rnn"}:
        holder = _compat.resolve(join("tensorflow", path))
        complete(path, holder)
        for name in dir(holder):
            if table.find_kept(join("tensorflow", path, name)):
                value = getattr(_compat.wrapped_module(holder), name)
                setattr(holder, name, taking_old_order(path, name, value))
    for name in table.METHODS:
        _add_old_methods(name, _compat.resolve(join("tensorflow", name)))


def _arranging(name: str, old: table.Old, target: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: object, **kwargs: object) -> Any:
        if not table.is_old_call(old, args, list(kwargs), _READING):
            return target(*args, **kwargs)
        if old.recognized_by:
            warn_once(f"{name}({', '.join(old.old)})", "the pre-1.0 order of arguments")
        try:
            positional, keywords = table.arrange_arguments(old, args, list(kwargs.items()))
        except TypeError as error:
            raise TypeError(f"{name}, as it was before 1.0: {error}") from None
        if old.recognized_by == "booleans":
            positional[1] = [axis for axis, flag in enumerate(positional[1]) if flag]
        return target(*positional, **dict(keywords))

    call.__name__, call.__doc__ = target.__name__, target.__doc__
    setattr(call, "__signature__", inspect.signature(target))  # 1.15's, which libraries compare
    return call


def _is_number(value: object) -> bool:
    return isinstance(value, numbers.Number) or getattr(value, "shape", None) == ()


def _is_labels(value: object) -> bool:
    dtype = getattr(value, "dtype", None)
    is_of_integers = getattr(dtype, "kind", "") in ("i", "u") or getattr(dtype, "is_integer", False)
    return is_of_integers or type(value).__name__ == "SparseTensor"


def _items(value: object) -> list[Any] | None:
    return list(value) if isinstance(value, (list, tuple)) else None


_READING = table.Reading(_is_number, _items, _is_labels)


def _value(path: str) -> Any:
    parent, name = split(path)
    root = "tensorflow" if _compat.is_version_1() else "tensorflow_1_15"
    holder = _compat.resolve(join(root, parent))
    if not path:
        return holder
    return getattr(_compat.wrapped_module(holder), name)  # 1.15 warns of names that are old there


def _summary(op: str, names: tuple[str, ...], *arguments: Any, **options: Any) -> Any:
    """Makes the op of a summary, with the order of arguments that the function had."""
    from tf1grad._compat import tf

    given = {**dict(zip(names, arguments)), **options}
    collections = given.pop("collections", None)
    summary = getattr(tf.raw_ops, op)(**given)
    for key in [tf.GraphKeys.SUMMARIES] if collections is None else collections:
        tf.add_to_collection(key, summary)
    return summary


_SUMMARIES = {
    "scalar_summary": "ScalarSummary",
    "histogram_summary": "HistogramSummary",
    "image_summary": "ImageSummary",
    "audio_summary": "AudioSummaryV2",
}

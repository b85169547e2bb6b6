"""Computes attributes when they are first asked for."""

from __future__ import annotations

from typing import Any, Callable, Generic, TypeVar

Value = TypeVar("Value")


class lazy(Generic[Value]):
    """An attribute that is computed when it is first asked for; Python 3.7 has no
    `functools.cached_property`.
    """

    def __init__(self, function: Callable[[Any], Value]) -> None:
        self._function = function

    def __get__(self, owner: object, kind: object) -> Value:
        value = vars(owner)[self._function.__name__] = self._function(owner)
        return value

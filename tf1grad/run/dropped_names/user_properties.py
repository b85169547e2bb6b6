"""Gives classes attributes that they have lost, for user code only:
libraries test for such names.
"""

from typing import Any, Callable

from tf1grad.programs.process import ownership, patches


def add(cls: type, name: str, get: Callable[[Any], Any]) -> None:
    """Gives a class the attribute `name`, which `get` returns for an object,
    where the class does not have it.
    """
    if not hasattr(cls, name):
        patches.patch(cls, name, _Property(name, get), reason="")


class _Property:
    def __init__(self, name: str, get: Callable[[Any], Any]) -> None:
        self._name, self._get = name, get

    def __get__(self, instance: object, owner: type) -> Any:
        if instance is None or not ownership.is_asked_by_user():
            raise AttributeError(f"{owner.__name__!r} object has no attribute {self._name!r}")
        return self._get(instance)

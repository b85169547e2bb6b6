"""Gives classes attributes that they have lost, for user code only: libraries test for such names."""

from typing import Any, Callable

from tf1grad.old_programs.process import ownership, patches


def add(cls: type, name: str, get: Callable[[Any], Any]) -> None:
    """Gives a class the attribute `name`, which `get` returns for an object, where the class does not have it."""
    if hasattr(cls, name):
        return

    def get_for_user(owner: Any) -> Any:
        if not ownership.is_asked_by_user():
            raise AttributeError(f"{type(owner).__name__!r} object has no attribute {name!r}")
        return get(owner)

    patches.patch(cls, name, property(get_for_user), reason="")

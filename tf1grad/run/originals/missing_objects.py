"""Defines the object that stands for a name which nothing provides:
importing it works, using it raises an error.
"""

from __future__ import annotations

from typing import Any


class Gone(AttributeError):
    """A name was used that TensorFlow 1.15 had and that nothing replaces."""


class DoesNotLoad(ImportError):
    """An original raises an error when it is executed on this TensorFlow;
    nothing takes its place.
    """


class MissingObject:
    """Stands where a name was, so that the rest of its module loads;
    using it raises `Gone`, because of `cause`.

    A class may derive from it; making an instance of that class raises.
    """

    def __init__(self, name: str, cause: BaseException | None = None) -> None:
        self.__dict__.update(__name__=name, __doc__=None, _cause=cause)

    def __repr__(self) -> str:
        return f"<{self.__name__}, which is not provided here>"

    def _error(self) -> AttributeError:
        reason = f" ({self._cause})" if self._cause else ""
        return Gone(
            f"{self.__name__.replace('tensorflow', 'tf', 1)} was used. TensorFlow 1.15 had it; the TensorFlow "
            f"that is installed does not{reason}."
        )

    def _used(self, *unused_args: object, **unused_kwargs: object) -> Any:
        raise self._error() from self._cause

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # copy, inspect and help ask any object for these
            raise AttributeError(f"{self!r} has no attribute {name!r}")
        return MissingObject(f"{self.__name__}.{name}", self._cause)

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type]:
        return (
            type(
                self.__name__.rpartition(".")[2],
                (),
                {"__init__": lambda *args, **kwargs: self._used()},
            ),
        )

    def __instancecheck__(self, instance: object) -> bool:
        return False  # a class that does not exist has neither instances nor subclasses

    __subclasscheck__ = __instancecheck__

    def __call__(self, *arguments: object, **options: object) -> MissingObject:
        # A decorator of the module's own functions: the decorated function may never be called.
        return (
            self if len(arguments) == 1 and not options and callable(arguments[0]) else self._used()
        )

    __getitem__ = __iter__ = __enter__ = __bool__ = __len__ = __float__ = __int__ = __index__ = (
        __setattr__
    ) = _used
    __add__ = __radd__ = __mul__ = __rmul__ = __or__ = _used

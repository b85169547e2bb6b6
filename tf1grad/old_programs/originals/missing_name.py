"""What stands for a name that an original imports and that nobody has any more: an error when it is used."""

from __future__ import annotations

from typing import Any, NoReturn, Optional, Tuple


class Gone(AttributeError):
    """A name was used that TensorFlow 1.15 had, and that nothing stands in for."""


class Missing:
    """Stands where a name was, so that the rest of its module loads; using it raises `Gone`.

    A class may derive from it; making an instance of that class raises.

    Args:
        name: the dotted name, from `tensorflow` on.
        cause: the exception with which the attempt to provide it ended, or None.
    """

    def __init__(self, name: str, cause: Optional[BaseException] = None) -> None:
        self.__dict__.update(__name__=name, __doc__=None, _cause=cause)

    def __repr__(self) -> str:
        return f"<{self.__name__}, which is gone>"

    def _used(self, *unused_args: Any, **unused_kwargs: Any) -> NoReturn:
        reason = f" ({self._cause})" if self._cause else ""
        raise Gone(f"{self.__name__.replace('tensorflow', 'tf', 1)} was used. TensorFlow 1.15 had it; the TensorFlow "
                   f"that is installed does not{reason}.") from self._cause

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # what copy, inspect and help ask of any object
            raise AttributeError(f"{self!r} has no attribute {name!r}")
        return Missing(f"{self.__name__}.{name}", self._cause)

    def __mro_entries__(self, bases: Tuple[Any, ...]) -> Tuple[type]:
        return (type(self.__name__.rpartition(".")[2], (), {"__init__": lambda *args, **kwargs: self._used()}),)

    def __instancecheck__(self, instance: Any) -> bool:
        return False  # nothing can be of a class that is not there

    def __call__(self, *arguments: Any, **options: Any) -> Missing:
        # A decorator of the module's own functions: what it decorates may never be called.
        return self if len(arguments) == 1 and not options and callable(arguments[0]) else self._used()

    __getitem__ = __iter__ = __enter__ = __bool__ = __len__ = __float__ = __int__ = __index__ = __setattr__ = _used
    __add__ = __radd__ = __mul__ = __rmul__ = __or__ = _used

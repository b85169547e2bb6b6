"""A name of TensorFlow 1 that nothing here provides: it may be imported, and says what to do when it is used."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any, Optional, Tuple, Type

from tf1grad.old_programs._compat import is_installed
from tf1grad.old_programs.names import provisions
from tf1grad.old_programs.originals import folder
from tf1grad.old_programs.process.ownership import is_users_file


class NotProvided(AttributeError):
    """A name of TensorFlow 1 was used that is gone, or that needs a package which is not installed."""


class Missing:
    """Stands where the name was; whatever is done with it raises `NotProvided`.

    Args:
        name: the dotted name, from `tensorflow` on.
        cause: the exception that the attempt to provide it ended with, or None.
    """

    def __init__(self, name: str, cause: Optional[BaseException] = None) -> None:
        self.__dict__.update(__name__=name, __doc__=None, _cause=cause)

    def __repr__(self) -> str:
        return f"<{self.__name__}, which is not provided here>"

    def __reduce__(self) -> Tuple[Type[Missing], Tuple[str]]:
        return Missing, (self.__name__,)

    def _used(self, *unused_args: Any, **unused_kwargs: Any) -> Any:
        raise NotProvided(_message(self.__name__, self._cause)) from self._cause

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__mro_entries__":  # what copy, inspect and help ask of any object
            raise AttributeError(f"{self!r} has no attribute {name!r}")
        return self._used()

    def __instancecheck__(self, instance: Any) -> bool:
        return False  # nothing can be of a class that is not there

    __subclasscheck__ = __instancecheck__
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _used
    __hash__ = object.__hash__
    __call__ = __getitem__ = __iter__ = __next__ = __contains__ = __enter__ = __exit__ = __mro_entries__ = _used
    __bool__ = __len__ = __float__ = __int__ = __index__ = __setattr__ = __setitem__ = __neg__ = __abs__ = _used
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __pow__ = _used
    __or__ = __ror__ = __and__ = __rand__ = __mod__ = __floordiv__ = __matmul__ = __rmatmul__ = _used


def _message(name: str, cause: Optional[BaseException]) -> str:
    provision = provisions.provision_of(name)
    text = f"{name.replace(provisions.ROOT, 'tf', 1)} was used{_place()}. "
    if provision is None or provision.kind == "gone":
        return text + "Nothing provides it with this TensorFlow. " + (provision.advice if provision else "")
    if provision.kind == "original":
        why = f"does not load here: {cause}" if folder.find() else "is not installed: tf1grad contrib install"
        return text + f"TensorFlow 1.15's own contrib has it, which {why}"
    if provision.requirement:
        why = _what_is_wrong(cause, provision.requirement)
        return text + f"It comes from {provision.requirement}, which {why}: pip install {_pip(provision.requirement)}"
    return text + f"It should be {provision.target}, which this TensorFlow does not have ({cause})."


def _what_is_wrong(cause: Optional[BaseException], package: str) -> str:
    return f"cannot provide it ({cause})" if is_installed(package) else "is not installed"


def _pip(package: str) -> str:
    # Its metadata asks for the full tensorflow, even where tensorflow-cpu is there.
    return "--no-deps tf_keras (of the same version as TensorFlow)" if package == "tf_keras" else package


def _place() -> str:
    """Where in the user's code: ` in train.py, line 3`, or nothing when no file of his is being run."""
    frame: Optional[FrameType] = sys._getframe(2)
    while frame is not None:
        file = frame.f_globals.get("__file__")
        if file and is_users_file(file):
            return f" in {frame.f_code.co_filename}, line {frame.f_lineno}"
        frame = frame.f_back
    return ""

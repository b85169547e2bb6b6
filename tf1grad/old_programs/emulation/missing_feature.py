"""Defines the object that scripts get for a TensorFlow 1 name that nothing provides: its error names the remedy."""

from __future__ import annotations

from typing import Optional, Tuple, Type

from tf1grad.old_programs._compat import is_installed
from tf1grad.old_programs.names import provisions
from tf1grad.old_programs.names.packages import package_of
from tf1grad.old_programs.originals import folder
from tf1grad.old_programs.originals.missing_objects import Missing
from tf1grad.old_programs.process import ownership


class NotProvided(AttributeError):
    """A TensorFlow 1 name was used that is gone, or that needs a package which is not installed."""


class MissingFeature(Missing):
    """A `Missing` for user code: its error names the line and the remedy, and every use raises, not only calls."""

    def _error(self) -> AttributeError:
        return NotProvided(_message(self.__name__, self._cause))

    def __reduce__(self) -> Tuple[Type[MissingFeature], Tuple[str]]:
        return MissingFeature, (self.__name__,)

    _attribute = __call__ = __mro_entries__ = Missing._used
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = Missing._used
    __hash__ = object.__hash__
    __next__ = __contains__ = __exit__ = __setitem__ = __neg__ = __abs__ = Missing._used
    __sub__ = __rsub__ = __truediv__ = __rtruediv__ = __pow__ = __mod__ = __floordiv__ = Missing._used
    __ror__ = __and__ = __rand__ = __matmul__ = __rmatmul__ = Missing._used


def _message(name: str, cause: Optional[BaseException]) -> str:
    provision = provisions.provision_of(name)
    text = f"{name.replace(provisions.ROOT, 'tf', 1)} was used{_place()}. "
    if provision is None or provision.kind == "gone":
        return text + "Nothing provides it with this TensorFlow. " + (provision.advice if provision else "")
    if provision.kind == "original":
        why = f"does not load here: {cause}" if folder.find_originals() else "is not installed: tf1grad contrib install"
        return text + f"TensorFlow 1.15's own contrib has it, which {why}"
    if provision.requirement:
        why = _what_is_wrong(cause, provision.requirement)
        version = " (of the same version as TensorFlow)" if provision.requirement == "tf_keras" else ""
        command = package_of(provision.requirement).command()
        return text + f"It comes from {provision.requirement}, which {why}: {command}{version}"
    return text + f"It should be {provision.target}, which this TensorFlow does not have ({cause})."


def _what_is_wrong(cause: Optional[BaseException], package: str) -> str:
    return f"cannot provide it ({cause})" if is_installed(package) else "is not installed"


def _place() -> str:
    """Returns where the user code is: ` in train.py, line 3`, or nothing where user code is not running."""
    place = ownership.place_of_user_code()
    return f" in {place[0]}, line {place[1]}" if place else ""

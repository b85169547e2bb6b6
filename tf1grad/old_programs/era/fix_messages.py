"""Says on stderr, once for each fix, that the script needed it, and where; and knows which code is the script's."""

import os
import sys
from types import FrameType
from typing import Any, List, Mapping, Optional, Set, Tuple

from tf1grad.old_programs.process import messages

Fix = Tuple[str, str]  # its name, and what it does, a phrase
_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_said: List[str] = []
_scripts: Set[str] = set()
_python_2: Set[str] = set()


def say(name: str, effect: str) -> None:
    """Notes that a fix is used.

    Args:
        name: the fix.
        effect: what it does, a phrase.
    """
    if name not in _said:
        _said.append(name)
        messages.say(f"{name} ({_caller()}): {effect}")


def used() -> List[str]:
    """The names of the fixes that were used so far, in the order of their first use."""
    return list(_said)


def remember(filename: str) -> None:
    """Notes that a file is the user's, so that his lines are named and not those of libraries.

    Args:
        filename: as its code object has it.
    """
    _scripts.add(filename)


def remember_python_2(filename: str) -> None:
    """Notes that a file of the user's is written for Python 2."""
    _python_2.add(filename)


def is_asked_by_user() -> bool:
    """Whether the code that asks now is the user's: libraries find out what there is, and are not to be misled."""
    frame = _asker()
    return frame is not None and (frame.f_code.co_filename in _scripts or _is_without_file(frame.f_globals))


def is_asked_by_python_2() -> bool:
    """Whether the code that asks now is a file of the user's that is written for Python 2."""
    frame = _asker()
    return frame is not None and frame.f_code.co_filename in _python_2


def _asker() -> Optional[FrameType]:
    """The frame of the code that asks, which is not the command's."""
    frame: Optional[FrameType] = sys._getframe(2)
    while frame is not None and _is_between(frame.f_code.co_filename) and not (
            frame.f_code.co_filename in _scripts or _is_without_file(frame.f_globals)):
        frame = frame.f_back
    return frame


def _is_without_file(namespace: Mapping[str, Any]) -> bool:
    """True for the names of a main program that has no file: a notebook, or what an interpreter was given to run."""
    return namespace.get("__name__") == "__main__" and "__file__" not in namespace


def _caller() -> str:
    """Where the user's code is, or else who asked."""
    asking = sys._getframe(1)
    frame: Optional[FrameType] = asking
    while frame is not None:
        if frame.f_code.co_filename in _scripts:
            return f"{frame.f_code.co_filename}:{frame.f_lineno}"
        frame = frame.f_back
    return asking.f_code.co_filename


def _is_between(filename: str) -> bool:
    return filename.startswith("<") or os.path.abspath(filename).startswith(_HERE)  # imports, `exec`; the command's own

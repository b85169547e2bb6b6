"""Says on stderr, once for each fix, that the script needed it, and where."""

import os
import sys

_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_said = []
_scripts = set()


def say(name, effect):
    """Notes that a fix is used.

    Args:
        name: the fix.
        effect: what it does, a phrase.
    """
    if name not in _said:
        _said.append(name)
        print("tf1grad: %s (%s): %s" % (name, _caller(), effect), file=sys.stderr)


def used():
    """The names of the fixes that were used so far, in the order of their first use."""
    return list(_said)


def remember(filename):
    """Notes that a file is the user's, so that his lines are named and not those of libraries.

    Args:
        filename: as its code object has it.
    """
    _scripts.add(filename)


def _caller():
    """Where the user's code is, or else who asked."""
    frames, frame = [], sys._getframe(1)
    while frame is not None:
        frames.append(frame)
        frame = frame.f_back
    users = [frame for frame in frames if frame.f_code.co_filename in _scripts]
    others = [frame for frame in frames if not _is_machinery(frame.f_code.co_filename)]
    frame = (users + others + frames)[0]
    return "%s:%d" % (frame.f_code.co_filename, frame.f_lineno)


def _is_machinery(filename):
    return os.path.abspath(filename).startswith(_HERE) or filename.startswith("<frozen importlib")

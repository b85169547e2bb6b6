"""Says when a program starts a Python that does not find TensorFlow 1.15:
`-I`, `env={}`, another environment.

`child_processes` tells children through the environment. What is started by `subprocess` is seen
here, if user code starts it; `os.exec*`, `os.system` and longer commands of a shell are not.
"""

from __future__ import annotations

import itertools
import os
import re
import shlex
import shutil
import sys
from types import ModuleType
from typing import Any, Mapping

from tf1grad.programs.process import finder, messages, ownership, patches
from tf1grad.run.start import child_processes

_INTERPRETER = re.compile(r"python[\d.]*(\.exe)?")
# Options before the program: flags without a value, then one that ignores the environment or the
# sitecustomize.
_ISOLATING = re.compile(r"-[bBdiOPqRsuvx]*[EIS]")


def install() -> None:
    """Watches the processes that user code starts with `subprocess` from now on."""
    finder.call_now_and_after(
        "subprocess", _watch, reason="a Python that will not find TensorFlow 1.15 is named"
    )


def python_of(file: str) -> str | None:
    """Returns the interpreter that a program is, or that its first line names;
    None if it is no Python.
    """
    try:
        with open(file, "rb") as opened:
            line = opened.readline(1000).decode(errors="replace")
    except OSError:
        return None
    if not line.startswith("#!"):
        return file if _INTERPRETER.fullmatch(os.path.basename(file)) else None
    words = line[2:].split()
    named = words[-1] if words and os.path.basename(words[0]) == "env" else "".join(words[:1])
    is_python = _INTERPRETER.fullmatch(os.path.basename(named)) is not None
    found = shutil.which(named) if is_python else None
    return python_of(found) if found else None


def is_of_this_environment(python: str) -> bool:
    """Says whether an interpreter is this one, by whatever name."""
    folder, own = map(os.path.dirname, (python, sys.executable))
    return os.path.realpath(folder) == os.path.realpath(own)


def _watch(subprocess: ModuleType) -> None:
    patches.wrap(subprocess.Popen, "__init__", _start, reason="")


def _start(start: Any, process: Any, args: Any, *more: Any, **options: Any) -> None:
    # What a library starts is its own affair: the program cannot start it otherwise.
    is_users = not ownership.is_called_by_library()
    place = ownership.place_of_user_code() if is_users else None
    environment = os.environ if options.get("env") is None else options["env"]
    if place and _is_unserved(_words(args), environment):
        messages.warn_once(
            "unserved child",
            f"{place[0]}:{place[1]} starts a Python that does not find TensorFlow 1.15. Start it without -E, -I and "
            "-S, and with all of this one's environment, as in env=dict(os.environ); or start "
            "`python -m tf1grad run SCRIPT` there.",
        )
    start(process, args, *more, **options)


def _words(args: Any) -> list[str]:
    """Returns the words of a command, as `subprocess` takes it; [] for what is no command."""
    try:
        if isinstance(args, (str, bytes)):
            return shlex.split(os.fsdecode(args))
        return [os.fsdecode(word) for word in args]
    except (TypeError, ValueError):
        return []


def _is_unserved(words: list[str], environment: Mapping[Any, Any]) -> bool:
    """Says whether a command is a Python of this environment that does not find TensorFlow 1.15."""
    if not words or "tf1grad" in words:
        return False
    file = shutil.which(words[0], path=os.pathsep.join(os.get_exec_path(environment)))
    python = python_of(file) if file else None
    if python is None or not is_of_this_environment(python):
        return False
    options = itertools.takewhile(lambda word: word.startswith("-"), words[1:])
    return (
        any(map(_ISOLATING.match, options))
        or child_processes.OPTIONS not in environment
        or child_processes.SITE not in environment.get("PYTHONPATH", "").split(os.pathsep)
    )

"""Says when a program starts a Python that does not find TensorFlow 1.15: `-I`, `env={}`, another environment.

`child_processes` tells children through the environment. What is started by `subprocess` is seen here, if user code
starts it; `os.exec*`, `os.system` and longer commands of a shell are not.
"""

from __future__ import annotations

import itertools
import os
import re
import shlex
import shutil
import sys
from types import ModuleType
from typing import Any, List, Mapping, Optional

from tf1grad.old_programs.emulation import child_processes
from tf1grad.old_programs.process import finder, messages, ownership, patches

_INTERPRETER = re.compile(r"python[\d.]*(\.exe)?")
# Options before the program: flags without a value, then one that ignores the environment or the sitecustomize.
_ISOLATING = re.compile(r"-[bBdiOPqRsuvx]*([EIS])")
_BETWEEN = ("subprocess", __name__, patches.__name__)


def install() -> None:
    """Watches the processes that user code starts with `subprocess` from now on."""
    finder.call_now_and_after(
        "subprocess", _watch, reason="a Python that will not find TensorFlow 1.15 is named"
    )


def python_of(file: str) -> Optional[str]:
    """Returns the interpreter that a program is, or that its first line names; None if it is no Python."""
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
    return os.path.realpath(os.path.dirname(python)) == os.path.realpath(
        os.path.dirname(sys.executable)
    )


def _watch(subprocess: ModuleType) -> None:
    patches.wrap(subprocess.Popen, "__init__", _start, reason="")


def _start(start: Any, process: Any, args: Any, *more: Any, **options: Any) -> None:
    place = ownership.place_of_caller(_BETWEEN)
    environment = options.get("env")
    if environment is None:
        environment = os.environ
    if place and isinstance(environment, Mapping):
        problem = _problem(_words(args), options.get("executable"), environment)
        if problem:
            messages.warn_once(
                "unserved child",
                f"{place[0]}:{place[1]} starts a Python {problem}",
            )
    start(process, args, *more, **options)


def _words(args: Any) -> List[str]:
    """Returns the words of a command, as `subprocess` takes it; [] for what is no command."""
    try:
        if isinstance(args, (str, bytes)):
            return shlex.split(os.fsdecode(args))
        return [os.fsdecode(word) for word in args]
    except (TypeError, ValueError):
        return []


def _problem(words: List[str], executable: Any, environment: Mapping[Any, Any]) -> Optional[str]:
    """Returns why a command is a Python of this environment that is not served, with the remedy, or None."""
    if not words or "tf1grad" in words:
        return None
    file = shutil.which(
        os.fsdecode(executable or words[0]), path=os.pathsep.join(os.get_exec_path(environment))
    )
    python = python_of(file) if file else None
    if python is None or not is_of_this_environment(python):
        return None
    first = itertools.takewhile(lambda word: word.startswith("-"), words[1:])
    isolating = next(filter(None, map(_ISOLATING.match, first)), None)
    if isolating:
        return (
            f"with -{isolating.group(1)}, so it does not find TensorFlow 1.15. Leave the option out, or start "
            "`python -m tf1grad run SCRIPT` there."
        )
    lacking = _lacking({os.fsdecode(name): os.fsdecode(environment[name]) for name in environment})
    if lacking:
        return (
            f"in an environment without this one's {' and '.join(lacking)}, so it does not find TensorFlow 1.15. "
            "Begin with env=dict(os.environ), and keep what PYTHONPATH has."
        )
    return None


def _lacking(environment: Mapping[str, str]) -> List[str]:
    """Returns the variables without which a child is not served."""
    path = environment.get("PYTHONPATH", "").split(os.pathsep)
    lacking = [] if child_processes.SITE in path else ["PYTHONPATH"]
    return (
        lacking if child_processes.OPTIONS in environment else [*lacking, child_processes.OPTIONS]
    )

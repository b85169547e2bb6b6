"""Starts what `tf1grad run` names that is no Python program: a shell script, `make train`, `t2t-trainer`.

Such a command takes the place of this process, so its exit code, signals and streams are its own. Every `python` that
it starts is this one, and finds TensorFlow 1.15 as children do (`child_processes`).
"""

from __future__ import annotations

import importlib.util
import os
import shlex
import shutil
import sys
import zipfile
from typing import Sequence

from tf1grad.programs import _systems
from tf1grad.programs._errors import UsageError
from tf1grad.programs.process import messages
from tf1grad.run.script import script
from tf1grad.run.start import child_processes, unserved_children


def named(words: Sequence[str]) -> list[str] | None:
    """Returns the command that the words after `tf1grad run` are, or None if they name a Python program.

    Without words it is an interactive Python, where somebody sits at a terminal.
    """
    if not words:
        return _interactive() if sys.stdin.isatty() else None
    name = words[0]
    if name == "-":
        return None
    if os.path.isfile(name):
        is_command = not _is_python(name)
    elif name in script.COMMANDS:
        return None
    else:
        is_command = shutil.which(name, path=child_processes.command_path()) is not None
        is_command = is_command and not os.path.exists(os.path.join(name, "__main__.py"))
    return list(words) if is_command else None


def start(words: list[str]) -> int:
    """Starts a command in the place of this process; on Windows, which cannot, it returns the exit code.

    The PATH is that of `child_processes.follow`, which this process has called.
    """
    name = words[0]
    file = os.path.abspath(name) if os.path.isfile(name) else shutil.which(name) or name
    _say_if_of_another_environment(words[0], file)
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        return _systems.take_place(file, words)
    except OSError as error:
        line = " ".join(map(shlex.quote, words))
        raise UsageError(
            f"can't start {name!r}: {error.strerror}. If it is a shell script: tf1grad run sh {line}"
        ) from error


def _say_if_of_another_environment(name: str, file: str) -> None:
    python = unserved_children.python_of(file)
    if python and not unserved_children.is_of_this_environment(python):
        messages.say(
            f"{name} runs with {python}, the Python of another environment, so it does not find TensorFlow 1.15. "
            f"Install it into the environment of {sys.executable}."
        )


def _interactive() -> list[str]:
    has_ipython = importlib.util.find_spec("IPython") is not None
    return [sys.executable, *(["-m", "IPython", "--ext", "tf1grad"] if has_ipython else [])]


def _is_python(file: str) -> bool:
    """Says whether a file is a Python program: its name, its first line and its bytes do not say otherwise."""
    if zipfile.is_zipfile(file) or not os.access(file, os.R_OK):
        return True
    with open(file, "rb") as opened:
        line = opened.readline(1000)
    if line.startswith(b"#!"):
        return b"python" in line
    return b"\0" not in line and not file.endswith(_systems.COMMAND_FILES)

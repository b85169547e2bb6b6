"""Starts what `tf1grad run` names that is no Python program:
a shell script, `make train`, `t2t-trainer`.

Such a command takes the place of this process, so its exit code, signals and streams are its own.
Every `python` that it starts is this one, and finds TensorFlow 1.15 as children do
(`child_processes`).
"""

from __future__ import annotations

import codecs
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
from tf1grad.programs.source import python2_syntax
from tf1grad.run.script import script
from tf1grad.run.start import child_processes, unserved_children


def find_command(words: Sequence[str]) -> list[str] | None:
    """Returns the command that the words after `tf1grad run` are,
    or None if they name a Python program.

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
    """Starts a command in the place of this process;
    on Windows, which cannot, it returns the exit code.

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
        raise UsageError(
            f"can't start {name!r}: {error.strerror}. {_remedy(file, words)}"
        ) from error


def _remedy(path: str, words: list[str]) -> str:
    """Returns what to do with a file that the system does not start."""
    start = _start_of(path)
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return f"It is {python2_syntax.UTF_16}"
    if b"\0" in start:
        return f"It is no text. If it is a model: tf1grad model inspect {shlex.quote(path)}"
    return f"If it is a shell script: tf1grad run sh {' '.join(map(shlex.quote, words))}"


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
    """Says whether a file is a Python program:
    its name, its first line and its bytes do not say otherwise.
    """
    if zipfile.is_zipfile(file) or file.endswith(".pyc") or not os.access(file, os.R_OK):
        return True
    start = _start_of(file)
    if start.startswith(b"#!"):
        return b"python" in start.splitlines()[0]
    return b"\0" not in start and not file.endswith(_systems.COMMAND_FILES)


def _start_of(file: str) -> bytes:
    with open(file, "rb") as opened:
        return opened.read(1000)

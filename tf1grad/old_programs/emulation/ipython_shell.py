"""Stands in for `get_ipython()` in a notebook, or in the export of one, that runs without IPython."""

from __future__ import annotations

import contextlib
import importlib
import os
import re
import runpy
import subprocess
import sys
from types import CodeType
from typing import Any, Callable, Match

from tf1grad.old_programs.emulation.notebook_script import without_options
from tf1grad.old_programs.process import messages, patches
from tf1grad.old_programs.source.notebooks import EXECUTED

# Magics that have nothing to do here: figures go where `--matplotlib` says, and TensorFlow 1.15 is there already.
IDLE = ("load_ext", "reload_ext", "autoreload", "config", "tensorflow_version")
COMMANDS = ("ls", "mkdir", "rm", "cp", "mv", "cat", "rmdir")
CELL_COMMANDS = ("bash", "sh")
INSTALLERS = re.compile(
    r"\s*(sudo\s+)?(\S*python\S*\s+-m\s+)?(pip\d?|conda|apt|apt-get|easy_install)\b"
)


class Shell:
    """IPython's commands and magics, as far as a program needs them; `user_ns` has the program's names."""

    def __init__(self, namespace: dict[str, Any], compiler: Callable[[str, str], CodeType]) -> None:
        self.user_ns, self._compiler = namespace, compiler

    def magic(self, line: str) -> str | None:
        """Executes a line magic, with its arguments."""
        name, _, arguments = line.lstrip("%").partition(" ")
        return self.run_line_magic(name, arguments)

    def run_line_magic(self, magic_name: str, line: str, *unused: Any) -> str | None:
        """Does what a line magic does; what it does not know is left out, and that is said."""
        if magic_name in EXECUTED:
            self._execute(without_options(line))
        elif magic_name in ("env", "set_env") and line:
            name, _, value = line.replace("=", " ", 1).partition(" ")
            os.environ[name] = value.strip()
        elif magic_name == "cd":
            os.chdir(os.path.expanduser(self._filled(line)) or ".")
        elif magic_name == "pwd":
            return os.getcwd()
        elif magic_name == "matplotlib":
            # In IPython too `matplotlib.pyplot` is there without an import.
            with contextlib.suppress(ImportError):
                importlib.import_module("matplotlib.pyplot")
        elif magic_name == "run":
            words = self._filled(line).split()
            with patches.temporarily(sys, "argv", words):
                self.user_ns.update(runpy.run_path(words[0], run_name="__main__"))
        elif magic_name in COMMANDS + ("pip", "conda", "sx", "system"):
            self.system(line if magic_name in ("sx", "system") else f"{magic_name} {line}")
        elif magic_name not in IDLE:
            messages.say(f"%{magic_name} is left out")
        return None

    def run_cell_magic(self, magic_name: str, line: str, cell: str) -> None:
        """Does what a cell magic does with a cell."""
        if magic_name in EXECUTED:
            self._execute(cell)
        elif magic_name in ("writefile", "file"):
            mode = "a" if "-a" in line.split() else "w"
            with open(line.split()[-1], mode, encoding="utf-8") as file:
                file.write(cell)
        elif magic_name in CELL_COMMANDS:
            self.system(cell)
        elif magic_name not in IDLE:
            messages.say(f"%%{magic_name} and its cell are left out")

    def system(self, command: str) -> None:
        """Runs a command of the shell; nothing is installed, since that is not the program's to decide."""
        if not _is_left_out(command):
            sys.stdout.flush()
            subprocess.call(self._filled(command), shell=True)

    def getoutput(self, command: str) -> list[str]:
        """Returns the lines that a shell command prints."""
        if _is_left_out(command):
            return []
        return subprocess.run(
            self._filled(command),
            shell=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ).stdout.splitlines()

    def _execute(self, code: str) -> None:
        exec(self._compiler(code, "<magic>"), self.user_ns)

    def _filled(self, command: str) -> str:
        """Returns a command with the values of `{name}` and `$name` that the program has; others are the shell's."""

        def value(found: Match[str]) -> str:
            name = found.group(1) or found.group(2)
            return str(self.user_ns[name]) if name in self.user_ns else found.group()

        return re.sub(r"\{(\w+)\}|\$(\w+)", value, command)


def _is_left_out(command: str) -> bool:
    """Returns True, with a message, for a command that installs packages."""
    if INSTALLERS.match(command):
        messages.say(f"!{command.strip()} is left out: `tf1grad doctor` shows what run brings")
        return True
    return False

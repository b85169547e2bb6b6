"""Lets child processes, the Pythons of this environment that the program starts,
find TensorFlow 1 as it does.

They get what they need through the environment: the folder `site`, with a sitecustomize, in
PYTHONPATH, and the options. So it works for `multiprocessing` and `subprocess`, whatever name the
Python is called by. Other Pythons are left alone.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import json
import os
import runpy
import sys
import zipfile
from types import CodeType
from typing import Any, Callable

from tf1grad.programs import _systems
from tf1grad.programs.process import ownership, patches
from tf1grad.run import python2
from tf1grad.run.script import script, tracebacks
from tf1grad.run.start.options import Options

OPTIONS = "TF1GRAD_RUN"
SITE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "site")
MAIN = "__main__"

_compiler: python2.Compiler | None = None  # of a child that runs as its parent does
_input: int | None = None  # the standard input of such a child, while Python reads another


def follow(options: Options) -> None:
    """Lets the Python processes that this one starts from now on run under `options` too."""
    share(options)
    os.environ["PATH"] = command_path()
    path = os.environ.get("PYTHONPATH")
    # A child has it in front already, and its children would get it once more.
    others = [folder for folder in path.split(os.pathsep) if folder != SITE] if path else []
    os.environ["PYTHONPATH"] = os.pathsep.join([SITE, *others])
    patches.note(
        f"environment {OPTIONS}, PYTHONPATH and PATH",
        "child processes of this Python find TensorFlow 1 too",
    )


def command_path() -> str:
    """Returns the PATH on which `python`, and the commands of packages,
    are those of this environment.
    """
    others = os.environ.get("PATH", os.defpath).split(os.pathsep)
    own = _systems.folders_of_commands()
    return os.pathsep.join([*own, *(folder for folder in others if folder not in own)])


def compiler_of_child() -> python2.Compiler | None:
    """Returns the compiler of a child that runs as its parent does, or None in another process."""
    return _compiler


def share(options: Options) -> None:
    """Gives Python processes that this one starts from now on these `options`."""
    os.environ[OPTIONS] = json.dumps(dict(options._asdict(), environment=[sys.prefix, sys.version]))


def hook_main_program(compiler: python2.Compiler) -> None:
    """Lets the interpreter, in a child, run the program that it was started
    with as `tf1grad run` does.
    """
    global _compiler
    _compiler = compiler
    patches.add_path_hook(
        _program_finder, "the program that this Python was started with runs as its parent does"
    )
    patches.wrap(
        runpy,
        "_run_module_as_main",
        _run_module,
        reason="`python -m` of a module of TensorFlow 1.15 runs that",
    )
    if _reads_its_program():
        _put_in_place_of_input(f"from {__name__} import run_input; run_input()\n")


def _run_module(plain: Callable[..., Any], name: str, *options: object) -> Any:
    if script.original_of(name) is None:
        return plain(name, *options)
    return _run(script.find_program(name, is_module=True))


def _reads_its_program() -> bool:
    """Says whether the interpreter is to read its program from standard input,
    which is no terminal.
    """
    # Python 3.7 sets the arguments later: there the input is read as Python 3 reads it.
    words = getattr(sys, "argv", None)
    is_input = words is not None and (not words or words[0] in ("", "-"))
    return is_input and not sys.flags.inspect and sys.stdin is not None and not sys.stdin.isatty()


def _put_in_place_of_input(line: str) -> None:
    """Lets the interpreter read `line` as its program,
    and keeps the true standard input for `run_input`.
    """
    global _input
    _input = os.dup(0)
    for_interpreter, ours = os.pipe()
    os.write(ours, line.encode())
    os.close(ours)
    os.dup2(for_interpreter, 0)
    os.close(for_interpreter)


def run_input() -> None:
    """Runs the program that stands in standard input."""
    assert _input is not None
    os.dup2(_input, 0)
    os.close(_input)
    _run(script.find_program("-", is_module=False)._replace(argv0=sys.argv[0]))


def _program_finder(path: str) -> _Program:
    """Finds the program that this Python was started with:
    a file, which the interpreter itself would read.
    """
    # The interpreter asks whether the file is a zip file, before any Python code runs.
    is_program = (
        ownership.is_called_by_interpreter() and os.path.isfile(path) and os.access(path, os.R_OK)
    )
    if is_program and not zipfile.is_zipfile(path):
        return _Program()
    raise ImportError("not the program")


class _Program(importlib.abc.Loader):
    def find_spec(self, name: str, target: object = None) -> importlib.machinery.ModuleSpec | None:
        return importlib.machinery.ModuleSpec(name, self) if name == MAIN else None

    def get_code(self, name: str) -> CodeType:
        return compile(f"from {__name__} import run_program; run_program()", __file__, "exec")


def run_program() -> None:
    """Runs the script that this Python was started with."""
    sys.path_importer_cache.pop(sys.path[0], None)
    _run(script.find_at_path(sys.argv[0]))


def _run(program: script.MainProgram) -> None:
    assert _compiler is not None
    with tracebacks.own_frames_hidden():
        script.run(program, sys.argv[1:], _compiler)

"""Lets child processes, the Pythons of this environment that the program starts, find TensorFlow 1 as it does.

They get what they need through the environment: the folder `site`, with a sitecustomize, in PYTHONPATH, and the
options. So it works for `multiprocessing` and `subprocess`, whatever name the Python is called by. Other Pythons are
left alone.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import json
import os
import sys
import zipfile
from types import CodeType
from typing import Any, Mapping

from tf1grad.old_programs import python2
from tf1grad.old_programs.emulation import script, tracebacks
from tf1grad.old_programs.process import ownership, patches

OPTIONS = "TF1GRAD_RUN"
SITE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "site")
MAIN = "__main__"

_compiler: python2.Compiler | None = None  # of a child that runs as its parent does


def follow(options: Mapping[str, Any]) -> None:
    """Lets the Python processes that this one starts from now on run under `options` too."""
    share(options)
    path = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = f"{SITE}{os.pathsep}{path}" if path else SITE
    patches.note(
        f"environment {OPTIONS} and PYTHONPATH",
        "child processes of this Python find TensorFlow 1 too",
    )


def compiler_of_child() -> python2.Compiler | None:
    """Returns the compiler of a child that runs as its parent does, or None in another process."""
    return _compiler


def share(options: Mapping[str, Any]) -> None:
    """Gives Python processes that this one starts from now on these `options`."""
    os.environ[OPTIONS] = json.dumps(dict(options, environment=[sys.prefix, sys.version]))


def run_main_program(compiler: python2.Compiler) -> None:
    """Lets the interpreter, in a child, run the program that it was started with as `tf1grad run` does."""
    global _compiler
    _compiler = compiler
    patches.add_path_hook(
        _program_finder, "the program that this Python was started with runs as its parent does"
    )


def _program_finder(path: str) -> _Program:
    """Finds the program that this Python was started with: a file, which the interpreter itself would read."""
    # The interpreter asks whether the file is a zip file, before any Python code runs.
    is_program = (
        ownership.is_called_by_interpreter() and os.path.isfile(path) and os.access(path, os.R_OK)
    )
    if is_program and not zipfile.is_zipfile(path):
        return _Program()
    raise ImportError("not the program")


class _Program(importlib.abc.Loader):
    def find_spec(self, name: str, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        return importlib.machinery.ModuleSpec(name, self) if name == MAIN else None

    def get_code(self, name: str) -> CodeType:
        return compile(f"from {__name__} import run_program; run_program()", __file__, "exec")


def run_program() -> None:
    """Runs the script that this Python was started with."""
    sys.path_importer_cache.pop(sys.path[0], None)
    assert _compiler is not None
    with tracebacks.own_frames_hidden():
        script.run(script.at_path(sys.argv[0]), sys.argv[1:], _compiler.main)

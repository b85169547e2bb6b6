"""Finds, reads and compiles the script before TensorFlow is imported, and runs it as Python runs `__main__`."""

from __future__ import annotations

import builtins
import importlib.util
import linecache
import os
import re
import sys
import traceback
import types
import zipfile
from importlib.machinery import BuiltinImporter, ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType
from typing import Any, Dict, List, Optional, Tuple, Union

from tf1grad.old_programs._errors import UsageError
from tf1grad.old_programs.emulation import ipython_shell, notebook_script, script_source
from tf1grad.old_programs.process import messages, patches
from tf1grad.old_programs.source.notebooks import SUFFIX

# The code of a program, and the attributes of its `__main__` module.
Loaded = Tuple[CodeType, Dict[str, Any]]
ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 3))


class Script:
    """Loads the program at a path: a file, or a folder or zip file with a `__main__.py`; else raises a UsageError."""

    def __init__(self, path: str) -> None:
        if not os.path.exists(path):
            raise UsageError(f"can't open file {path!r}: no such file or directory{_module_hint(path)}")
        self.argv0 = path
        is_file = not os.path.isdir(path) and not (os.path.isfile(path) and zipfile.is_zipfile(path))  # also a pipe
        self.folder = os.path.dirname(os.path.realpath(path)) if is_file else path
        if is_file:
            file = os.path.abspath(path) if sys.version_info >= (3, 9) else path
            self._source = script_source.read(path)
            self._attributes: Dict[str, Any] = dict(__file__=file, __spec__=None, __package__=None, __cached__=None,
                                    __loader__=SourceFileLoader("__main__", file))
        else:
            spec = PathFinder.find_spec("__main__", [path])
            if spec is None:
                raise UsageError(f"can't find '__main__' module in {path!r}: name the script to run")
            loader: Any = spec.loader
            self._source = loader.get_source("__main__").encode("utf-8")
            self._attributes = dict(__file__=spec.origin, __spec__=spec, __package__="", __loader__=loader)
        self.asks_ipython = notebook_script.is_export(self._source)

    def load(self, compiler: script_source.Compiler) -> Loaded:
        """Returns the code, made by `compiler(source, filename)`, and the attributes of its `__main__` module."""
        return script_source.compiled(self._source, self._attributes["__file__"], compiler), self._attributes


class NotebookFile:
    """Loads the program in a notebook; a UsageError for another file."""

    asks_ipython = True

    def __init__(self, path: str) -> None:
        self.argv0, self._file, self.folder = path, os.path.abspath(path), os.path.dirname(os.path.realpath(path))
        try:
            self._notebook = notebook_script.NotebookScript(script_source.read(path).decode("utf-8-sig"))
        except ValueError as error:
            raise UsageError(f"{path!r} is not a notebook: {error}") from error

    def load(self, compiler: script_source.Compiler) -> Loaded:
        """Returns the code of its cells, and the attributes of its `__main__` module."""
        source = self._notebook.source
        linecache.cache[self._file] = len(source), None, source.splitlines(True), self._file
        patches.patch(sys, "excepthook", traceback.print_exception, shared=True,
                      reason="tracebacks show lines of the notebook's cells")
        attributes = dict(__file__=self._file, __spec__=None, __package__=None, __loader__=None)
        try:
            return script_source.compiled(source.encode("utf-8"), self._file, compiler, self._notebook.mark), attributes
        except SyntaxError as error:
            self._say_where(error.lineno)
            raise

    def print_cell(self, error: Exception) -> None:
        """Says in which cell an error happened."""
        lines = [line for frame, line in traceback.walk_tb(error.__traceback__)
                 if frame.f_code.co_filename == self._file]
        self._say_where(lines[-1] if lines else None)

    def _say_where(self, line: Optional[int]) -> None:
        if line:
            cell, line = self._notebook.place(line)
            messages.say(f"{self.argv0}: the error is in cell {cell}, line {line}")


class Input:
    """Loads the program that comes through standard input."""

    argv0 = "-"
    folder = ""
    asks_ipython = False

    def load(self, compiler: script_source.Compiler) -> Loaded:
        """Returns the code, and the attributes of its `__main__` module, which does not have a file."""
        source = sys.stdin.buffer.read()
        self.asks_ipython = notebook_script.is_export(source)
        return script_source.compiled(source, "<stdin>", compiler), dict(
            __spec__=None, __package__=None, __loader__=BuiltinImporter)


class Module:
    """Loads the program in a module, or in a package's `__main__`, as `python -m` finds it."""

    asks_ipython = False

    def __init__(self, name: str) -> None:
        if name.endswith(".py"):
            raise UsageError(f"no module named {name}: -m takes the name of a module, without .py")
        self.argv0, self._name, self.folder = "-m", name, os.getcwd()

    def load(self, compiler: script_source.Compiler) -> Loaded:
        """Returns the code, and the attributes of its `__main__` module; imports the packages around it."""
        spec = _found(self._name)
        if spec.submodule_search_locations is not None:
            spec = _found(self._name + ".__main__")
        loader: Any = spec.loader
        source = loader.get_source(spec.name)
        if source is None or spec.origin is None:
            raise UsageError(f"no source for {self._name}")
        self.argv0 = spec.origin
        return script_source.compiled(source.encode("utf-8"), spec.origin, compiler), dict(
            __file__=spec.origin, __spec__=spec, __package__=spec.parent, __loader__=loader, __cached__=spec.cached)


Program = Union[Script, NotebookFile, Input, Module]


def named(name: str, is_module: bool) -> Program:
    """Returns the program that the command line names; a UsageError where there is none."""
    if name == "-" and not is_module:
        return Input()
    if name.endswith(SUFFIX) and os.path.isfile(name):
        return NotebookFile(name)
    return (Module if is_module else Script)(name)


def run(program: Program, arguments: List[str], compiler: script_source.Compiler) -> None:
    """Runs a program in this process, as its main program."""
    sys.argv[:] = [program.argv0] + arguments
    set_first_path(program.folder)
    code, attributes = program.load(compiler)
    sys.argv[0] = program.argv0
    main = types.ModuleType("__main__")
    main.__dict__.update(__builtins__=builtins, __annotations__={}, **attributes)
    sys.modules["__main__"] = main
    if program.asks_ipython:
        ipython = ipython_shell.Shell(main.__dict__, compiler)
        main.__dict__.update(get_ipython=lambda: ipython, display=print)
    try:
        exec(code, main.__dict__)
    except Exception as error:
        if isinstance(program, NotebookFile):
            program.print_cell(error)
        raise


def set_first_path(folder: str) -> None:
    """Puts `folder` where Python puts that of a script, in place of what it put there to start this command."""
    if not (sys.flags.isolated or getattr(sys.flags, "safe_path", False)):
        sys.path[0] = folder
    if ROOT not in map(os.path.abspath, sys.path):
        sys.path.append(ROOT)  # tf1grad was found in the current folder


def _module_hint(path: str) -> str:
    return f". To run a module: tf1grad run -m {path}" if re.match(r"[\w.]+$", path) and path[-3:] != ".py" else ""


def _found(name: str) -> ModuleSpec:
    try:
        spec = importlib.util.find_spec(name)
    except ModuleNotFoundError as error:
        raise UsageError(f"error while finding module {name!r} ({error})") from error
    if spec is None or spec.loader is None:
        raise UsageError(f"no module named {name}")
    return spec

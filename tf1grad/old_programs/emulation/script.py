"""Finds, reads and compiles the script before TensorFlow is imported, and runs it as Python runs `__main__`."""

from __future__ import annotations

import builtins
import functools
import importlib.util
import linecache
import os
import pathlib
import re
import sys
import traceback
import types
import zipfile
from importlib.machinery import (
    BuiltinImporter,
    ModuleSpec,
    PathFinder,
    SourceFileLoader,
    SourcelessFileLoader,
)
from typing import Any, Callable, NamedTuple

from tf1grad.old_programs._errors import UsageError
from tf1grad.old_programs.emulation import ipython_shell, notebook_script
from tf1grad.old_programs.process import messages, patches, raised_errors
from tf1grad.old_programs.source.notebooks import SUFFIX

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 3))

# The `main` of a `python2.Compiler`: takes the source, the file, and a sign that it is Python 2, or None.
Compiler = Callable[..., types.CodeType]


class Source(NamedTuple):
    """Holds a program's text, its file as code objects name it, and the attributes of its `__main__` module.

    Other attributes are those of an empty module. `mark` is a known sign that it is Python 2. A compiled file has its
    `code`, and no text.
    """

    text: bytes
    file: str
    attributes: dict[str, Any]
    mark: str | None = None
    code: types.CodeType | None = None


class Program(NamedTuple):
    """Describes a program: its `sys.argv[0]`, its folder, the function that reads it, and its notebook if it is one."""

    argv0: str
    folder: str
    read: Callable[[], Source]
    notebook: notebook_script.NotebookScript | None = None


def named(name: str, is_module: bool) -> Program:
    """Returns the program that the command line names; a UsageError where there is none."""
    if is_module:
        return Program("-m", os.getcwd(), functools.partial(_read_module, name))
    if name == "-":
        return Program("-", "", _read_input)
    return _in_notebook(name) if name.endswith(SUFFIX) and os.path.isfile(name) else at_path(name)


def in_words(code: str) -> Program:
    """Returns the program that is the word after `-c`."""
    source = Source(code.encode("utf-8"), "<string>", {"__loader__": BuiltinImporter})
    return Program("-c", "", lambda: source)


def at_path(path: str) -> Program:
    """Returns the program at a path: a file, or a folder or zip file with a `__main__.py`; else raises a UsageError."""
    if not os.path.exists(path):
        hint = f". To run a module: tf1grad run -m {path}" if _is_name_of_module(path) else ""
        raise UsageError(f"can't open file {path!r}: no such file or directory{hint}")
    if os.path.isdir(path) or os.path.isfile(path) and zipfile.is_zipfile(path):  # not a pipe
        spec = PathFinder.find_spec("__main__", [path])
        if spec is None:
            raise UsageError(f"can't find '__main__' module in {path!r}: name the script to run")
        source = _of_spec(spec, __package__="")
        return Program(path, path, lambda: source)
    file = os.path.abspath(path) if sys.version_info >= (3, 9) else path
    if path.endswith(".pyc"):
        return Program(path, os.path.dirname(os.path.realpath(path)), lambda: _read_compiled(file))
    loader = SourceFileLoader("__main__", file)
    source = Source(_read(path), file, dict(__file__=file, __cached__=None, __loader__=loader))
    return Program(path, os.path.dirname(os.path.realpath(path)), lambda: source)


def _is_name_of_module(name: str) -> bool:
    """Says whether `name` is that of a module or package in the current folder or an installed one."""
    is_name = re.match(r"[\w.]+$", name) is not None and not name.endswith(".py")
    first = name.split(".")[0]
    return is_name and PathFinder.find_spec(first, [os.getcwd(), *sys.path]) is not None


def _read_compiled(file: str) -> Source:
    """Reads a compiled file, which only the Python that wrote it can run."""
    loader = SourcelessFileLoader("__main__", file)
    try:
        code = loader.get_code("__main__")
    except (ImportError, EOFError) as error:
        raise UsageError(
            f"{file!r} cannot be run by this Python: {error}. Run the .py file that it was made from"
        ) from error
    return Source(b"", file, dict(__file__=file, __cached__=None, __loader__=loader), code=code)


def _in_notebook(path: str) -> Program:
    """Returns the program in a notebook, whose tracebacks show lines of its cells; a UsageError for another file."""
    file = os.path.abspath(path)
    try:
        notebook = notebook_script.NotebookScript(_read(path).decode("utf-8-sig"))
    except ValueError as error:
        raise UsageError(f"{path!r} is not a notebook: {error}") from error

    def read() -> Source:
        linecache.cache[file] = len(notebook.source), None, notebook.source.splitlines(True), file
        patches.patch(
            sys,
            "excepthook",
            traceback.print_exception,
            reason="tracebacks show lines of the notebook's cells",
        )
        return Source(notebook.source.encode("utf-8"), file, {"__file__": file}, notebook.mark)

    return Program(path, os.path.dirname(os.path.realpath(path)), read, notebook)


def _read_input() -> Source:
    """Reads standard input."""
    attributes = {"__file__": "<stdin>", "__loader__": BuiltinImporter}
    return Source(sys.stdin.buffer.read(), "<stdin>", attributes)


def _read_module(name: str) -> Source:
    """Reads a module, or a package's `__main__`, as `python -m` does; imports the packages around it."""
    spec = _found(name)
    if spec.submodule_search_locations is not None:
        spec = _found(name + ".__main__")
    return _of_spec(spec, __package__=spec.parent, __cached__=spec.cached)


def _of_spec(spec: ModuleSpec, **attributes: Any) -> Source:
    loader: Any = spec.loader
    source = loader.get_source(spec.name)
    if source is None or spec.origin is None:
        raise UsageError(f"no source for {spec.name}")
    return Source(
        source.encode("utf-8"),
        spec.origin,
        dict(__file__=spec.origin, __spec__=spec, __loader__=loader, **attributes),
    )


def run(
    program: Program, arguments: list[str], compiler: Compiler, serves_exports: bool = True
) -> None:
    """Runs a program in this process, as its main program; `compiler(source, filename, mark)` makes its code.

    If `serves_exports`, scripts that were notebooks have `get_ipython`, which IPython alone has.
    """
    sys.argv[:] = [program.argv0] + arguments
    set_first_path(program.folder)
    source = program.read()
    if program.argv0 == "-m":
        sys.argv[0] = source.file
    try:
        code = source.code or _compiled(source.text, source.file, compiler, source.mark)
        main = types.ModuleType("__main__")
        main.__dict__.update(__builtins__=builtins, __annotations__={}, **source.attributes)
        sys.modules["__main__"] = main
        # An export of a notebook has it without an import of IPython.
        if program.notebook or serves_exports and b"get_ipython()" in source.text:
            ipython = ipython_shell.Shell(main.__dict__, compiler)
            main.__dict__.update(get_ipython=lambda: ipython, display=print)
        exec(code, main.__dict__)
    except Exception as error:
        if program.notebook:
            _say_cell(program.notebook, source.file, program.argv0, error)
        raise


def _say_cell(
    notebook: notebook_script.NotebookScript, file: str, name: str, error: Exception
) -> None:
    lines = [line for each, line in raised_errors.places(error.__traceback__) if each == file]
    if lines:
        cell, line = notebook.place(lines[-1])
        messages.say(f"{name}: the error is in cell {cell}, line {line}")


def set_first_path(folder: str) -> None:
    """Puts `folder` where Python puts that of a script, in place of what it put there to start this command."""
    if not (sys.flags.isolated or getattr(sys.flags, "safe_path", False)):
        sys.path[0] = folder
    if ROOT not in map(os.path.abspath, sys.path):
        sys.path.append(ROOT)  # tf1grad was found in the current folder


def _found(name: str) -> ModuleSpec:
    try:
        spec = importlib.util.find_spec(name)
    except ModuleNotFoundError as error:
        raise UsageError(f"error while finding module {name!r} ({error})") from error
    if spec is None or spec.loader is None:
        raise UsageError(f"no module named {name}")
    return spec


def _read(path: str) -> bytes:
    """Returns the bytes of a file; a UsageError where it cannot be read."""
    try:
        return pathlib.Path(path).read_bytes()
    except OSError as error:
        raise UsageError(f"can't open file {path!r}: {error.strerror}") from error


def _compiled(source: bytes, file: str, compiler: Compiler, mark: str | None) -> types.CodeType:
    """Returns the code of a main program; `mark` is a known sign that it is Python 2, or None."""
    try:
        return compiler(source, file, mark)
    except SyntaxError:
        if importlib.util.find_spec("fissix") is None:
            messages.say(f"if {file} is written for Python 2: fissix reads it, pip install fissix")
        raise

"""Finds, reads and compiles the script before TensorFlow is imported,
and runs it as Python runs `__main__`.
"""

from __future__ import annotations

import builtins
import functools
import importlib.util
import linecache
import os
import pathlib
import re
import sys
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

from tf1grad.programs import _compat
from tf1grad.programs._errors import UsageError
from tf1grad.programs._installers import install_line
from tf1grad.programs._suggestions import meant_file
from tf1grad.programs.period import folder, layer
from tf1grad.programs.process import messages
from tf1grad.programs.source import python2_syntax
from tf1grad.programs.source.notebooks import SUFFIX, Notebook
from tf1grad.run import python2

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 3))
# Commands of TensorFlow 1.15 that TensorFlow 2 lacks, or has with other behavior, and their
# modules.
COMMANDS = {
    "freeze_graph": "tensorflow.python.tools.freeze_graph",
    "estimator_ckpt_converter": "tensorflow_estimator.python.estimator.tools.checkpoint_converter",
    "saved_model_cli": "tensorflow.python.tools.saved_model_cli",
}

FIND_MODULE = "Modules are looked for in the current folder and among the installed packages"
TENSORBOARD = (
    "TensorBoard reads the event files of every TensorFlow, and needs no tf1grad. To install it: {}"
)


class MainSource(NamedTuple):
    """Holds a program's text, its file as code objects name it,
    and the attributes of its `__main__` module.

    Other attributes are those of an empty module. A compiled file has its `code`, and no text.
    """

    text: bytes
    file: str
    attributes: dict[str, Any]
    code: types.CodeType | None = None


class MainProgram(NamedTuple):
    """Describes a program: its `sys.argv[0]`, its folder, and the function that reads it."""

    argv0: str
    folder: str
    read: Callable[[], MainSource | Notebook]


def find_program(name: str, is_module: bool) -> MainProgram:
    """Returns the program that the command line names; a UsageError where there is none."""
    is_missing = not _compat.is_installed("tensorboard") if is_module else not os.path.exists(name)
    if name.partition(".")[0] == "tensorboard" and is_missing:
        raise UsageError(TENSORBOARD.format(install_line(["tensorboard"])))
    if is_module:
        return MainProgram("-m", os.getcwd(), functools.partial(_read_module, name))
    if name == "-":
        return MainProgram("-", "", _read_input)
    if name in COMMANDS and not os.path.exists(name):
        return MainProgram(name, os.getcwd(), functools.partial(_read_module, COMMANDS[name]))
    return (
        _in_notebook(name) if name.endswith(SUFFIX) and os.path.isfile(name) else find_at_path(name)
    )


def take_words(code: str) -> MainProgram:
    """Returns the program that is the word after `-c`."""
    source = MainSource(code.encode("utf-8"), "<string>", {"__loader__": BuiltinImporter})
    return MainProgram("-c", "", lambda: source)


def find_at_path(path: str) -> MainProgram:
    """Returns the program at a path: a file, or a folder or zip file with a `__main__.py`;
    else raises a UsageError.
    """
    if not os.path.exists(path):
        is_module = _is_name_of_module(path)
        hint = f" To run a module: tf1grad run -m {path}" if is_module else meant_file(path)
        raise UsageError(f"can't open file {path!r}: no such file or directory.{hint}")
    if os.path.isdir(path) or os.path.isfile(path) and zipfile.is_zipfile(path):  # not a pipe
        spec = PathFinder.find_spec("__main__", [path])
        if spec is None:
            raise UsageError(f"can't find '__main__' module in {path!r}: name the script to run")
        source = _of_spec(spec, __package__="")
        return MainProgram(path, path, lambda: source)
    file = os.path.abspath(path) if sys.version_info >= (3, 9) else path
    if path.endswith(".pyc"):
        return MainProgram(
            path, os.path.dirname(os.path.realpath(path)), lambda: _read_compiled(file)
        )
    loader = SourceFileLoader("__main__", file)
    source = MainSource(_read(path), file, dict(__file__=file, __cached__=None, __loader__=loader))
    return MainProgram(path, os.path.dirname(os.path.realpath(path)), lambda: source)


def _is_name_of_module(name: str) -> bool:
    """Says whether `name` is that of a module or package in the current
    folder or an installed one.
    """
    is_name = re.match(r"[\w.]+$", name) is not None and not name.endswith(".py")
    first = name.split(".")[0]
    return is_name and PathFinder.find_spec(first, [os.getcwd(), *sys.path]) is not None


def _read_compiled(file: str) -> MainSource:
    """Reads a compiled file, which only the Python that wrote it can run."""
    loader = SourcelessFileLoader("__main__", file)
    try:
        code = loader.get_code("__main__")
    except (ImportError, EOFError) as error:
        raise UsageError(
            f"{file!r} cannot be run by this Python: {error}. Run the .py file that it was made from"
        ) from error
    return MainSource(b"", file, dict(__file__=file, __cached__=None, __loader__=loader), code=code)


def _in_notebook(path: str) -> MainProgram:
    """Returns the program in a notebook; a UsageError for another file,
    or a notebook of another language.
    """
    try:
        notebook = Notebook(_read(path).decode("utf-8-sig"))
    except ValueError as error:
        raise UsageError(f"{path!r} cannot be run as a notebook: {error}") from error
    return MainProgram(path, os.path.dirname(os.path.realpath(path)), lambda: notebook)


def _read_input() -> MainSource:
    """Reads standard input; a UsageError where it is closed."""
    if sys.stdin is None:
        raise UsageError("- is standard input, which is closed. Name the SCRIPT to run")
    attributes = {"__file__": "<stdin>", "__loader__": BuiltinImporter}
    return MainSource(sys.stdin.buffer.read(), "<stdin>", attributes)


def _read_module(name: str) -> MainSource:
    """Reads a module, or a package's `__main__`, as `python -m` does;
    imports the packages around it.
    """
    original = original_of(name)
    if original is not None:
        return original
    place = _original_place(name)
    if place is not None and os.path.isdir(place):
        raise UsageError(
            f"no module named {name}.__main__; {name!r} is a package and cannot be directly executed"
        )
    spec = _found(name)
    if spec.submodule_search_locations is not None:
        spec = _found(name + ".__main__")
    return _of_spec(spec, __package__=spec.parent, __cached__=spec.cached)


def original_of(name: str) -> MainSource | None:
    """Returns a module of TensorFlow 1.15 that is to run as the program;
    None for any other, and on 1.15 itself.
    """
    place = _original_place(name)
    for file in [] if place is None else [place + ".py", os.path.join(place, "__main__.py")]:
        if os.path.isfile(file):
            return MainSource(_read(file), file, {"__file__": file, "__package__": None})
    return None


def _original_place(name: str) -> str | None:
    """Returns the path, without an ending, that a module of TensorFlow 1.15 has or would
    have; None for any other.
    """
    root, _, path = name.partition(".")
    top = {"tensorflow": folder.ROOT, folder.ESTIMATOR: folder.ESTIMATOR}.get(root)
    originals = folder.find_originals()
    if top is None or originals is None or _compat.is_version_1_on_path():
        return None
    return os.path.join(originals, top, *path.split("."))


def _of_spec(spec: ModuleSpec, **attributes: object) -> MainSource:
    loader: Any = spec.loader
    source = loader.get_source(spec.name)
    if source is None or spec.origin is None:
        raise UsageError(f"no source for {spec.name}")
    return MainSource(
        source.encode("utf-8"),
        spec.origin,
        dict(__file__=spec.origin, __spec__=spec, __loader__=loader, **attributes),
    )


def run(
    program: MainProgram,
    arguments: list[str],
    compiler: python2.Compiler,
    serves_exports: bool = True,
) -> None:
    """Runs a program in this process, as its main program.

    If `serves_exports`, scripts that were notebooks have `get_ipython`, which IPython alone has.
    """
    sys.argv[:] = [program.argv0] + arguments
    set_first_path(program.folder)
    source = program.read()
    if isinstance(source, Notebook):
        _shells().run(source, program.argv0, compiler)
        return
    if program.argv0 == "-m":
        sys.argv[0] = source.file
    code = source.code or _compiled(source.text, source.file, compiler)
    if source.file.startswith("<"):  # tracebacks, and imports that may fail, look for its lines
        text = source.text.decode("utf-8", "replace")
        lines = text.splitlines(keepends=True)
        linecache.cache[source.file] = (len(text), None, lines, source.file)
    main = types.ModuleType("__main__")
    main.__dict__.update(__builtins__=builtins, __annotations__={}, **source.attributes)
    sys.modules["__main__"] = main
    # An export of a notebook has it without an import of IPython.
    if serves_exports and b"get_ipython()" in source.text:
        main.__dict__.update(
            get_ipython=lambda: _shells().make_for_export(main, compiler),
            display=_display,
        )
    exec(code, main.__dict__)


def _shells() -> Any:
    """Returns the module of IPython's shells; brings IPython where it is not installed."""
    layer.add_ipython()
    from tf1grad.run.script import ipython_shell

    return ipython_shell


def _display(*shown: object, **options: object) -> Any:
    """Shows objects, as the function that IPython adds to the names of a notebook."""
    layer.add_ipython()
    from IPython.display import display

    return display(*shown, **options)


def set_first_path(folder: str) -> None:
    """Puts `folder` where Python puts that of a script,
    in place of what it put there to start this command.
    """
    if not (sys.flags.isolated or getattr(sys.flags, "safe_path", False)):
        sys.path[0] = folder
    if ROOT not in map(os.path.abspath, sys.path):
        sys.path.append(ROOT)  # tf1grad was found in the current folder


def _found(name: str) -> ModuleSpec:
    if name.endswith(".py") and os.path.isfile(name):
        module = os.path.splitext(os.path.normpath(name))[0].replace(os.sep, ".")
        raise UsageError(f"-m takes the name of a module, {module}; leave -m out to run {name}")
    try:
        spec = importlib.util.find_spec(name)
    except ModuleNotFoundError as error:
        raise UsageError(f"error while finding module {name!r} ({error}). {FIND_MODULE}") from error
    if spec is None or spec.loader is None:
        raise UsageError(f"no module named {name}. {FIND_MODULE}")
    return spec


def _read(path: str) -> bytes:
    """Returns the bytes of a file; a UsageError where it cannot be read."""
    try:
        return pathlib.Path(path).read_bytes()
    except OSError as error:
        raise UsageError(f"can't open file {path!r}: {error.strerror}") from error


def _compiled(source: bytes, file: str, compiler: python2.Compiler) -> types.CodeType:
    """Returns the code of a main program."""
    try:
        return compiler.main(source, file)
    except SyntaxError as error:
        if python2_syntax.is_of_code(error) and importlib.util.find_spec("fissix") is None:
            messages.say(f"if {file} is written for Python 2: fissix reads it, pip install fissix")
        raise

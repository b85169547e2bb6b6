"""The script: found, read and compiled before TensorFlow is imported, then run as `__main__` as Python runs it."""

import importlib.util
import os
import pkgutil
import re
import sys
import tokenize
import types
from importlib.machinery import SourceFileLoader

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 3))

# What Python 3 says about what only Python 2 reads.
PYTHON_2 = re.compile(r"Missing parentheses in call|multiple exception types must be parenthesized|"
                      r"leading zeros in decimal|invalid hexadecimal literal|invalid decimal literal|"
                      r"inconsistent use of tabs|unindent does not match")
PYTHON_2_LINE = re.compile(r"""^\s*(print\s+[^\s(=.,]|exec\s+["'\w]|raise\s+\w+\s*,|except\s+[\w.]+\s*,\s*\w+\s*:)|"""
                           r"""<>|\b[uU][rR]["']|`\w+`""")


class CannotStart(Exception):
    """There is nothing to run."""


class Program:
    """Code, and what it finds in its `__main__` module and in `sys`.

    Args:
        code: the compiled code.
        argv0: `sys.argv[0]`.
        folder: what comes first in `sys.path`.
        attributes: those of the module `__main__`.
    """

    def __init__(self, code, argv0, folder, **attributes):
        self.code, self.argv0, self.folder, self.attributes = code, argv0, folder, attributes

    def run(self, arguments):
        """Runs it in this process as its main program."""
        main = types.ModuleType("__main__")
        main.__dict__.update(__builtins__=sys.modules["builtins"], __annotations__={}, **self.attributes)
        sys.modules["__main__"] = main
        sys.argv[:] = [self.argv0] + arguments
        set_first_path(self.folder)
        exec(self.code, main.__dict__)


def set_first_path(folder):
    """Puts `folder` where Python puts that of a script, in place of what it put there to start this command."""
    if not (sys.flags.isolated or getattr(sys.flags, "safe_path", False)):
        sys.path[0] = folder
    if ROOT not in map(os.path.abspath, sys.path):
        sys.path.append(ROOT)  # tf1grad was found in the current folder


def from_path(path):
    """The program at `path`: a file, or a folder or zip file with a `__main__.py`.

    Raises:
        CannotStart: there is none.
        SyntaxError: it cannot be compiled.
    """
    if os.path.isfile(path) and not path.endswith((".zip", ".pyz", ".egg")):
        file = os.path.abspath(path) if sys.version_info >= (3, 9) else path
        return Program(_compiled(_read(path), file), path, os.path.dirname(os.path.realpath(path)), __file__=file,
                       __spec__=None, __package__=None, __loader__=SourceFileLoader("__main__", file), __cached__=None)
    if not os.path.exists(path):
        raise CannotStart("can't open file %r: no such file or directory%s" % (path, _module_hint(path)))
    importer = pkgutil.get_importer(path)
    spec = importer and importer.find_spec("__main__")
    if spec is None:
        raise CannotStart("can't find '__main__' module in %r: name the script to run" % path)
    file = os.path.join(path, "__main__.py")
    return Program(spec.loader.get_code("__main__"), path, path, __file__=file, __spec__=spec, __package__="",
                   __loader__=spec.loader)


def _module_hint(path):
    return ". To run a module: tf1grad run -m %s" % path if re.match(r"[\w.]+$", path) and path[-3:] != ".py" else ""


def from_module(name):
    """The program in the module, or in the package's `__main__`, that `name` names, as `python -m` finds it.

    Raises:
        CannotStart: there is none.
    """
    set_first_path(os.getcwd())
    spec = _found(name)
    if spec.submodule_search_locations is not None:
        spec = _found(name + ".__main__")
    code = spec.loader.get_code(spec.name)
    if code is None:
        raise CannotStart("no code object available for %s" % name)
    return Program(code, spec.origin, os.getcwd(), __file__=spec.origin, __spec__=spec, __package__=spec.parent,
                   __loader__=spec.loader, __cached__=spec.cached)


def _found(name):
    try:
        spec = importlib.util.find_spec(name)
    except ModuleNotFoundError as error:
        raise CannotStart("error while finding module %r (%s)" % (name, error)) from error
    if spec is None or spec.loader is None:
        raise CannotStart("no module named %s%s" % (
            name, " (without .py: -m takes a module)" if name.endswith(".py") else ""))
    return spec


def _read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise CannotStart("can't open file %r: %s" % (path, error.strerror)) from error


def _compiled(source, file):
    _check_encoding(source, file)
    try:
        return compile(source, file, "exec", dont_inherit=True)
    except SyntaxError as error:
        if is_python_2(error):
            print("tf1grad run: %s is written for Python 2. `tf1grad check %s` says what has to change."
                  % (file, file), file=sys.stderr)
        raise
    except ValueError as error:  # null bytes, on older versions
        raise SyntaxError(str(error), (file, None, None, None)) from None


def is_python_2(error):
    """True when Python 3 stumbled over something that Python 2 reads."""
    return bool(PYTHON_2.search(error.msg or "") or PYTHON_2_LINE.search(error.text or ""))


def _check_encoding(source, file):
    """Says as Python does that a file is not what it says, which `compile` says less well.

    Raises:
        SyntaxError: the source is not UTF-8, and has no coding line.
    """
    lines = iter(source.splitlines(True))
    encoding, _ = tokenize.detect_encoding(lambda: next(lines, b""))
    if encoding not in ("utf-8", "utf-8-sig"):
        return
    for number, line in enumerate(source.splitlines(True), 1):
        try:
            line.decode("utf-8")
        except UnicodeDecodeError as error:
            raise SyntaxError(
                "Non-UTF-8 code starting with '\\x%02x' in file %s on line %d, but no encoding declared; see "
                "https://peps.python.org/pep-0263/ for details" % (line[error.start], file, number),
                (file, number, None, None)) from None

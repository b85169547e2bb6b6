"""The script: found, read and compiled before TensorFlow is imported, then run as `__main__` as Python runs it."""

import builtins
import importlib.util
import os
import re
import sys
import tokenize
import types
import zipfile
from importlib.machinery import PathFinder, SourceFileLoader

from tf1grad.commands.usage import UsageError

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 3))

# What Python 3 says about what only Python 2 reads.
PYTHON_2 = re.compile(r"Missing parentheses in call|multiple exception types must be parenthesized|"
                      r"leading zeros in decimal|invalid hexadecimal literal|invalid decimal literal|"
                      r"inconsistent use of tabs|unindent does not match")
PYTHON_2_LINE = re.compile(r"""^\s*(print\s+[^\s(=.,]|exec\s+["'\w]|raise\s+\w+\s*,|except\s+[\w.]+\s*,\s*\w+\s*:)|"""
                           r"""<>|\b[uU][rR]["']|`\w+`|(?<![\w.])0\d+(?![\w.])""")


class Script:
    """The program at a path: a file, or a folder or zip file with a `__main__.py`.

    Args:
        path: the path.

    Raises:
        UsageError: there is none.
    """

    def __init__(self, path):
        if not os.path.exists(path):
            raise UsageError("can't open file %r: no such file or directory%s" % (path, _module_hint(path)))
        self.argv0 = path
        is_file = not os.path.isdir(path) and not (os.path.isfile(path) and zipfile.is_zipfile(path))  # also a pipe
        self.folder = os.path.dirname(os.path.realpath(path)) if is_file else path
        if is_file:
            file = os.path.abspath(path) if sys.version_info >= (3, 9) else path
            self._source = _read(path)
            self._attributes = dict(__file__=file, __spec__=None, __package__=None, __cached__=None,
                                    __loader__=SourceFileLoader("__main__", file))
        else:
            spec = PathFinder.find_spec("__main__", [path])
            if spec is None:
                raise UsageError("can't find '__main__' module in %r: name the script to run" % path)
            self._source = spec.loader.get_source("__main__").encode("utf-8")
            self._attributes = dict(__file__=spec.origin, __spec__=spec, __package__="", __loader__=spec.loader)

    def load(self, compiler):
        """The code, made by `compiler(source, filename)`, and the attributes of its `__main__` module."""
        return compiled(self._source, self._attributes["__file__"], compiler), self._attributes


class Module:
    """The program in a module, or in a package's `__main__`, as `python -m` finds it.

    Args:
        name: the module's name.

    Raises:
        UsageError: it is the name of a file.
    """

    def __init__(self, name):
        if name.endswith(".py"):
            raise UsageError("no module named %s: -m takes the name of a module, without .py" % name)
        self.argv0, self._name, self.folder = "-m", name, os.getcwd()

    def load(self, compiler):
        """The code, and the attributes of its `__main__` module; the packages around it are imported.

        Raises:
            UsageError: there is no such module.
        """
        spec = _found(self._name)
        if spec.submodule_search_locations is not None:
            spec = _found(self._name + ".__main__")
        source = spec.loader.get_source(spec.name)
        if source is None:
            raise UsageError("no source for %s" % self._name)
        self.argv0 = spec.origin
        return compiled(source.encode("utf-8"), spec.origin, compiler), dict(
            __file__=spec.origin, __spec__=spec, __package__=spec.parent, __loader__=spec.loader,
            __cached__=spec.cached)


def run(program, arguments, compiler):
    """Runs a `Script` or `Module` in this process, as its main program."""
    sys.argv[:] = [program.argv0] + arguments
    set_first_path(program.folder)
    code, attributes = program.load(compiler)
    sys.argv[0] = program.argv0
    main = types.ModuleType("__main__")
    main.__dict__.update(__builtins__=builtins, __annotations__={}, **attributes)
    sys.modules["__main__"] = main
    exec(code, main.__dict__)


def set_first_path(folder):
    """Puts `folder` where Python puts that of a script, in place of what it put there to start this command."""
    if not (sys.flags.isolated or getattr(sys.flags, "safe_path", False)):
        sys.path[0] = folder
    if ROOT not in map(os.path.abspath, sys.path):
        sys.path.append(ROOT)  # tf1grad was found in the current folder


def _module_hint(path):
    return ". To run a module: tf1grad run -m %s" % path if re.match(r"[\w.]+$", path) and path[-3:] != ".py" else ""


def _found(name):
    try:
        spec = importlib.util.find_spec(name)
    except ModuleNotFoundError as error:
        raise UsageError("error while finding module %r (%s)" % (name, error)) from error
    if spec is None or spec.loader is None:
        raise UsageError("no module named %s" % name)
    return spec


def _read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise UsageError("can't open file %r: %s" % (path, error.strerror)) from error


def compiled(source, file, compiler):
    """The code of a main program.

    Args:
        source: bytes.
        file: where they are from.
        compiler: a function of both.

    Raises:
        SyntaxError: as Python words it; that it is Python 2 has been said then.
    """
    _check_encoding(source, file)
    try:
        return compiler(source, file)
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
    try:
        encoding, _ = tokenize.detect_encoding(lambda: next(lines, b""))
    except SyntaxError:  # the first lines themselves, or a coding line that `compile` will complain about
        encoding = "utf-8"
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

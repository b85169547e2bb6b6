"""Reads the source of a main program, and compiles it with the errors that Python would print."""

from __future__ import annotations

import importlib.util
import re
import sys
import tokenize
from types import CodeType
from typing import Callable, Optional

from tf1grad.old_programs._errors import UsageError

# The `main` of a `python2.Compiler`: takes the source, the file, and a sign that it is Python 2, or None.
Compiler = Callable[..., CodeType]
# Python 3's errors in code that only Python 2 reads.
PYTHON_2 = re.compile(r"Missing parentheses in call|multiple exception types must be parenthesized|"
                      r"leading zeros in decimal|invalid hexadecimal literal|invalid decimal literal|"
                      r"inconsistent use of tabs|unindent does not match")
PYTHON_2_LINE = re.compile(r"""^\s*(print\s+[^\s(=.,]|exec\s+["'\w]|raise\s+\w+\s*,|except\s+[\w.]+\s*,\s*\w+\s*:)|"""
                           r"""<>|\b[uU][rR]["']|`\w+`|(?<![\w.])0\d+(?![\w.])""")


def read(path: str) -> bytes:
    """Returns the bytes of a file; a UsageError where it cannot be read."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise UsageError(f"can't open file {path!r}: {error.strerror}") from error


def compiled(source: bytes, file: str, compiler: Compiler, mark: Optional[str] = None) -> CodeType:
    """Returns the code of a main program; `mark` is a known sign that it is Python 2, or None.

    A SyntaxError is that of Python, after a message where the program is Python 2.
    """
    _check_encoding(source, file)
    try:
        return compiler(source, file, mark)
    except SyntaxError as error:
        if is_python_2(error):
            advice = f"and `tf1grad check {file}` says what has to change" if importlib.util.find_spec("fissix") \
                else "which fissix reads: pip install fissix"
            print(f"tf1grad run: {file} is written for Python 2, {advice}.", file=sys.stderr)
        raise
    except ValueError as error:  # null bytes, on older versions
        raise SyntaxError(str(error), (file, None, None, None)) from None


def is_python_2(error: SyntaxError) -> bool:
    """Returns True where Python 3 failed at something that Python 2 reads."""
    return bool(PYTHON_2.search(error.msg or "") or PYTHON_2_LINE.search(error.text or ""))


def _check_encoding(source: bytes, file: str) -> None:
    """Raises the SyntaxError of Python's command line for a wrong encoding, which is clearer than that of `compile`."""
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
                f"Non-UTF-8 code starting with '\\x{line[error.start]:02x}' in file {file} on line {number}, but no "
                "encoding declared; see https://peps.python.org/pep-0263/ for details",
                (file, number, None, None)) from None

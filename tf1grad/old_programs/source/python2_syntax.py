"""The syntax of Python 2 as a tree of Python 3: by fissix, line for line, so that tracebacks show the right ones."""

import ast
import io
import tokenize
import warnings
from typing import Optional, Set, Union

# Only what Python 3 cannot read. What it reads with another meaning is left to `meaning` and `functions`.
FIXERS = ("except", "exec", "ne", "numliterals", "paren", "print", "raise", "repr", "throw", "tuple_params", "unicode")
TAB = 8


def tree(source: Union[str, bytes], filename: str) -> ast.Module:
    """The `ast.Module` of a module.

    Args:
        source: bytes or a string.
        filename: what errors name.

    Raises:
        SyntaxError: it is no Python 3.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the compiler says it again
        # Not `ast.parse`, which a traceback would show.
        return compile(source, filename, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)  # type: ignore[return-value]


def translated(source: Union[str, bytes], filename: str) -> Optional[ast.Module]:
    """The same of a module in Python 2; None where it is none, or fissix is not installed."""
    try:
        translation = text(_decoded(source))
        return None if translation is None else tree(translation, filename)
    except SyntaxError:
        return None


def _decoded(source: Union[str, bytes]) -> str:
    if isinstance(source, str):
        return source
    encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
    return io.TextIOWrapper(io.BytesIO(source), encoding, newline=None).read()


def text(source: str) -> Optional[str]:
    """A text in Python 2 as one that Python 3 reads, line for line; None where it is none, or fissix is missing."""
    try:
        from fissix import pgen2, refactor
    except ImportError:
        return None
    source = _untabbed(source if source.endswith("\n") else source + "\n")
    for options in ({}, {"print_function": True}):
        tool = refactor.RefactoringTool(["fissix.fixes.fix_" + name for name in FIXERS], options)
        try:
            return _without_coding(str(tool.refactor_string(source, "<python 2>")))
        except (pgen2.parse.ParseError, pgen2.tokenize.TokenError, SyntaxError, AttributeError):
            continue
    return None


def _untabbed(text: str) -> str:
    """`text` with the tabs of its indentation as the spaces that Python 2 took them for."""
    inside = _lines_inside_strings(text)
    return "".join(line if number in inside else _indented(line)
                   for number, line in enumerate(text.splitlines(True), 1))


def _indented(line: str) -> str:
    rest = line.lstrip(" \t")
    return line[:len(line) - len(rest)].expandtabs(TAB) + rest


def _lines_inside_strings(text: str) -> Set[int]:
    """The numbers of the lines that begin within a string."""
    from fissix.pgen2 import token
    from fissix.pgen2 import tokenize as old_tokenize
    inside: Set[int] = set()
    try:
        for kind, _, (first, _), (last, _), _ in old_tokenize.generate_tokens(io.StringIO(text).readline):
            if kind == token.STRING:
                inside.update(range(first + 1, last + 1))
    except (old_tokenize.TokenError, SyntaxError):
        pass
    return inside


def _without_coding(text: str) -> str:
    """A text that is decoded: its coding line may name what Python 3 does not know."""
    return text.replace("\ufeff", "", 1)

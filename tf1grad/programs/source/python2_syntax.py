"""Translates Python 2 by fissix: in full, or for `run` line for line,
so that tracebacks show the right lines.
"""

from __future__ import annotations

import ast
import codecs
import contextlib
import functools
import importlib.util
import io
import re
import sys
import tokenize
import warnings
from typing import Any, Mapping, Sequence

from tf1grad.programs.period import layer
from tf1grad.programs.source import python3_signs

# Only the syntax that Python 3 cannot read. The room `python2` handles syntax with another meaning.
FIXERS = (
    "except",
    "exec",
    "ne",
    "numliterals",
    "paren",
    "print",
    "raise",
    "repr",
    "throw",
    "tuple_params",
)
# Fixers that are not used: `import` cannot know how a file is started, `sorted` takes
# `numpy.sort(array)` for a comparison, and the others rename variables and attributes as well. Rule
# TFG002 renames the builtin functions.
LEFT_OUT = ("import", "sorted", "basestring", "buffer", "long", "raw_input", "reduce", "unicode")
# The functions and the method that fixers know by their bare names.
BUILTINS = (
    "apply",
    "execfile",
    "filter",
    "has_key",
    "input",
    "intern",
    "map",
    "reload",
    "xrange",
    "zip",
)
# A comment or a string; the group matches only for triple-quoted strings.
_STRINGS = re.compile(
    r"#[^\n]*|(\"\"\"|''').*?(?<!\\)\1|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.S
)


# A comment; the prefix and the rest of a string; or a name that became a keyword in Python 3.
_NAMES = re.compile(
    r"#[^\n]*|(?<!\w)([bBuUrR]{0,2})"
    r"((\"\"\"|''').*?(?<!\\)\3|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*')"
    r"|\b(async|await|nonlocal)\b",
    re.S,
)
_ESCAPES = re.compile(r"(\\+)(u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|['\"](?!$))?")
_PARAMETER = "__a_parameter"  # stands behind such a name while fixers work
_FIRST_LINES = 4096  # bytes, which hold the two lines that may name the encoding
_OTHER_NEXT = re.compile(r"\bdef[ \t]+(?:next[ \t]*\([ \t]*\w+[ \t]*,|__next__\b)")
WRITE_ENCODING = "Write its encoding in the first line, such as `# -*- coding: latin-1 -*-`"
UTF_16 = "UTF-16, which Python does not read: save it as UTF-8"
NO_TEXT = "it is no text, but a picture, a model or the like"
# What no text has, in whatever 8-bit encoding: control characters but tabs, ends of lines, form
# feeds and escapes.
_OF_NO_TEXT = re.compile(rb"[\0-\x08\x0e-\x1a\x1c-\x1f]")
LATER_KEYWORDS = re.compile(r"\b(async|await|nonlocal)\b")
RENAMED = {"async": "async_", "await": "await_", "nonlocal": "nonlocal_"}
# Python reads the wide letter as the plain one, but only after it has looked for keywords.
_WIDE = {"async": "\uff41sync", "await": "\uff41wait", "nonlocal": "\uff4eonlocal"}


def parse_python3(source: str | bytes, filename: str) -> ast.Module:
    """Parses a module of Python 3; raises SyntaxError."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the compiler repeats them
        # Not `ast.parse`, which a traceback would show.
        module = compile(source, filename, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
    assert isinstance(module, ast.Module)
    text = source if isinstance(source, str) else source.decode("latin-1")
    if "print" in text and ">>" in text:  # most modules need no walk over their tree
        _refuse_prints_to_files(module, filename)
    return module


def parse_with_old_names(source: str | bytes, filename: str) -> ast.Module:
    """Parses a module as `parse_python3` does, also one with names such as `async`,
    which Python 3.6 read as well.
    """
    try:
        return parse_python3(source, filename)
    except SyntaxError:
        with contextlib.suppress(SyntaxError):
            text_of_module = decode_module(source, filename)
            if LATER_KEYWORDS.search(text_of_module):
                return parse_python3(replace_keywords(text_of_module, _WIDE), filename)
        raise


def reason_of_bytes(data: bytes) -> str | None:
    """Returns why bytes that cannot be decoded are no Python,
    whatever their encoding; None for text.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return f"it is {UTF_16}"
    return NO_TEXT if _OF_NO_TEXT.search(data) else None


def is_of_code(error: SyntaxError) -> bool:
    """Says whether an error is about the code of a module, and not about its bytes."""
    return not any(words in str(error) for words in (WRITE_ENCODING, UTF_16, NO_TEXT))


def decode_module(source: str | bytes, filename: str) -> str:
    """Returns the text of a module; raises SyntaxError for a byte that the
    module's encoding does not have.
    """
    if isinstance(source, str):
        return source
    try:
        try:
            return importlib.util.decode_source(source)
        except SyntaxError:  # it names no line if the first ones are not UTF-8
            source.decode("utf-8")
            raise
    except UnicodeDecodeError as error:
        remedy = f"byte 0x{source[error.start]:02x} is not {error.encoding}. {WRITE_ENCODING}"
        reason = reason_of_bytes(source) or remedy
        line = source.count(b"\n", 0, error.start) + 1
        raise SyntaxError(reason, (filename, line, None, None)) from None


def _refuse_prints_to_files(module: ast.Module, filename: str) -> None:
    """Raises SyntaxError for `print >>file, x`,
    which Python 3 parses as a tuple, but cannot execute.
    """
    for node in ast.walk(module):
        if (
            isinstance(node, ast.BinOp)
            and isinstance(node.op, ast.RShift)
            and python3_signs.name_of(node.left) == "print"
            and not python3_signs.has_sign(module)
        ):
            place = (filename, node.lineno, node.col_offset + 1, "print >>")
            raise SyntaxError("print >> is a statement of Python 2", place)


def parse_python2(source: str | bytes, filename: str) -> ast.Module | None:
    """Parses a module of Python 2; returns None where it is not Python 2, or fissix is missing."""
    try:
        translation = translate_text(decode_module(source, filename))
        return None if translation is None else parse_python3(translation, filename)
    except SyntaxError:
        return None


def is_python_2(source: bytes, filename: str) -> bool:
    """Says whether fissix reads a module as Python 2, which Python 3 refuses."""
    try:
        module = decode_module(source, filename)
    except SyntaxError:
        return False
    return apply_fixers(expand_tabs(module), filename, ()) is not None


def encoding_of(source: bytes) -> str:
    """Returns the encoding of a file, by its first two lines,
    which may end with CR; raises SyntaxError.
    """
    start = re.sub(b"\r\n?", b"\n", source[:_FIRST_LINES])
    return tokenize.detect_encoding(io.BytesIO(start).readline)[0]


def translate_text(source: str) -> str | None:
    """Translates Python 2 into text that Python 3 reads, line for line;
    None where fissix is missing or cannot.
    """
    translation = apply_fixers(expand_tabs(source), "<python 2>", FIXERS)
    return translation and translation.replace("\ufeff", "", 1)


def has_fissix() -> bool:
    """Says whether fissix can be imported; the first program of Python 2 brings
    that of the period layer.
    """
    if "fissix" not in sys.modules and importlib.util.find_spec("fissix") is None:
        layer.add_readers()
    try:
        import fissix
    except ImportError:
        return False
    # Its cache needs a home that can be written, and Python 3.7 cannot read what newer Pythons
    # leave there.
    fissix.driver.load_grammar = functools.partial(
        fissix.load_grammar, gp="", save=False, force=True
    )
    return True


def apply_fixers(source: str, path: str, fixers: Sequence[str] | None = None) -> str | None:
    """Applies fixers of fissix to a text; None where fissix cannot read it, or is missing.

    `fixers` are names; None stands for all but those in `LEFT_OUT`. A builtin function or `has_key`
    that the file defines itself stays. Where `print` is a function, `fix_print` does not apply.
    """
    if not has_fissix():
        return None
    from fissix import pgen2, refactor

    ended = source if source.endswith("\n") else source + "\n"
    ended = replace_keywords(ended, RENAMED if fixers is None else _WIDE, is_python_2=True)
    names = ["fissix.fixes.fix_" + name for name in fixers or ()]
    if fixers is None:
        names = refactor.get_fixers_from_package("fissix.fixes")
    for print_function in (False, True):
        with contextlib.suppress(
            pgen2.parse.ParseError, pgen2.tokenize.TokenError, SyntaxError, AttributeError
        ):
            return _fixed(ended, path, names, print_function)[
                : None if source.endswith("\n") else -1
            ]
    return None


def replace_keywords(source: str, names: Mapping[str, str], is_python_2: bool = False) -> str:
    """Replaces names that are keywords now by those in `names`,
    and in Python 2 strings such as ur"".

    fissix leaves the former, and does not read `nonlocal` as a name.
    """

    def readable(match: re.Match[str]) -> str:
        prefix, string, _, name = match.groups()
        if name:
            return names[name]
        is_raw = is_python_2 and prefix is not None and prefix.lower() == "ur"
        return "u" + _ESCAPES.sub(_doubled, string) if is_raw else match.group()

    return _NAMES.sub(readable, source)


def _doubled(match: re.Match[str]) -> str:
    """Doubles backslashes, except those of \\u and those that keep a quote in the string."""
    backslashes, following = match.group(1), match.group(2) or ""
    if following[:1] in ("'", '"'):
        return backslashes * 2 + "\\" + following
    is_escape = following and len(backslashes) % 2
    return (backslashes[1:] * 2 + "\\" if is_escape else backslashes * 2) + following


def _fixed(source: str, path: str, names: Sequence[str], print_function: bool) -> str:
    from fissix import refactor

    features = refactor._detect_future_features(source)
    print_function = print_function or "print_function" in features
    options = {"print_function": print_function}
    tree = refactor.RefactoringTool([], options).driver.parse_string(source)
    tree.future_features = features
    _mark_parameters(tree)
    left_out = {*LEFT_OUT, *(name for name in BUILTINS if _is_own(name, source))}
    if print_function:
        left_out.add("print")
    if _OTHER_NEXT.search(source):  # not the one that iterators had
        left_out.add("next")
    chosen = [name for name in names if name.rpartition(".fix_")[2] not in left_out]
    _tool(tuple(chosen), print_function).refactor_tree(tree, path)
    return str(tree).replace(_PARAMETER, "")


def _mark_parameters(tree: Any) -> None:
    """Changes the names of parameters that are named like builtin functions,
    so that no fixer takes them for these.
    """
    for leaf in [each for each in tree.leaves() if each.value in BUILTINS and _is_parameter(each)]:
        leaf.value += _PARAMETER


def _is_parameter(leaf: Any) -> bool:
    """Says whether a name is a parameter of a function around it."""
    from fissix.pygram import python_symbols as symbols

    node = leaf.parent
    while node is not None:
        if node.type in (symbols.funcdef, symbols.lambdef):
            parameters = node.children[2 if node.type == symbols.funcdef else 1]
            if any(each.value == leaf.value for each in parameters.leaves()):
                return True
        node = node.parent
    return False


@functools.lru_cache(maxsize=None)
def _tool(fixers: tuple[str, ...], print_function: bool) -> Any:
    """Returns the tool with some fixers: it compiles their patterns."""
    from fissix import refactor

    return refactor.RefactoringTool(list(fixers), {"print_function": print_function})


def _is_own(name: str, source: str) -> bool:
    """Says whether a module defines, imports or assigns a name."""
    binding = r"^[ \t]*{0}[ \t]*=(?!=)|\bdef[ \t]+{0}\b|\bimport\b.*\b{0}\b"
    return re.search(binding.format(name), source, re.M) is not None


def expand_tabs(text: str) -> str:
    """Replaces the tabs of an indentation by the spaces that they meant in Python 2."""
    strings = [match.span() for match in _STRINGS.finditer(text) if match.group(1)]
    parts, position = [], 0
    for match in re.finditer(r"^[ \t]*\t", text, re.M):
        if not any(first < match.start() < last for first, last in strings):
            parts += [text[position : match.start()], match.group().expandtabs()]
            position = match.end()
    return "".join(parts) + text[position:]
